//! Finds and reads the owner's configuration.
//!
//! The user's file, or instead of it the one named on the hook's own line, then root's, which wins
//! key by key. The project's file comes last and can only tighten. A file that cannot be
//! read or a key that means nothing is a warning for `doctor`, never a failure: the hook goes on
//! with what is left.

mod hosted;
mod scratchpad;

use std::io;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::guard::Policy;
use crate::guard::calm::can_be_a_program;
use crate::sys::dirs::Dirs;
use crate::sys::file;
use crate::sys::git::Repository;
use hosted::Origin;
pub use hosted::{Hosted, HostedWhen};
pub use scratchpad::Scratchpad;

/// Larger files are not read.
const LARGEST: u64 = 256 << 10;

/// The name of the project's file, in the top directory of its work tree.
pub const PROJECT_FILE: &str = ".ringfence.toml";

/// Where configuration may stand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'a> {
    /// The file at the user's place; read when none is named.
    pub user: Option<&'a Path>,
    /// The file named on the hook's line: where the environment says otherwise, it is not asked.
    pub named: Option<&'a Path>,
    /// Root's file.
    pub managed: Option<&'a Path>,
    /// The project's file.
    pub project: Option<&'a Path>,
}

/// What the owner wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// What can change a decision.
    pub policy: Policy,
    /// Tell the person about a refusal, beside the model.
    pub system_message: bool,
    /// What holds for runs that nobody watches.
    pub hosted: Hosted,
    /// Where commands of sessions run, if elsewhere.
    pub scratchpad: Scratchpad,
    /// The files that were read.
    pub read: Vec<PathBuf>,
    /// What is wrong in them, one sentence each.
    pub warnings: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            system_message: true,
            hosted: Hosted::default(),
            scratchpad: Scratchpad::default(),
            read: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// What one file says.
#[derive(Default)]
struct Said {
    deny_unproven: Option<bool>,
    trusted_agents: Option<Vec<String>>,
    system_message: Option<bool>,
    programs: Option<Vec<String>>,
}

/// Reads what holds for a call in `cwd`: `named` or the user's file, root's, and the file of the work
/// tree around `cwd`.
pub fn load_for(dirs: &Dirs, named: Option<&Path>, cwd: &Path) -> Config {
    let user = dirs.config_file();
    let top = Repository::find(cwd).and_then(|repository| repository.top);
    let project = top.map(|top| top.join(PROJECT_FILE));
    load(&Sources {
        user: Some(&user),
        named,
        managed: Some(Dirs::managed_file()),
        project: project.as_deref(),
    })
}

/// Reads what is there.
pub fn load(sources: &Sources<'_>) -> Config {
    let mut config = Config::default();
    let owner = sources.named.or(sources.user);
    let files = [(owner, Origin::Owner), (sources.managed, Origin::Managed)];
    for (path, origin) in files {
        let Some(path) = path else { continue };
        let said = read(path, origin, &mut config);
        let policy = &mut config.policy;
        policy.deny_unproven = said.deny_unproven.unwrap_or(policy.deny_unproven);
        if let Some(agents) = said.trusted_agents {
            policy.trusted_agents = agents;
        }
        // One more program to look at is stricter, so no file takes another's away.
        policy.programs.extend(said.programs.unwrap_or_default());
        config.system_message = said.system_message.unwrap_or(config.system_message);
    }
    // Install names the usual place too, where there need not be any.
    if let Some(named) = sources.named.filter(|named| Some(*named) != sources.user)
        && !file::exists(named)
    {
        config
            .warnings
            .push(format!("`{}` is named on the hook's line but is not there", named.display()));
    }
    if let Some(path) = sources.project {
        let said = read(path, Origin::Project, &mut config);
        tighten(&mut config, said, path);
    }
    config
}

/// Takes from the project's file only what makes the guard stricter or louder.
fn tighten(config: &mut Config, said: Said, path: &Path) {
    let milder = |key: &str| {
        format!("`{}` cannot make `{key}` milder: a project can only tighten", path.display())
    };
    let policy = &mut config.policy;
    match said.deny_unproven {
        Some(true) => policy.deny_unproven = true,
        Some(false) if policy.deny_unproven => config.warnings.push(milder("guard.unproven")),
        Some(false) | None => {}
    }
    if let Some(agents) = said.trusted_agents {
        if agents.iter().any(|agent| !policy.trusted_agents.contains(agent)) {
            config.warnings.push(milder("guard.trusted_agents"));
        }
        policy.trusted_agents.retain(|agent| agents.contains(agent));
    }
    policy.programs.extend(said.programs.unwrap_or_default());
    match said.system_message {
        Some(true) => config.system_message = true,
        Some(false) if config.system_message => {
            config.warnings.push(milder("guard.system_message"));
        }
        Some(false) | None => {}
    }
}

fn read(path: &Path, origin: Origin, config: &mut Config) -> Said {
    let place = path.display();
    let bytes = match file::read_bounded(path, LARGEST) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Said::default(),
        Err(error) => {
            config.warnings.push(format!("`{place}` cannot be read: {error}"));
            return Said::default();
        }
    };
    let table = match String::from_utf8_lossy(&bytes).parse::<Table>() {
        Ok(table) => table,
        Err(error) => {
            config.warnings.push(format!("`{place}` is no TOML: {}", error.message()));
            return Said::default();
        }
    };
    config.read.push(path.to_path_buf());
    let mut said = Said::default();
    for (key, value) in &table {
        match (key.as_str(), value) {
            ("guard", Value::Table(guard)) => {
                for (key, value) in guard {
                    if let Err(wanted) = take(&mut said, key, value) {
                        config.warnings.push(format!("`{place}`: `guard.{key}` {wanted}"));
                    }
                }
            }
            ("posture" | "contain", Value::Table(table)) => {
                let take = if key == "posture" { hosted::posture } else { hosted::contain };
                for (below, wanted) in take(&mut config.hosted, table, origin) {
                    config.warnings.push(format!("`{place}`: `{key}.{below}` {wanted}"));
                }
            }
            ("scratchpad", Value::Table(table)) => {
                for (below, wanted) in scratchpad::take(&mut config.scratchpad, table, origin) {
                    config.warnings.push(format!("`{place}`: `scratchpad.{below}` {wanted}"));
                }
            }
            _ => config.warnings.push(format!("`{place}`: `{key}` is not known")),
        }
    }
    said
}

