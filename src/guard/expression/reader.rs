//! The words of `find` as an expression.

use super::{Action, Expression, Part};
use crate::shell::Word;

/// Tests and options that take the next word; how they end is not known here, or does not matter.
const ONE_VALUE: [&str; 36] = [
    "-regex",
    "-iregex",
    "-lname",
    "-ilname",
    "-xtype",
    "-size",
    "-mtime",
    "-atime",
    "-ctime",
    "-mmin",
    "-amin",
    "-cmin",
    "-newer",
    "-anewer",
    "-cnewer",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-perm",
    "-links",
    "-inum",
    "-samefile",
    "-fstype",
    "-used",
    "-context",
    "-flags",
    "-depth+",
    "-Bmin",
    "-Btime",
    "-Bnewer",
    "-mnewer",
    "-acl",
    "-xattrname",
    "-newerXY",
    "-since",
];

/// Words that are always true and do nothing to a path.
const IDLE: [&str; 13] = [
    "-true",
    "-daystart",
    "-follow",
    "-mount",
    "-xdev",
    "-noleaf",
    "-ignore_readdir_race",
    "-noignore_readdir_race",
    "-warn",
    "-nowarn",
    "-ls",
    "-quit",
    "-x",
];

/// The most parts that are told apart; what lies beyond may end either way.
const MAX_PARTS: usize = 512;

/// How deep brackets are followed.
const MAX_DEPTH: usize = 40;

impl Expression {
    /// Reads the words after the roots.
    pub(in crate::guard) fn read(words: &[Word]) -> Self {
        let mut reader = Reader { words, at: 0, depth: 0, parts: 0, found: Self::empty() };
        let mut parts = vec![reader.list()];
        // A bracket too many ends a part; what follows is read all the same.
        while reader.at < words.len() {
            reader.at += 1;
            parts.push(reader.list());
        }
        let mut found = reader.found;
        let is_silent = |action: &Action| *action == Action::Prune;
        if found.actions.iter().all(is_silent) && found.written.is_empty() {
            found.actions.push(Action::Print);
            let print = Part::Action { at: found.actions.len() - 1, holds: true };
            parts = vec![Part::And(vec![Part::List(parts), print])];
        }
        found.part = Part::List(parts);
        found
    }

    fn empty() -> Self {
        Self {
            part: Part::Sure(true),
            actions: Vec::new(),
            written: Vec::new(),
            least: 0,
            most: None,
            from_below: false,
        }
    }
}

/// Whether a part may end either way and does nothing: one more of them changes nothing.
fn is_open(part: &Part) -> bool {
    matches!(part, Part::Either)
        || matches!(part, Part::And(parts) if matches!(parts.as_slice(), [Part::Either]))
}

