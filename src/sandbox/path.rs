//! Paths as they are compared: physical, or an error; never by their letters alone.

use std::path::{Component, Path, PathBuf};

use super::{Refusal, RefusalKind};
use crate::sys::tree;

/// The canonical form of an absolute path: the deepest ancestor that exists with all links resolved, and
/// the rest joined to it unchanged.
///
/// # Errors
/// When an ancestor that exists cannot be resolved, when the rest holds a `..`, and for a path that is not
/// absolute.
pub fn canonicalize_path(path: &Path) -> Result<PathBuf, Refusal> {
    let refuse = |why: &str| {
        Refusal::new(RefusalKind::Path, format!("`{}` cannot be resolved: {why}", path.display()))
    };
    if !path.is_absolute() {
        return Err(refuse("it is not absolute"));
    }
    let mut real = PathBuf::from("/");
    let mut rest = path.components();
    for component in rest.by_ref() {
        let next = match component {
            Component::RootDir | Component::CurDir | Component::Prefix(_) => continue,
            // Everything before it is resolved, so this is where the kernel goes.
            Component::ParentDir => {
                // Not so behind a file, where it goes nowhere.
                tree::real(&real.join(".")).map_err(|error| refuse(&error.to_string()))?;
                real.pop();
                continue;
            }
            Component::Normal(name) => real.join(name),
        };
        match tree::real(&next) {
            Ok(Some(found)) => real = found,
            Ok(None) => {
                real = next;
                break;
            }
            Err(error) => return Err(refuse(&error.to_string())),
        }
    }
    for component in rest {
        match component {
            Component::Normal(name) => real.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(refuse("there is a `..` behind what exists"));
            }
        }
    }
    Ok(real)
}

/// Whether `child` is `parent` or lies in it, by whole components; both canonical.
pub fn is_inside(child: &Path, parent: &Path) -> bool {
    child.starts_with(parent)
}
