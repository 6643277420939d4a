//! `find` with an action, alone or before `xargs`.

use super::change::{Change, NewText};
use super::paths::Reach;
use crate::shell::{self, Invocation, Word};

/// Programs that, given a file by `-exec` or `xargs`, change it.
const MUTATORS: [&str; 12] = [
    "rm", "unlink", "shred", "mv", "truncate", "chmod", "chown", "chattr", "gzip", "tee", "trash",
    "srm",
];

/// What a `find` would do to what it finds.
pub(super) struct Search<'a> {
    roots: Vec<&'a Word>,
    names: Vec<String>,
    /// Names that are left out.
    spared: Vec<String>,
    /// It deletes, or starts a program that changes files.
    pub(super) acts: bool,
    /// It passes over every store: only folders, only empty files.
    spares: bool,
}

impl<'a> Search<'a> {
    /// Reads the words of `find`.
    pub(super) fn read(args: &'a [Word]) -> Self {
        let is_test = |word: &&Word| {
            word.literal().is_some_and(|text| text.starts_with(['-', '(', '!']) && text != "-")
        };
        let start = args.iter().position(|word| is_test(&word)).unwrap_or(args.len());
        let (roots, tests) = args.split_at(start);
        let mut search = Self {
            roots: roots.iter().collect(),
            names: Vec::new(),
            spared: Vec::new(),
            acts: false,
            spares: false,
        };
        let mut negated = false;
        let mut words = tests.iter().map(|word| word.literal().unwrap_or_default()).peekable();
        while let Some(test) = words.next() {
            match test {
                "!" | "-not" => {
                    negated = true;
                    continue;
                }
                "-name" | "-iname" => {
                    let name = words.next().unwrap_or_default();
                    let list = if negated { &mut search.spared } else { &mut search.names };
                    list.push(name.to_owned());
                }
                "-path" | "-wholename" | "-ipath" => {
                    let last = words.next().unwrap_or_default().rsplit('/').next().unwrap_or("*");
                    if !negated {
                        search.names.push(last.to_owned());
                    }
                }
                "-type" => search.spares |= !negated && words.next() == Some("d"),
                "-empty" => search.spares |= !negated,
                "-delete" => search.acts = true,
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    let program = words.peek().copied().unwrap_or_default();
                    search.acts |= mutates(program, words.clone());
                }
                _ => {}
            }
            negated = false;
        }
        search
    }

    /// Whether a file called `name` may be among what is found.
    pub(super) fn finds(&self, name: &str) -> bool {
        !self.spares
            && !self.spared.iter().any(|glob| shell::matches(glob, name))
            && (self.names.is_empty() || self.names.iter().any(|glob| shell::matches(glob, name)))
    }

    /// The trees that are searched.
    pub(super) fn changes(&self, how: &'static str) -> Vec<Change> {
        let here = Word::Literal(".".to_owned());
        let roots = if self.roots.is_empty() { vec![&here] } else { self.roots.clone() };
        roots
            .into_iter()
            .map(|root| Change {
                word: root.clone(),
                reach: Reach::Below,
                how,
                text: NewText::Gone,
            })
            .collect()
    }
}

fn mutates<'w>(program: &str, words: impl Iterator<Item = &'w str>) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    MUTATORS.contains(&name)
        || (name == "sed"
            && words.take_while(|word| *word != ";").any(|word| word.starts_with("-i")))
}

/// Whether `xargs` starts a program that changes the files it is given.
pub(super) fn xargs_mutates(invocation: &Invocation) -> bool {
    let words: Vec<&str> =
        invocation.argv.iter().skip(1).map(|word| word.literal().unwrap_or_default()).collect();
    let start = words.iter().position(|word| {
        let name = word.rsplit('/').next().unwrap_or(word);
        MUTATORS.contains(&name) || name == "sed"
    });
    start.is_some_and(|start| {
        let tail = words.get(start..).unwrap_or(&[]);
        mutates(tail.first().copied().unwrap_or_default(), tail.iter().copied())
    })
}