/// Takes one key of `[guard]`; an error says what it should be.
fn take(said: &mut Said, key: &str, value: &Value) -> Result<(), &'static str> {
    match (key, value) {
        ("unproven", Value::String(word)) if word == "deny" => said.deny_unproven = Some(true),
        ("unproven", Value::String(word)) if word == "allow" => said.deny_unproven = Some(false),
        ("unproven", _) => return Err("must be \"allow\" or \"deny\""),
        ("trusted_agents", Value::Array(agents)) => {
            let names = agents.iter().map(|agent| agent.as_str().map(str::to_owned));
            said.trusted_agents =
                Some(names.collect::<Option<_>>().ok_or("must be a list of strings")?);
        }
        ("trusted_agents", _) => return Err("must be a list of strings"),
        ("programs", Value::Array(programs)) => {
            let names: Option<Vec<String>> =
                programs.iter().map(|name| name.as_str().map(str::to_owned)).collect();
            let names = names.ok_or("must be a list of file names")?;
            if !names.iter().all(|name| can_be_a_program(name)) {
                return Err("must be plain file names, and none of a program that changes nothing");
            }
            said.programs = Some(names);
        }
        ("programs", _) => return Err("must be a list of file names"),
        ("system_message", Value::Boolean(on)) => said.system_message = Some(*on),
        ("system_message", _) => return Err("must be true or false"),
        _ => return Err("is not known"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loads from texts: user, named, managed, project.
    fn loaded(texts: [&str; 4]) -> Config {
        let dir = tempfile::tempdir().unwrap();
        let paths = ["user", "named", "managed", "project"].map(|name| dir.path().join(name));
        for (path, text) in paths.iter().zip(texts) {
            file::write_atomic(path, text.as_bytes(), 0o600).unwrap();
        }
        let [user, named, managed, project] = &paths;
        let sources = Sources {
            user: Some(user),
            named: texts.get(1).filter(|text| !text.is_empty()).map(|_| named.as_path()),
            managed: Some(managed),
            project: Some(project),
        };
        let mut config = load(&sources);
        config.read.clear();
        let dir = format!("{}/", dir.path().display());
        for warning in &mut config.warnings {
            *warning = warning.replace(&dir, "");
        }
        config
    }

    #[test]
    fn root_s_file_wins_key_by_key_and_a_named_one_stands_for_the_user_s() {
        let config = loaded([
            "[guard]\ntrusted_agents = [\"keeper\", \"mallory\"]\nsystem_message = true",
            "[guard]\nunproven = \"deny\"\ntrusted_agents = [\"other\"]\nsystem_message = false\nprograms = [\"mem\"]",
            "[guard]\nunproven = \"allow\"\nprograms = [\"notes.py\"]",
            "[guard]\nprograms = [\"m\"]",
        ]);
        let policy = Policy {
            trusted_agents: vec!["other".into()],
            programs: vec!["mem".into(), "notes.py".into(), "m".into()],
            ..Policy::default()
        };
        let expected = Config { policy, system_message: false, ..Config::default() };
        assert_eq!(config, expected);
    }

    #[test]
    fn a_project_can_only_tighten() {
        let owner = "[guard]\nunproven = \"deny\"\ntrusted_agents = [\"keeper\", \"gardener\"]";
        let milder = "[guard]\nunproven = \"allow\"\ntrusted_agents = [\"keeper\", \"mallory\"]\nsystem_message = false";
        let config = loaded([owner, "", "", milder]);
        assert_eq!(config.policy.trusted_agents, ["keeper"]);
        assert!(config.policy.deny_unproven && config.system_message);
        assert_eq!(config.warnings.len(), 3, "{:?}", config.warnings);

        let stricter = loaded(["", "", "", "[guard]\nunproven = \"deny\""]);
        assert!(stricter.policy.deny_unproven);

        let broken = loaded(["[guard", "", "", ""]);
        assert_eq!(broken.warnings, ["`user` is no TOML: unclosed table, expected `]`"]);
    }

    #[test]
    fn nothing_in_a_file_is_a_failure() {
        let config = loaded([
            "[guard",
            "[guard]\nprograms = [\"ls\"]\nunproven = 1\ntrusted_agents = [1]\nsystem_message = \"yes\"\nx = 1",
            "other = 1",
            "guard = 1",
        ]);
        assert_eq!(config.policy, Policy::default());
        assert_eq!(
            config.warnings,
            [
                "`named`: `guard.programs` must be plain file names, and none of a program that changes nothing",
                "`named`: `guard.system_message` must be true or false",
                "`named`: `guard.trusted_agents` must be a list of strings",
                "`named`: `guard.unproven` must be \"allow\" or \"deny\"",
                "`named`: `guard.x` is not known",
                "`managed`: `other` is not known",
                "`project`: `guard` is not known",
            ]
        );
    }
}
