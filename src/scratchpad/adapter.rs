//! Which program runs a command on a lane, as words. Pure.

#![forbid(unsafe_code)]

/// The word in a template that the command's text stands for.
const COMMAND: &str = "{command}";

/// The word in a template that the target stands for.
const TARGET: &str = "{target}";

/// What is run where the configuration names nothing else.
const TEMPLATES: [(&str, &str); 4] = [
    ("ssh", "ssh -o BatchMode=yes -o ConnectTimeout=10 -- {target} {command}"),
    ("local-docker", "docker exec -i {target} sh -c {command}"),
    ("k8s", "kubectl exec -i {target} -- sh -c {command}"),
    ("e2b", "e2b sandbox exec {target} -- sh -c {command}"),
];

/// What tells one instance of a target from the next of the same name.
const INSTANCES: [(&str, &str); 2] = [
    ("local-docker", "docker inspect --format {{.Id}} {target}"),
    // A pod's containers begin anew while it stays, each with an empty `/tmp`.
    (
        "k8s",
        "kubectl get pod/{target} -o jsonpath={.metadata.uid}{.status.containerStatuses[*].containerID}",
    ),
];

/// How commands reach a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    words: Vec<String>,
    /// The command line names its target; without that it always reaches the same one.
    pub takes_target: bool,
    /// What was made is there as long as the instance is.
    pub is_lasting: bool,
    /// Prints the instance's id; `None` = the target's name is all there is.
    pub instance: Option<Vec<String>>,
}

impl Adapter {
    /// The adapter of a lane, or of `template` in its stead.
    ///
    /// # Errors
    /// A sentence, when a word is missing or could mean something else.
    pub fn new(lane: &str, target: Option<&str>, template: Option<&str>) -> Result<Self, String> {
        let usual = TEMPLATES.iter().find(|(name, _)| *name == lane).map(|(_, text)| *text);
        let text =
            template.or(usual).ok_or_else(|| format!("nothing is known of the lane `{lane}`"))?;
        let words = split(text, target)?;
        let query = INSTANCES.iter().find(|(name, _)| *name == lane && template.is_none());
        let kind = target.filter(|_| lane == "k8s").and_then(|target| target.split_once('/'));
        let kind = kind.map(|(kind, _)| kind);
        let instance = match query {
            Some((_, text)) => {
                // `pod/NAME` says itself what it is.
                let text =
                    if kind.is_some() { text.replace("pod/", "") } else { (*text).to_owned() };
                Some(put(&shell_words::split(&text).unwrap_or_default(), target)?)
            }
            None => None,
        };
        // Behind any other kind pods come and go, each with an empty `/tmp`.
        let is_lasting = kind.is_none_or(|kind| matches!(kind, "pod" | "pods" | "po"));
        Ok(Self { words, instance, takes_target: text.contains(TARGET), is_lasting })
    }

    /// The program and its arguments for a shell text.
    pub fn argv(&self, command: &str) -> Vec<String> {
        let word = |word: &String| if word == COMMAND { command.to_owned() } else { word.clone() };
        self.words.iter().map(word).collect()
    }
}

/// The longest target, in bytes: longer than a host's name and what may stand around it.
const LONGEST_TARGET: usize = 512;

/// Whether `target` is a name and no more. It is one word of an argument list, but some programs read
/// more into it.
pub fn is_plain_target(target: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"\"'`$\\;&|<>(){}*?!#".contains(&byte);
    (1..=LONGEST_TARGET).contains(&target.len())
        && !target.starts_with('-')
        && target.bytes().all(plain)
}

fn split(text: &str, target: Option<&str>) -> Result<Vec<String>, String> {
    let words = shell_words::split(text).map_err(|_| format!("`{text}` is no command line"))?;
    if words.iter().filter(|word| *word == COMMAND).count() != 1
        || words.iter().filter(|word| word.contains(COMMAND)).count() != 1
        || words.first().is_some_and(|word| word == COMMAND)
    {
        return Err(format!(
            "`{text}` needs `{COMMAND}` once, as a word of its own behind the program"
        ));
    }
    put(&words, target)
}

fn put(words: &[String], target: Option<&str>) -> Result<Vec<String>, String> {
    if !words.iter().any(|word| word.contains(TARGET)) {
        return Ok(words.to_vec());
    }
    let target = target.ok_or("the lane needs a target")?;
    if !is_plain_target(target) {
        return Err("the target is no plain name".to_owned());
    }
    Ok(words.iter().map(|word| word.replace(TARGET, target)).collect())
}
