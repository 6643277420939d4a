//! Expansion: a word of the tree → the words the program would get.

use super::changes::{change_case, cut, replace, trim};
use super::eval::Reader;
use super::scope::{Scope, Value};
use super::tree::{Change, Part, Raw};
use super::types::{Piece, Stdin, Word};

/// A word under construction and the finished ones before it.
struct Fields {
    done: Vec<Word>,
    open: Option<Word>,
}

impl Fields {
    fn word(&mut self) -> &mut Word {
        self.open.get_or_insert_with(Word::empty)
    }

    fn close(&mut self) {
        self.done.extend(self.open.take());
    }

    /// Appends a value that is split at `separators`.
    fn split(&mut self, text: &str, separators: &str) {
        if text.starts_with(|c| separators.contains(c)) {
            self.close();
        }
        let mut pieces =
            text.split(|c| separators.contains(c)).filter(|piece| !piece.is_empty()).peekable();
        while let Some(piece) = pieces.next() {
            self.word().push_text(piece);
            if pieces.peek().is_some() {
                self.close();
            }
        }
        if text.ends_with(|c| separators.contains(c)) {
            self.close();
        }
    }
}

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
            for braced in all {
                self.fields(&braced, scope, &mut out);
            }
        }
        out
    }

    fn fields(&mut self, raw: &Raw, scope: &mut Scope, out: &mut Vec<Word>) {
        let mut fields = Fields { done: Vec::new(), open: None };
        let vanishes = raw.parts.iter().any(|part| {
            matches!(part, Part::Variable { name, index, quoted: true, .. }
                if is_list(name, index.as_deref()))
        });
        for (index, part) in raw.parts.iter().enumerate() {
            match part {
                Part::Bare(text) => {
                    let text =
                        if index == 0 { self.tilde(text, fields.word()) } else { text.as_str() };
                    super::glob::push_bare(fields.word(), text);
                }
                // `"$@"` without a value is no word, although its quotes stand beside it.
                Part::Quoted(text) if text.is_empty() && vanishes => {}
                Part::Quoted(text) => fields.word().push_text(text),
                Part::Variable { name, index, quoted: true, .. }
                    if is_list(name, index.as_deref()) =>
                {
                    self.list(part, scope, &mut fields);
                }
                Part::Variable { quoted, .. } | Part::Command { quoted, .. } => {
                    let value = self.part(part, scope);
                    if *quoted {
                        fields.word().push_word(&value);
                    } else {
                        unquoted(&mut fields, &value, &scope.separators());
                    }
                }
                Part::Process { .. } | Part::Arithmetic { .. } => {
                    let value = self.part(part, scope);
                    fields.word().push_word(&value);
                }
            }
        }
        fields.close();
        out.append(&mut fields.done);
    }

    /// `"$@"` and `"${a[@]}"`: each element a word, joined to what stands beside it.
    fn list(&mut self, part: &Part, scope: &mut Scope, fields: &mut Fields) {
        let Part::Variable { name, change, .. } = part else { return };
        let mut elements = elements(name, scope);
        if let Change::Slice(raw) = change {
            let raw = raw.clone();
            let from = self
                .single(&raw, scope)
                .literal()
                .and_then(|text| text.trim().parse::<usize>().ok());
            let from = if name == "@" { from.map(|from| from.saturating_sub(1)) } else { from };
            elements = elements.into_iter().skip(from.unwrap_or(0)).collect();
        }
        let last = elements.len().saturating_sub(1);
        for (index, element) in elements.iter().enumerate() {
            fields.word().push_word(element);
            if index < last {
                fields.close();
            }
        }
    }

    /// A word that is not split: assignments, here-strings, redirections, case subjects.
    pub(super) fn single(&mut self, raw: &Raw, scope: &mut Scope) -> Word {
        let mut word = Word::empty();
        for (index, part) in raw.parts.iter().enumerate() {
            match part {
                Part::Bare(text) => {
                    let text = if index == 0 { self.tilde(text, &mut word) } else { text.as_str() };
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
    fn tilde<'t>(&self, text: &'t str, word: &mut Word) -> &'t str {
        let Some(rest) = text.strip_prefix('~') else { return text };
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
        match part {
            Part::Bare(text) | Part::Quoted(text) => Word::Literal(text.clone()),
            Part::Command { node, quoted } => {
                let mut inner = scope.clone();
                let node = std::rc::Rc::clone(node);
                match self
                    .inside("$(…)", |reader| reader.eval(&node, &mut inner, &Stdin::Inherited))
                {
                    Some(text) => Word::Literal(text.trim_end_matches('\n').to_owned()),
                    None => Word::hole("$(…)", !quoted),
                }
            }
            Part::Process { node, reads } => self.process(std::rc::Rc::clone(node), *reads, scope),
            Part::Arithmetic { text } => {
                let text = text.clone();
                let word = self.single(&text, scope);
                word.literal()
                    .and_then(super::arithmetic::evaluate)
                    .map_or_else(|| Word::hole("$((…))", false), |n| Word::Literal(n.to_string()))
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
            let Some(Value::Array(words)) = scope.get(name) else { return scope.scalar(name) };
            return match index.literal() {
                Some("@" | "*") => Some(joined(words)),
                Some(text) => match text.trim().parse::<usize>() {
                    Ok(at) => words.get(at).cloned().or(Some(Word::empty())),
                    Err(_) => Some(Word::hole(format!("{name}[…]"), many)),
                },
                None => Some(Word::hole(format!("{name}[…]"), many)),
            };
        }
        match name {
            "@" | "*" => return Some(joined(scope.args.get(1..).unwrap_or(&[]))),
            "HOME" if scope.get(name).is_none() => {
                return self.home.clone().map(Word::Literal);
            }
            "PWD" if scope.get(name).is_none() => {
                return scope.cwd.clone().map(Word::Literal);
            }
            "IFS" if scope.get(name).is_none() => return Some(Word::Literal(" \t\n".into())),
            "#" => {
                let known = scope.args.iter().all(|arg| !arg.is_many());
                return known
                    .then(|| Word::Literal((scope.args.len().saturating_sub(1)).to_string()));
            }
            "?" | "$" | "!" | "-" => return None,
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

    fn changed(
        &mut self,
        value: Option<Word>,
        name: &str,
        change: &Change,
        scope: &mut Scope,
        many: bool,
    ) -> Word {
        let unset = || Word::hole(format!("${name}"), many);
        let is_empty = value.as_ref().is_none_or(|word| word.literal() == Some(""));
        match change {
            Change::Plain => value.unwrap_or_else(unset),
            Change::Default { word, assign } => {
                let word = self.single(word, scope);
                if !is_empty {
                    return value.unwrap_or(word);
                }
                if *assign {
                    scope.set(name, Value::Scalar(word.clone()));
                }
                word
            }
            Change::Alternative(word) => {
                let word = self.single(word, scope);
                if value.is_some() && is_empty { Word::empty() } else { word }
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
                    scope.scalar(&target).unwrap_or_else(|| Word::hole(format!("${target}"), many))
                }
                None => unset(),
            },
            Change::Other => value.unwrap_or_else(unset),
        }
    }

    /// The value with its text rewritten; `None` when the pattern is not known.
    fn rewritten(&mut self, value: &Word, change: &Change, scope: &mut Scope) -> Option<Word> {
        let long = value.size() > 8192;
        if long && matches!(change, Change::Trim { .. }) {
            return None;
        }
        self.spend(value.size() / 16);
        Some(match change {
            Change::Trim { prefix, longest, pattern } => {
                let pattern = self.single(pattern, scope);
                let pattern = pattern.literal()?;
                value.map(|text| trim(text, pattern, *prefix, *longest))
            }
            Change::Replace { all, pattern, with } => {
                let (pattern, with) = (self.single(pattern, scope), self.single(with, scope));
                let (pattern, with) = (pattern.literal()?, with.literal()?);
                value.map(|text| replace(text, pattern, with, *all))
            }
            Change::Case { upper, all } => value.map(|text| change_case(text, *upper, *all)),
            Change::Slice(word) => {
                let slice = self.single(word, scope);
                let slice = slice.literal()?;
                value.map(|text| cut(text, slice))
            }
            Change::Plain
            | Change::Default { .. }
            | Change::Alternative(_)
            | Change::Require(_)
            | Change::Length
            | Change::Indirect
            | Change::Other => return None,
        })
    }
}

fn is_list(name: &str, index: Option<&Raw>) -> bool {
    name == "@" && index.is_none() || index.and_then(Raw::plain).as_deref() == Some("@")
}

fn elements(name: &str, scope: &Scope) -> Vec<Word> {
    if name == "@" {
        return scope.args.get(1..).unwrap_or(&[]).to_vec();
    }
    match scope.get(name) {
        Some(Value::Array(words)) => words.clone(),
        Some(Value::Scalar(word)) => vec![word.clone()],
        None => vec![Word::hole(format!("${name}[@]"), true)],
    }
}

fn joined(words: &[Word]) -> Word {
    let mut out = Word::empty();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            out.push_text(" ");
        }
        out.push_word(word);
    }
    out
}

fn unquoted(fields: &mut Fields, value: &Word, separators: &str) {
    match value {
        Word::Literal(text) => fields.split(text, separators),
        // Several values with blanks in them are told apart by the caller, one run each, but for
        // those that an operator made.
        Word::OneOf(all) if all.iter().any(|text| text.contains(|c| separators.contains(c))) => {
            let piece = Piece::Hole { what: "one of several".into(), many: true };
            fields.word().push_piece(piece);
        }
        Word::OneOf(_) => fields.word().push_word(value),
        Word::Partial(pieces) => {
            for piece in pieces {
                match piece {
                    Piece::Text(text) => fields.split(text, separators),
                    Piece::Glob(_) | Piece::Hole { .. } => fields.word().push_piece(piece.clone()),
                }
            }
        }
    }
}
