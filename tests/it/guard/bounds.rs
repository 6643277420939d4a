//! Texts over the reader's bounds: a crowd of commands hides no call.

use insta::assert_snapshot;

use super::world::{Where, World, line};

const DELETE: &str = "cortex delete-memory F --yes";

/// A crowd of commands over the bound of steps or of programs.
fn crowd(piece: &str) -> String {
    piece.repeat(600_000 / piece.split_whitespace().count().max(1) / 4)
}

/// The bound of depth costs next to nothing.
fn deep() -> String {
    "( ".repeat(60)
}

#[test]
fn a_crowd_of_commands_hides_no_call_behind_it() {
    let world = World::new(Where::InProject, "base");
    let unknown: String =
        (0..2_000).map(|n| format!("cortex delete-memory X{n} --yes\n")).collect();
    let removed: String = (0..2_000).map(|n| format!("rm f{n}; ")).collect();
    for (text, tool, expected) in [
        (format!("{}{DELETE}", crowd("true\n")), "Bash", "delete F"),
        (format!("{}{DELETE}", crowd("a=1 b=2 c=3\n")), "Bash", "delete F"),
        (format!("{}cor''tex delete\\-memory $'F' --yes", deep()), "Bash", "delete F"),
        (format!("{}cortex \\\n delete-memory \\\r\n F --yes", deep()), "Bash", "delete F"),
        (format!("{}bash -c \"{DELETE}\"", deep()), "Bash", "delete F"),
        (format!("{}if x; then (nohup {DELETE}); fi", deep()), "Bash", "delete F"),
        (format!("{}ssh host '{DELETE}'", deep()), "Bash", "delete F"),
        (format!("{}cortex note-resolve --subject \"retry ceiling\"", deep()), "Bash", "retire F"),
        (format!("{}rm .cortex.db", deep()), "Bash", "tamper"),
        (format!("{}{DELETE}", "eval ".repeat(60)), "Bash", "delete F"),
        (format!("{}{DELETE}", "echo $($x); ".repeat(80_000)), "Bash", "delete F"),
        (format!("{}{DELETE}", crowd("Get-Date\n")), "PowerShell", "delete F"),
        (format!("{}cor`tex delete-memory F --yes", deep()), "PowerShell", "delete F"),
        // The bounds of questions: ids and paths that are not there.
        (format!("{unknown}{DELETE}"), "Bash", "delete F"),
        (format!("{removed}{DELETE}"), "Bash", "delete F"),
        (format!("{unknown}rm .cortex.db"), "Bash", "tamper"),
    ] {
        let verdict = line(&world.judge(tool, &text));
        let end: String =
            text.chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
        assert!(verdict.starts_with(expected), "{verdict}: … {end}");
    }
}

#[test]
fn a_script_over_the_bound_is_no_hiding_place_either() {
    let world = World::new(Where::InProject, "base");
    world.write("w/long.sh", &format!("{}{DELETE}\n", ": x\n".repeat(60_000)));
    for text in ["sh long.sh", ". ./long.sh", "bash -c 'sh long.sh'"] {
        assert_eq!(line(&world.judge("Bash", text)), "delete F", "{text}");
    }
}

#[test]
fn a_long_text_that_touches_nothing_foreign_passes() {
    let world = World::new(Where::InProject, "base");
    for text in [
        crowd(": x\n"),
        format!("{}cortex delete-memory O --yes", deep()),
        format!("{}cortex delete-memory F", deep()),
        format!("{}cortex list-memory; ringfence doctor", deep()),
        format!("{}echo {DELETE}", deep()),
        format!("{}git commit -m {DELETE}", deep()),
        format!("{}cat .cortex.db > copy", deep()),
        format!("cat > notes.md <<'EOF'\n{}EOF\n", crowd(&format!("{DELETE}\n"))),
        format!("echo '{}'", crowd(&format!("{DELETE}\n"))),
    ] {
        let verdict = line(&world.judge("Bash", &text));
        let end: String =
            text.chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
        assert_eq!(verdict, "allow", "… {end}");
    }
}

#[test]
fn the_reason_says_that_the_text_was_not_read_whole() {
    let world = World::new(Where::InProject, "base");
    let verdict = world.judge("Bash", &format!("{}{DELETE}", deep()));
    assert_snapshot!(verdict.denial.unwrap().reason, @r#"
    A subagent may not delete memory from earlier work on this branch.
    This call would delete 1 memory that this conversation did not write:
      - decision "retry ceiling" (F)
    The text is too long or too deep to be read whole; this stands in it.
    Put the finding in your final message instead; the parent decides about it. If it must be done, ask the parent to run `ringfence grant F --action delete`.
    "#);
}
