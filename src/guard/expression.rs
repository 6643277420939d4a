//! The expression of `find`: which actions it may take on a path, and whether it surely does.

mod reader;

use crate::shell::{self, Word};

/// What an expression does to a path that it selects.
#[derive(Debug, PartialEq)]
pub(super) enum Action {
    Delete,
    /// Prints the path.
    Print,
    /// Passes over what lies below.
    Prune,
    /// Starts a program; `beside`: in the folder of the path.
    Run {
        argv: Vec<Word>,
        beside: bool,
    },
}

/// A path that a search visits; what is not known is `None`.
#[derive(Clone, Debug, Default)]
pub(super) struct Visit {
    /// Absolute, links resolved.
    pub(super) real: String,
    /// As the search spells it.
    pub(super) printed: Option<String>,
    pub(super) name: Option<String>,
    pub(super) is_folder: Option<bool>,
    /// Steps below the root.
    pub(super) depth: Option<usize>,
}

#[derive(Debug)]
enum Part {
    Name {
        glob: String,
        folded: bool,
    },
    Path {
        glob: String,
        folded: bool,
    },
    Kind(String),
    Empty,
    Sure(bool),
    Either,
    /// An action by its number; `holds`: it is true whatever comes of it.
    Action {
        at: usize,
        holds: bool,
    },
    Not(Box<Self>),
    And(Vec<Self>),
    Or(Vec<Self>),
    List(Vec<Self>),
}

/// A search's expression.
#[derive(Debug)]
pub(super) struct Expression {
    part: Part,
    actions: Vec<Action>,
    /// Files that it writes its findings into.
    pub(super) written: Vec<Word>,
    least: usize,
    most: Option<usize>,
    /// Folders come after what lies in them, so that nothing is passed over.
    from_below: bool,
}

impl Expression {
    /// The actions that may be taken on a path, and whether what lies below is surely passed over.
    pub(super) fn taken(&self, visit: &Visit) -> (Vec<&Action>, bool) {
        let above = |least: usize| visit.depth.is_some_and(|depth| depth < least);
        let below = |most: usize| visit.depth.is_some_and(|depth| depth > most);
        if above(self.least) || self.most.is_some_and(below) {
            return (Vec::new(), false);
        }
        let mut taken = Vec::new();
        outcome(&self.part, visit, true, &mut taken);
        let action = |at: usize| self.actions.get(at);
        let prunes = taken.iter().any(|(at, sure)| *sure && action(*at) == Some(&Action::Prune));
        (taken.iter().filter_map(|(at, _)| action(*at)).collect(), prunes && !self.from_below)
    }
}

/// Whether a part may be true, and whether it may be false.
type Outcome = (bool, bool);

/// Follows a part for one path; `sure`: it is surely reached.
fn outcome(part: &Part, visit: &Visit, sure: bool, taken: &mut Vec<(usize, bool)>) -> Outcome {
    let known = |answer: Option<bool>| answer.map_or((true, true), |yes| (yes, !yes));
    match part {
        Part::Name { glob, folded } => {
            known(visit.name.as_deref().map(|name| fits(glob, name, *folded)))
        }
        Part::Path { glob, folded } => {
            known(visit.printed.as_deref().map(|path| fits(glob, path, *folded)))
        }
        Part::Kind(letters) => known(
            visit.is_folder.map(|is_folder| letters.contains(if is_folder { 'd' } else { 'f' })),
        ),
        // Neither a store nor a folder that holds one; and where there is nothing, nothing is lost.
        Part::Empty => known(visit.name.as_ref().map(|_| false)),
        Part::Sure(answer) => (*answer, !*answer),
        Part::Either => (true, true),
        Part::Action { at, holds } => {
            taken.push((*at, sure));
            (true, !*holds)
        }
        Part::Not(inner) => {
            let (yes, no) = outcome(inner, visit, sure, taken);
            (no, yes)
        }
        Part::And(parts) => {
            let (mut may_fail, mut sure) = (false, sure);
            for part in parts {
                let (yes, no) = outcome(part, visit, sure, taken);
                if !yes {
                    return (false, true);
                }
                may_fail |= no;
                sure &= !no;
            }
            (true, may_fail)
        }
        Part::Or(parts) => {
            let (mut may_hold, mut sure) = (false, sure);
            for part in parts {
                let (yes, no) = outcome(part, visit, sure, taken);
                if !no {
                    return (true, false);
                }
                may_hold |= yes;
                sure &= !yes;
            }
            (may_hold, true)
        }
        Part::List(parts) => {
            let mut last = (true, false);
            for part in parts {
                last = outcome(part, visit, sure, taken);
            }
            last
        }
    }
}

