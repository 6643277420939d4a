//! Calls by which an agent would slip past the hook, and what it might leave in the hook's way.

use std::process::Command;

use super::world::World;

#[test]
fn the_plain_call_is_refused_so_that_the_rows_below_mean_something() {
    let world = World::new();
    let call = world.payload("Bash", r#"{"command":"ringfence delete-memory ID --yes"}"#);
    assert!(world.refused(call.as_bytes()));
    assert!(!world.refused(call.replace("--yes", "").as_bytes()), "a preview");
    assert!(!world.refused(call.replace("delete-memory", "show-memory").as_bytes()));
}

#[test]
fn a_command_is_found_in_whichever_argument_carries_it() {
    let world = World::new();
    let text = "ringfence delete-memory ID --yes";
    for (tool, input) in [
        ("Bash", format!(r#"{{"command":"ls","cmd":"{text}"}}"#)),
        ("Bash", format!(r#"{{"cmd":"ls","command":"{text}"}}"#)),
        ("Bash", format!(r#"{{"command":"ls","command":"{text}"}}"#)),
        ("Bash", format!(r#"{{"command":"","cmd":"{text}"}}"#)),
        ("shell_command", r#"{"command":["ringfence","delete-memory","ID","--yes"]}"#.into()),
        ("Monitor", format!(r#"{{"description":"d","command":"{text}"}}"#)),
        ("Bash", r#"{"command":"ring\u0066ence delete\u002dmemory ID --yes"}"#.into()),
        ("Bash", r#"{"c\u006fmmand":"ringfence delete-memory ID --yes"}"#.into()),
        ("B\\u0061sh", format!(r#"{{"command":"{text}"}}"#)),
    ] {
        assert!(world.refused(world.payload(tool, &input).as_bytes()), "{tool} {input}");
    }
}

#[test]
fn a_mark_is_read_however_its_key_is_spelled() {
    let world = World::new();
    let call = world.payload("Bash", r#"{"command":"ringfence delete-memory ID --yes"}"#);
    for key in ["agent_id", "agentId", "agent\\u005fid", "\\u0061gentId"] {
        assert!(world.refused(call.replace("agent_id", key).as_bytes()), "{key}");
    }
    // In the arguments, or without a name in it, it is none: this is the parent.
    for (from, to) in [
        (r#""agent_id":"a","#, ""),
        (r#""agent_id":"a""#, r#""agent_id":"""#),
        (r#""agent_id":"a""#, r#""agent_id":null"#),
        (r#""agent_id":"a""#, r#""agent_id":1"#),
        (r#""agent_id":"a""#, r#""agent_type":"worker""#),
    ] {
        assert!(!world.refused(call.replace(from, to).as_bytes()), "{to}");
    }
    let inner =
        call.replace(r#""agent_id":"a","#, "").replace("--yes\"", "--yes\",\"agent_id\":\"a\"");
    assert!(!world.refused(inner.as_bytes()), "{inner}");
}

#[test]
fn many_arguments_do_not_use_up_the_time() {
    let world = World::new();
    let mut input = String::from("{");
    for index in 0..15_000 {
        input.push_str(&format!("\"k{index}\":0,"));
    }
    input.push_str(r#""note_id":"ID","status":"resolved"}"#);
    let call = world.payload("mcp__ringfence__cortex_resolve", &input);
    assert!(world.refused(call.as_bytes()));
}

#[test]
fn what_grows_with_each_command_does_not_use_up_the_time() {
    let world = World::new();
    for (start, step, times) in [
        ("a=x;", "a=$a$a;", 60),
        ("a=x;", "a+=$a;", 60),
        ("a=x;", "a=\"$a $a\";", 60),
        ("", "a=$b$a$a;", 60),
        ("a=x;", "a=$(echo $a$a);", 30),
        ("a=x;", "a=${a//x/xx};", 60),
        ("a=x;", "a=${a/x/$a$a};", 60),
        ("a=(x);", "a=(${a[@]} ${a[@]});", 30),
        ("", "set -- x $@ $@;", 12),
        ("a=x;", "eval 'a=$a$a';", 30),
        ("a=x;", "printf -v a %s%s $a $a;", 40),
        ("a=x;", "export a=$a$a;", 40),
        ("a=x;", "a=`echo $a$a`;", 30),
        ("a=x;", "read a <<< $a$a;", 40),
        ("f() { f; f; };", "f;", 30),
        ("", "cd d;", 3_000),
    ] {
        let text = format!("{start} {}ringfence delete-memory ID --yes", step.repeat(times));
        let input = format!(r#"{{"command":"{}"}}"#, text.replace('"', "\\\""));
        assert!(world.refused(world.payload("Bash", &input).as_bytes()), "{start} {step}");
    }
}

#[test]
fn nested_words_of_the_host_in_the_arguments_are_the_agents() {
    let world = World::new();
    for input in [
        r#"{"x":{"tool_name":"Bash","tool_input":{"command":"ls"}},"note_id":"ID","status":"resolved"}"#,
        r#"{"tool_name":"Read","agent_id":"","session_id":"monday","note_id":"ID"}"#,
        r#"{"x":[{"agent_id":null}],"note_id":"ID"}"#,
    ] {
        let call = world.payload("mcp__ringfence__cortex_resolve", input);
        assert!(world.refused(call.as_bytes()), "{input}");
    }
}

#[test]
fn pipes_and_links_planted_in_the_state_directory_do_not_hold_the_verdict() {
    for name in
        ["calls.jsonl", "log.jsonl", "off", "sessions/tuesday.json", "sessions/tuesday.child"]
    {
        for plant in
            ["mkfifo \"$0\"", "ln -s /dev/zero \"$0\"", "ln -s \"$0\" \"$0\"", "mkdir \"$0\""]
        {
            let world = World::new();
            let path = world.home.path().join(".local/state/ringfence").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            drop(std::fs::remove_file(&path));
            let done = Command::new("sh").args(["-c", plant]).arg(&path).status().unwrap();
            assert!(done.success());
            let call = world.payload("Bash", r#"{"command":"ringfence delete-memory ID --yes"}"#);
            assert!(world.refused(call.as_bytes()), "{name} {plant}");
        }
    }
}

#[test]
fn what_is_not_the_guards_business_leaves_no_trace() {
    let world = World::new();
    for (tool, input) in [
        ("Read", r#"{"file_path":"/etc/passwd"}"#),
        ("Grep", r#"{"pattern":"delete-memory"}"#),
        ("Bash", r#"{"command":"cargo test --workspace"}"#),
        ("Bash", r#"{"command":null}"#),
        ("Bash", "[]"),
        ("", "{}"),
    ] {
        let before = world.log();
        assert!(!world.refused(world.payload(tool, input).as_bytes()));
        assert_eq!(world.log(), before, "{tool}");
    }
}
