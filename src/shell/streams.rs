//! Redirections, process substitutions and what flows through them.

use std::rc::Rc;

use super::eval::{Printed, Reader};
use super::scope::Scope;
use super::tree::{Node, RawRedirect, RedirectTarget};
use super::types::{Redirect, Stdin, Word};
use super::values::BYTES_COPIED;

impl Reader<'_> {
    /// A compound command with redirections: its input and where its output goes.
    pub(super) fn redirected(
        &mut self,
        inner: &Node,
        raws: &[RawRedirect],
        scope: &mut Scope,
        input: &Stdin,
    ) -> Printed {
        let (redirects, own) = self.redirects(raws, scope);
        let printed = self.eval(inner, scope, own.as_ref().unwrap_or(input));
        if !redirects.is_empty() {
            // The redirections count although no program of their own stands beside them.
            self.invocation(
                vec![Word::Literal("{".into())],
                scope,
                redirects.clone(),
                input.clone(),
                &[],
            );
        }
        self.routed(printed, &redirects, scope)
    }

    /// Sends printed text to the file that a redirection names.
    pub(super) fn routed(
        &mut self,
        printed: Printed,
        redirects: &[Redirect],
        scope: &mut Scope,
    ) -> Printed {
        let mut printed = printed;
        for redirect in redirects {
            let out = matches!(redirect.op, ">" | ">>" | ">|" | "&>" | "&>>")
                && redirect.fd.is_none_or(|fd| fd == 1);
            if !out {
                continue;
            }
            if let Some(path) = redirect.target.literal() {
                self.feed(path, printed.as_deref(), scope);
                if let Some(text) = printed.take() {
                    let path = super::directory::absolute(scope.cwd.as_deref(), path)
                        .unwrap_or_else(|| path.to_owned());
                    scope.write(path, text, redirect.op.contains(">>"));
                }
            }
            printed = Some(String::new());
        }
        printed
    }

    /// Runs the output process substitution behind `path`, if there is one.
    pub(super) fn feed(&mut self, path: &str, text: Option<&str>, scope: &Scope) {
        let Some(index) = self.waiting.iter().position(|(known, _)| known == path) else { return };
        let (_, node) = self.waiting.swap_remove(index);
        let input = text.map_or(Stdin::Unknown, |text| Stdin::Text(text.to_owned()));
        self.inside(">(…)", |reader| reader.apart(&node, scope, &input));
    }

    /// `<( … )` and `>( … )`: a path that stands for the other end.
    pub(super) fn process(&mut self, node: Rc<Node>, reads: bool, scope: &mut Scope) -> Word {
        self.counter += 1;
        let path = format!("/dev/fd/{}", 1000 + self.counter);
        if !reads {
            self.waiting.push((path.clone(), node));
            // Many of them wait for nothing: they run with an input that is not known.
            if self.waiting.len() > 64 {
                self.feed(&path, None, scope);
            }
            return Word::Literal(path);
        }
        let printed = self.inside("<(…)", |reader| reader.apart(&node, scope, &Stdin::Inherited));
        if let Some(text) = printed {
            scope.write(path.clone(), text, false);
        }
        Word::Literal(path)
    }

    /// Expands redirections; the second value is the standard input they give.
    pub(super) fn redirects(
        &mut self,
        raws: &[RawRedirect],
        scope: &mut Scope,
    ) -> (Vec<Redirect>, Option<Stdin>) {
        let mut out = Vec::new();
        let mut input = None;
        for raw in raws {
            scope.owe(3);
            let (target, stdin) = match &raw.target {
                RedirectTarget::Here(body) => {
                    let word = match body.get() {
                        Some(body) => self.single(body, scope),
                        None => Word::empty(),
                    };
                    (Word::Literal("here-document".into()), Some(as_input(&word, "")))
                }
                RedirectTarget::Word(word) => {
                    let word = self.single(word, scope);
                    let stdin = match raw.op {
                        "<<<" => Some(as_input(&word, "\n")),
                        "<" | "<>" => Some(self.file_input(&word, scope)),
                        _ => None,
                    };
                    (word, stdin)
                }
            };
            match (raw.fd, stdin) {
                (None | Some(0), Some(stdin)) => input = Some(stdin),
                (Some(fd), Some(Stdin::Text(text))) => {
                    Rc::make_mut(&mut scope.descriptors).insert(fd, text);
                }
                _ => {}
            }
            if raw.op == "<&"
                && let Some(fd) = target.literal().and_then(|text| text.parse::<u32>().ok())
                && let Some(text) = scope.descriptors.get(&fd)
            {
                input = Some(Stdin::Text(text.clone()));
            }
            out.push(Redirect { fd: raw.fd, op: raw.op, target });
        }
        (out, input)
    }

    pub(super) fn file_input(&mut self, word: &Word, scope: &Scope) -> Stdin {
        match word.literal().and_then(|path| self.known_text(path, scope)) {
            Some(text) => Stdin::Text(text),
            None => Stdin::File(word.clone()),
        }
    }

    /// The text of a file that this text wrote, or of an open descriptor.
    pub(super) fn known_text(&self, path: &str, scope: &Scope) -> Option<String> {
        if let Some(fd) = path.strip_prefix("/dev/fd/").or(path.strip_prefix("/proc/self/fd/")) {
            let fd: u32 = fd.parse().ok()?;
            if let Some(text) = scope.descriptors.get(&fd) {
                scope.owe(text.len() / BYTES_COPIED);
                return Some(text.clone());
            }
        }
        let absolute = super::directory::absolute(scope.cwd.as_deref(), path);
        let written = scope.written.borrow();
        let known = absolute.and_then(|path| written.get(&path));
        let text = known.cloned().or_else(|| {
            let elsewhere = scope.cwd.is_none() || !scope.elsewhere.is_empty();
            // The one by that name, wherever this is.
            let name = path.strip_prefix("./").unwrap_or(path);
            scope.owe(written.len());
            let same = |known: &&String| {
                known.strip_suffix(name).is_some_and(|dir| dir.is_empty() || dir.ends_with('/'))
            };
            let relative = elsewhere && !path.starts_with('/');
            written
                .keys()
                .filter(|_| relative)
                .find(same)
                .and_then(|path| written.get(path))
                .cloned()
        })?;
        scope.owe(text.len() / BYTES_COPIED);
        Some(text)
    }

    /// Runs output substitutions that no redirection fed: `tee >(sh)`.
    pub(super) fn drain(&mut self, printed: Option<&str>, scope: &Scope) {
        while let Some((path, _)) = self.waiting.first().cloned() {
            self.feed(&path, printed, scope);
        }
    }
}

/// A word as standard input with `end` after it.
fn as_input(word: &Word, end: &str) -> Stdin {
    match word.as_code() {
        Some(texts) => Stdin::Text(texts.join("\n") + end),
        None => Stdin::Unknown,
    }
}
