//! Expansion: a word of the tree → the words the program would get.

use super::eval::Reader;
use super::fields::{Fields, is_ambiguous};
use super::lists::{in_one, is_list, list_mark};
use super::scope::{Scope, Value};
use super::tree::{Change, Part, Raw};
use super::types::{Piece, Stdin, Word};

/// Stands for the shell's own number: the same wherever it is named, and no process has it.
pub const SHELL_PID: &str = "4194305";

impl Reader<'_> {
    /// All words that the raw words become.
    pub(super) fn words(&mut self, raws: &[Raw], scope: &mut Scope) -> Vec<Word> {
        let mut out = Vec::new();
        for raw in raws {
            if !self.spend(1) || out.len() > 65_536 {
                break;
            }
            let Some(all) = super::brace::expand(raw) else {
                self.note(super::types::What::Bound, "braces");
                continue;
            };
            if all.len() > 1 && !self.spend(all.len() * 6) {
                break;
            }
            for braced in all {
                self.fields(&braced, scope, &mut out);
            }
        }
        out
    }

    fn fields(&mut self, raw: &Raw, scope: &mut Scope, out: &mut Vec<Word>) {
        let mut fields = Fields { globbing: Some(self.globbing), ..Fields::default() };
        let vanishes = raw.parts.iter().any(|part| {
            matches!(part, Part::Variable { name, index, quoted: true, .. }
                if is_list(name, index.as_deref()))
        });
        for (index, part) in raw.parts.iter().enumerate() {
            match part {
                Part::Bare(text) => {
                    let text = if index == 0 {
                        self.tilde(text, fields.word(), scope)
                    } else {
                        text.as_str()
                    };
                    let globs = super::glob::push_bare(fields.word(), text, self.globbing);
                    scope.owe(globs * 2);
                }
                // `"$@"` without a value is no word, although its quotes stand beside it.
                Part::Quoted(text) if text.is_empty() && vanishes => {}
                Part::Quoted(_)
                | Part::Variable { .. }
                | Part::Command { .. }
                | Part::Process { .. }
                | Part::Arithmetic { .. } => self.field(part, scope, &mut fields),
            }
        }
        fields.close();
        out.append(&mut fields.done);
    }

    /// Appends what one part becomes.
    pub(super) fn field(&mut self, part: &Part, scope: &mut Scope, fields: &mut Fields) {
        match part {
            Part::Bare(text) | Part::Quoted(text) => fields.word().push_text(text),
            Part::Variable { name, index, quoted, change }
                if !matches!(change, Change::Length)
                    && list_mark(name, index.as_deref()).is_some_and(|mark| {
                        mark == '@' || !quoted || !matches!(change, Change::Plain)
                    }) =>
            {
                self.list(part, scope, fields);
            }
            Part::Variable { name, index, change, quoted: false }
                if matches!(change, Change::Default { .. } | Change::Alternative { .. }) =>
            {
                let value = self.lookup(name, index.as_deref(), scope, true);
                self.either(value, name, change, scope, fields);
            }
            Part::Variable { quoted, .. } | Part::Command { quoted, .. } => {
                let value = self.part(part, scope);
                if *quoted {
                    fields.word().push_word(&value);
                } else {
                    self.unquoted(fields, &value, &scope.separators());
                }
            }
            Part::Process { .. } | Part::Arithmetic { .. } => {
                let value = self.part(part, scope);
                fields.word().push_word(&value);
            }
        }
    }

    /// An unquoted value; one of several that are not all one word is chosen.
    pub(super) fn unquoted(&mut self, fields: &mut Fields, value: &Word, separators: &str) {
        if let Word::OneOf(all) = value
            && is_ambiguous(all, separators)
            && let Some(text) = self.choose(all.len()).and_then(|index| all.get(index))
        {
            fields.split(text, separators);
            return;
        }
        fields.split_word(value, separators);
    }

    /// A word that is not split: assignments, here-strings, redirections, case subjects.
    pub(super) fn single(&mut self, raw: &Raw, scope: &mut Scope) -> Word {
        let mut word = Word::empty();
        for (index, part) in raw.parts.iter().enumerate() {
            match part {
                Part::Bare(text) => {
                    let text =
                        if index == 0 { self.tilde(text, &mut word, scope) } else { text.as_str() };
                    word.push_text(text);
                }
                Part::Quoted(text) => word.push_text(text),
                Part::Variable { .. }
                | Part::Command { .. }
                | Part::Process { .. }
                | Part::Arithmetic { .. } => {
                    let value = self.part(part, scope);
                    word.push_word(&value);
                }
            }
        }
        word
    }

    /// Takes a leading `~` off `text` and puts the home in its place.
    fn tilde<'t>(&self, text: &'t str, word: &mut Word, scope: &Scope) -> &'t str {
        let Some(rest) = text.strip_prefix('~') else { return text };
        // `~+` and `~-`: where the shell is, and where it was.
        let (sign, tail) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let place = match sign {
            "+" => scope.cwd.clone(),
            "-" => scope.scalar("OLDPWD").and_then(|word| word.literal().map(str::to_owned)),
            _ => None,
        };
        if let Some(place) = place {
            word.push_text(&place);
            return tail;
        }
        if !(rest.is_empty() || rest.starts_with('/')) {
            word.push_piece(Piece::Hole { what: "~user".into(), many: false });
            return rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("");
        }
        match &self.home {
            Some(home) => word.push_text(home),
            None => word.push_piece(Piece::Hole { what: "~".into(), many: false }),
        }
        rest
    }

    /// The value of one part, as one word.
    fn part(&mut self, part: &Part, scope: &mut Scope) -> Word {
        scope.owe(3);
        match part {
            Part::Bare(text) | Part::Quoted(text) => Word::Literal(text.clone()),
            Part::Command { node, quoted } => {
                let node = std::rc::Rc::clone(node);
                // It is read when it runs, and so knows all aliases.
                let aliases = super::alias::enter(scope);
                let from = self.reading.invocations.len();
                let printed =
                    self.inside("$(…)", |reader| reader.apart(&node, scope, &Stdin::Inherited));
                scope.aliases = aliases.unwrap_or_default();
                match printed {
                    Some(text) => {
                        Word::Literal(text.trim_end_matches('\n').to_owned()).with_holes()
                    }
                    None => self.printed_by(from, !quoted),
                }
            }
            Part::Process { node, reads } => self.process(std::rc::Rc::clone(node), *reads, scope),
            Part::Arithmetic { text } => {
                let text = text.clone();
                self.arithmetic(&text, scope)
                    .map_or_else(|| Word::hole("$((…))", false), |n| Word::Literal(n.to_string()))
            }
            Part::Variable { name, index, change: Change::Length, .. }
                if list_mark(name, index.as_deref()).is_some() =>
            {
                let all = super::lists::elements(name, scope);
                if all.iter().any(Word::is_many) {
                    return Word::hole(format!("${{#{name}}}"), false);
                }
                Word::Literal(all.len().to_string())
            }
            Part::Variable { name, index, change, quoted } => {
                let value = self.lookup(name, index.as_deref(), scope, !quoted);
                self.changed(value, name, change, scope, !quoted)
            }
        }
    }

    /// A variable's value; `None` = not set by the text.
    fn lookup(
        &mut self,
        name: &str,
        index: Option<&Raw>,
        scope: &mut Scope,
        many: bool,
    ) -> Option<Word> {
        if let Some(index) = index {
            let index = self.single(index, scope);
            let entry = index.literal().and_then(|key| scope.scalar(&format!("{name}[{key}]")));
            if entry.is_some() {
                return entry;
            }
            let Some(Value::Array(words)) = scope.get(name).cloned() else {
                let first = matches!(index.literal(), Some("0" | "@" | "*"));
                let other = scope.get(name).is_some().then(Word::empty);
                return if first { scope.scalar(name) } else { other };
            };
            return match index.literal() {
                Some("@" | "*") => Some(in_one(&super::lists::elements(name, scope), scope)),
                Some(_) if words.iter().any(Word::is_many) => {
                    Some(Word::hole(format!("{name}[…]"), true))
                }
                Some(text) => match self.index(text, scope).map(usize::try_from) {
                    Some(Ok(at)) => {
                        Some(words.get(at).cloned().filter(is_there).unwrap_or(Word::empty()))
                    }
                    _ => Some(Word::hole(format!("{name}[…]"), many)),
                },
                None => Some(Word::hole(format!("{name}[…]"), many)),
            };
        }
        match name {
            "@" | "*" => return Some(in_one(scope.args.get(1..).unwrap_or(&[]), scope)),
            "$" => return Some(Word::Literal(SHELL_PID.to_owned())),
            "?" | "!" | "-" => return None,
            "HOME" | "PWD" | "IFS" | "SHELL" | "BASH" if scope.get(name).is_none() => {
                return self.given(name, scope).map(|text| Word::Literal(text.to_owned()));
            }
            "#" => {
                let known = scope.args.iter().all(|arg| !arg.is_many());
                return known
                    .then(|| Word::Literal((scope.args.len().saturating_sub(1)).to_string()));
            }
            _ => {}
        }
        if name.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty() {
            let at: usize = name.parse().ok()?;
            return scope.args.get(at).cloned().or_else(|| {
                let open = scope.args.iter().any(Word::is_many);
                (!open).then(Word::empty)
            });
        }
        scope.scalar(name)
    }

    /// What a shell is started with.
    fn given<'s>(&'s self, name: &str, scope: &'s Scope) -> Option<&'s str> {
        match name {
            "HOME" => self.home.as_deref(),
            "PWD" => scope.cwd.as_deref(),
            "IFS" => Some(" \t\n"),
            // Whichever it is, it is a shell.
            _ => Some("/bin/bash"),
        }
    }

    fn changed(
        &mut self,
        value: Option<Word>,
        name: &str,
        change: &Change,
        scope: &mut Scope,
        many: bool,
    ) -> Word {
        let unset = || Word::hole(format!("${name}"), many);
        match change {
            Change::Plain => value.unwrap_or_else(unset),
            Change::Default { word, .. } | Change::Alternative { word, .. } => {
                self.one_of_two(value, name, change, word, scope)
            }
            Change::Require(word) => {
                self.single(word, scope);
                value.unwrap_or_else(unset)
            }
            Change::Trim { .. }
            | Change::Replace { .. }
            | Change::Case { .. }
            | Change::Slice(_) => match value {
                Some(value) => self.rewritten(&value, change, scope).unwrap_or_else(unset),
                None => {
                    // What is substituted in the pattern runs all the same.
                    self.rewritten(&Word::empty(), change, scope);
                    unset()
                }
            },
            Change::Length => match value.as_ref().and_then(Word::literal) {
                Some(text) => Word::Literal(text.chars().count().to_string()),
                None => unset(),
            },
            Change::Indirect => match value.as_ref().and_then(Word::literal) {
                Some(target) => {
                    let target = target.to_owned();
                    super::subscript::run(self, &target, scope);
                    scope.scalar(&target).unwrap_or_else(|| Word::hole(format!("${target}"), many))
                }
                None => unset(),
            },
            Change::Other => super::subscript::transformed(self, name, value.as_ref(), scope),
        }
    }
}

fn is_there(word: &Word) -> bool {
    word.literal() != Some(super::scope::ABSENT)
}