struct Reader<'w> {
    words: &'w [Word],
    at: usize,
    depth: usize,
    parts: usize,
    found: Expression,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&str> {
        self.words.get(self.at).map(|word| word.literal().unwrap_or_default())
    }

    fn next_if(&mut self, words: &[&str]) -> bool {
        let is = self.peek().is_some_and(|word| words.contains(&word));
        self.at += usize::from(is);
        is
    }

    /// `a , b`.
    fn list(&mut self) -> Part {
        let mut parts = vec![self.either()];
        while self.next_if(&[","]) {
            parts.push(self.either());
        }
        Part::List(parts)
    }

    /// `a -o b`.
    fn either(&mut self) -> Part {
        let mut parts = vec![self.all()];
        while self.next_if(&["-o", "-or"]) {
            let part = self.all();
            if self.parts <= MAX_PARTS || !is_open(&part) {
                parts.push(part);
            } else if !parts.last().is_some_and(is_open) {
                parts.push(Part::Either);
            }
        }
        Part::Or(parts)
    }

    /// `a b`, `a -a b`.
    fn all(&mut self) -> Part {
        let mut parts = Vec::new();
        loop {
            while self.next_if(&["-a", "-and"]) {}
            match self.peek() {
                None | Some(")" | "," | "-o" | "-or") => return Part::And(parts),
                Some(_) => {
                    let part = self.one();
                    if self.parts <= MAX_PARTS
                        || !is_open(&part)
                        || !parts.last().is_some_and(is_open)
                    {
                        parts.push(part);
                    }
                }
            }
        }
    }

    fn one(&mut self) -> Part {
        let mut negated = false;
        while self.next_if(&["!", "-not"]) {
            negated = !negated;
        }
        let part = if self.next_if(&["("]) { self.bracket() } else { self.primary() };
        self.parts += 1;
        let is_told_apart = self.parts <= MAX_PARTS || matches!(part, Part::Action { .. });
        let part = if is_told_apart { part } else { Part::Either };
        if negated { Part::Not(Box::new(part)) } else { part }
    }

    fn bracket(&mut self) -> Part {
        if self.depth >= MAX_DEPTH {
            return Part::Either;
        }
        self.depth += 1;
        let part = self.list();
        self.depth -= 1;
        self.next_if(&[")"]);
        part
    }

    /// The word after the one at hand.
    fn value(&mut self) -> Option<String> {
        let word = self.words.get(self.at);
        self.at += 1;
        word.and_then(Word::literal).map(str::to_owned)
    }

    fn act(&mut self, action: Action) -> Part {
        let holds = !matches!(action, Action::Run { .. });
        self.found.actions.push(action);
        Part::Action { at: self.found.actions.len() - 1, holds }
    }

    fn primary(&mut self) -> Part {
        let Some(test) = self.peek().map(str::to_owned) else { return Part::Sure(true) };
        self.at += 1;
        let folded = test.starts_with("-i");
        match test.as_str() {
            "-name" | "-iname" => {
                self.value().map_or(Part::Either, |glob| Part::Name { glob, folded })
            }
            "-path" | "-wholename" | "-ipath" | "-iwholename" => {
                self.value().map_or(Part::Either, |glob| Part::Path { glob, folded })
            }
            "-type" => self.value().map_or(Part::Either, Part::Kind),
            "-empty" => Part::Empty,
            "-false" => Part::Sure(false),
            "-delete" => {
                self.found.from_below = true;
                self.act(Action::Delete)
            }
            "-depth" | "-d" => {
                self.found.from_below = true;
                Part::Sure(true)
            }
            "-maxdepth" => {
                self.found.most = self.value().and_then(|text| text.parse().ok());
                Part::Sure(true)
            }
            "-mindepth" => {
                self.found.least = self.value().and_then(|text| text.parse().ok()).unwrap_or(0);
                Part::Sure(true)
            }
            "-prune" => self.act(Action::Prune),
            "-print" | "-print0" => self.act(Action::Print),
            "-printf" => {
                self.at += 1;
                self.act(Action::Print)
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                self.found.written.extend(self.words.get(self.at).cloned());
                self.at += if test == "-fprintf" { 2 } else { 1 };
                Part::Sure(true)
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => self.run(test.ends_with("dir")),
            idle if IDLE.contains(&idle) => Part::Sure(true),
            test if ONE_VALUE.contains(&test) || test.starts_with("-newer") => {
                self.at += 1;
                Part::Either
            }
            // A word that only run time knows, or a test without a value.
            _ => Part::Either,
        }
    }

    fn run(&mut self, beside: bool) -> Part {
        let rest = self.words.get(self.at..).unwrap_or(&[]);
        let ends = |at: usize, word: &Word| match word.literal() {
            Some(";") => true,
            Some("+") => at > 0 && rest.get(at - 1).and_then(Word::literal) == Some("{}"),
            Some(_) | None => false,
        };
        let end = rest.iter().enumerate().position(|(at, word)| ends(at, word));
        let end = end.unwrap_or(rest.len());
        let argv = rest.get(..end).unwrap_or(&[]).to_vec();
        self.at += end + 1;
        self.act(Action::Run { argv, beside })
    }
}
