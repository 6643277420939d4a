//! Links that a command makes itself: what is done to them afterwards is done to what they lead to.

use super::case::Case;
use crate::shell::{Invocation, Word, absolute, base_name};

/// Notes the links that `ln -s` and its like make.
pub(super) fn note(case: &mut Case, invocation: &Invocation, program: &str) {
    if !matches!(program, "ln" | "gln" | "cp" | "link") {
        return;
    }
    let words: Vec<&str> = invocation.argv.iter().skip(1).filter_map(Word::literal).collect();
    let has = |letter: char, long: &str| {
        words.iter().any(|word| {
            *word == long
                || word.starts_with('-') && !word.starts_with("--") && word.contains(letter)
        })
    };
    let symbolic = has('s', "--symbolic") || has('s', "--symbolic-link");
    if !symbolic && program != "link" {
        return;
    }
    let operands: Vec<&str> = words.into_iter().filter(|word| !word.starts_with('-')).collect();
    let cwd = invocation.cwd.as_deref();
    let Some((last, targets)) = operands.split_last() else { return };
    if targets.is_empty() {
        // `ln -s TARGET`: a link here by the same name.
        if let (Some(link), Some(target)) = (absolute(cwd, base_name(last)), absolute(cwd, last)) {
            case.link(link, target);
        }
        return;
    }
    for target in targets {
        let Some(place) = absolute(cwd, last) else { return };
        // A relative target is meant from where the link lies.
        let folder = place.rsplit_once('/').map_or("/", |(folder, _)| folder).to_owned();
        if let Some(led) =
            absolute(Some(if symbolic { &folder } else { cwd.unwrap_or("/") }), target)
        {
            case.link(place.clone(), led);
        }
        let inside = format!("{}/{}", place.trim_end_matches('/'), base_name(target));
        if let Some(led) = absolute(Some(&place), target) {
            case.link(inside, led);
        }
    }
}