fn fits(glob: &str, text: &str, folded: bool) -> bool {
    if folded {
        shell::matches(&glob.to_lowercase(), &text.to_lowercase())
    } else {
        shell::matches(glob, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(line: &str, path: &str) -> String {
        let words: Vec<Word> = line.split(' ').map(|word| Word::Literal(word.into())).collect();
        let visit = Visit {
            real: path.into(),
            printed: Some(path.into()),
            name: path.rsplit('/').next().map(str::to_owned),
            is_folder: Some(!path.contains(".db")),
            depth: Some(path.matches('/').count()),
        };
        let expression = Expression::read(&words);
        let (actions, prunes) = expression.taken(&visit);
        let words = actions.iter().map(|action| match action {
            Action::Delete => "delete",
            Action::Print => "print",
            Action::Prune => "prune",
            Action::Run { .. } => "run",
        });
        let words: Vec<&str> = words.chain(prunes.then_some("stop")).collect();
        words.join(" ")
    }

    #[test]
    fn an_expression_is_read_with_its_operators() {
        for (line, path, expected) in [
            ("-name m.db -o -name x -delete", "./m.db", ""),
            ("-name x -o -delete", "./m.db", "delete"),
            ("-name x -delete -o -print", "./m.db", "print"),
            ("( -name m.db -o -name x ) -delete", "./m.db", "delete"),
            ("! -name x -delete", "./m.db", "delete"),
            ("! -name m.db -delete", "./m.db", ""),
            ("! ( -name x ) -delete", "./m.db", "delete"),
            ("-not ( -name x -o -name m.db ) -delete", "./m.db", ""),
            ("-type d -delete", "./m.db", ""),
            ("-type d -o -name *.db -delete", "./m.db", "delete"),
            ("-type f,d -delete", "./m.db", "delete"),
            ("-empty -delete", "./m.db", ""),
            ("-empty -o -name *.db -delete", "./m.db", "delete"),
            ("-iname M.DB -delete", "./m.db", "delete"),
            ("-path */a/* -delete", "./a/m.db", "delete"),
            ("-path ./b/* -delete", "./a/m.db", ""),
            ("-maxdepth 1 -delete", "./a/m.db", ""),
            ("-mindepth 2 -delete", "./m.db", ""),
            ("-mtime +7 -delete", "./m.db", "delete"),
            ("-newer x -name y -delete", "./m.db", ""),
            ("-exec rm {} ; -name x", "./m.db", "run"),
            ("-name x -exec rm {} +", "./m.db", ""),
            ("-name a -prune -o -delete", "./a", "prune"),
            ("-name a -prune -o -print", "./a", "prune stop"),
            ("-mtime 1 -prune -o -print", "./a", "prune print"),
            ("-name a -prune", "./a", "prune print stop"),
            ("-name *.db", "./m.db", "print"),
            ("-name x , -delete", "./m.db", "delete"),
            ("-name a -exec x ; -prune -o -print", "./a", "run prune print"),
            ("-false -delete", "./m.db", ""),
            (") -delete", "./m.db", "delete"),
            ("( ( ( -delete", "./m.db", "delete"),
        ] {
            assert_eq!(taken(line, path), expected, "{line} {path}");
        }
    }
}
