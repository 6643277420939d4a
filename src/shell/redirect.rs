//! Redirections, as they are written.

use super::scan::Scanner;
use super::tree::{RawRedirect, RedirectTarget};

impl Scanner<'_> {
    /// A redirection here, with its descriptor.
    pub(super) fn redirect(&mut self) -> Option<RawRedirect> {
        let start = self.at;
        let mut digits = 0;
        while self.ahead(digits).is_ascii_digit() && digits < 4 {
            digits += 1;
        }
        let mut fd = None;
        if digits > 0 {
            if !matches!(self.ahead(digits), b'<' | b'>') {
                return None;
            }
            fd = self.slice(start, start + digits).parse().ok();
            self.at += digits;
        } else if self.here() == b'{' {
            // `{name}>file`.
            let rest = self.bytes.get(self.at..).unwrap_or(&[]);
            let close = rest.iter().take(64).position(|byte| *byte == b'}')?;
            let name = rest.get(1..close)?;
            let after = rest.get(close + 1).copied().unwrap_or(0);
            if name.is_empty()
                || !name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                || !matches!(after, b'<' | b'>')
            {
                return None;
            }
            self.at += close + 1;
        }
        const OPERATORS: &[&str] =
            &["<<<", "<<-", "<<", "<>", "<&", ">>", ">|", ">&", "&>>", "&>", "<", ">"];
        let op = OPERATORS.iter().find(|op| self.starts(op));
        let Some(op) = op.copied() else {
            self.at = start;
            return None;
        };
        if matches!(op, "<" | ">") && self.ahead(1) == b'(' {
            // A process substitution is a word.
            self.at = start;
            return None;
        }
        self.at += op.len();
        self.blanks();
        let from = self.at;
        let word = self.word();
        let spelled = self.slice(from, self.at);
        let target = match op {
            "<<" | "<<-" => RedirectTarget::Here(self.here_doc(&word, spelled, op == "<<-")),
            _ => RedirectTarget::Word(word),
        };
        Some(RawRedirect { fd, op, target })
    }
}
