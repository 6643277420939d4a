//! Small arithmetic on known numbers: enough for `$((i+1))`; anything else is unknown.

use super::eval::Reader;
use super::scope::{Scope, Value};
use super::tree::{Part, Raw};
use super::types::Word;

impl Reader<'_> {
    /// Runs what is substituted in an arithmetic text, does its assignments, and returns its value
    /// where it is known.
    pub(super) fn arithmetic(&mut self, text: &Raw, scope: &mut Scope) -> Option<i64> {
        let word = self.single(text, scope);
        let mut value = None;
        let Some(text) = word.literal() else {
            for piece in word.as_code().unwrap_or_default() {
                forget(&piece, scope);
            }
            return None;
        };
        super::subscript::names_in(self, text, scope);
        // `for ((a; b; c))` has three of them.
        for part in text.split([',', ';']) {
            value = self.assignment(part.trim(), scope);
        }
        value
    }

    /// The number of an array's element.
    pub(super) fn index(&mut self, text: &str, scope: &mut Scope) -> Option<i64> {
        super::subscript::names_in(self, text, scope);
        self.number(text, scope)
    }

    /// A number that may be spelled with variables.
    pub(super) fn number(&self, text: &str, scope: &Scope) -> Option<i64> {
        evaluate(&with_values(text, scope)?)
    }

    /// One expression: `i=1`, `i+=2`, `i++`, or a value.
    fn assignment(&mut self, text: &str, scope: &mut Scope) -> Option<i64> {
        self.spend(1 + text.len() / 64);
        let bare = text.trim_matches(['+', '-']);
        let steps = text.len() == bare.len() + 2 && is_name(bare);
        if steps && (text.contains("++") || text.contains("--")) {
            let before = self.number(bare, scope)?;
            let after = before.checked_add(if text.contains("++") { 1 } else { -1 })?;
            scope.set(bare, Value::Scalar(Word::Literal(after.to_string())));
            return Some(if text.starts_with(bare) { before } else { after });
        }
        if let Some((name, expression)) = text.split_once('=')
            && !expression.starts_with('=')
        {
            let operator = name.trim_end().chars().last().filter(|c| "+-*/%".contains(*c));
            let target = name.trim_end().trim_end_matches(['+', '-', '*', '/', '%']).trim();
            if is_name(target) && !expression.contains(['=', '?', '&', '|']) {
                let right = self.number(expression, scope);
                let value = match (operator, right) {
                    (None, right) => right,
                    (Some(operator), Some(right)) => {
                        self.number(&format!("{target}{operator}({right})"), scope)
                    }
                    (Some(_), None) => None,
                };
                let word = value.map_or_else(
                    || Word::hole(format!("${target}"), false),
                    |value| Word::Literal(value.to_string()),
                );
                scope.set(target, Value::Scalar(word));
                return value;
            }
        }
        forget(text, scope);
        self.number(text, scope)
    }
}

/// Every variable that an arithmetic text may assign is not known any more.
pub(super) fn forget_assigned(text: &Raw, scope: &mut Scope) {
    for part in &text.parts {
        if let Part::Bare(text) | Part::Quoted(text) = part {
            forget(text, scope);
        }
    }
}

fn forget(text: &str, scope: &mut Scope) {
    let assigns = text.contains("++") || text.contains("--") || text.contains('=');
    if !assigns {
        return;
    }
    for name in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
        if is_name(name) && scope.get(name).is_some() {
            scope.set(name, Value::Scalar(Word::hole(format!("${name}"), false)));
        }
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The text with variables replaced by the numbers that they hold.
fn with_values(text: &str, scope: &Scope) -> Option<String> {
    if text.len() > 128 {
        return None;
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (token, tail) = rest.split_at(length.max(first.len_utf8()));
        rest = tail;
        if !is_name(token) {
            out.push_str(token);
            continue;
        }
        let value = scope.scalar(token)?;
        let number: i64 = match value.literal()?.trim() {
            "" => 0,
            text => text.parse().ok()?,
        };
        out.push_str(&format!("({number})"));
    }
    Some(out)
}

/// The value of `+ - * / %` and parentheses over whole numbers; `None` for anything else.
fn evaluate(text: &str) -> Option<i64> {
    if text.len() > 128 {
        return None;
    }
    let mut rest = text.trim();
    let value = sum(&mut rest, 0)?;
    rest.trim().is_empty().then_some(value)
}

fn sum(rest: &mut &str, depth: usize) -> Option<i64> {
    let mut value = product(rest, depth)?;
    loop {
        *rest = rest.trim_start();
        let minus = rest.starts_with('-');
        if !minus && !rest.starts_with('+') {
            return Some(value);
        }
        *rest = rest.get(1..)?;
        let right = product(rest, depth)?;
        value = if minus { value.checked_sub(right)? } else { value.checked_add(right)? };
    }
}

fn product(rest: &mut &str, depth: usize) -> Option<i64> {
    let mut value = atom(rest, depth)?;
    loop {
        *rest = rest.trim_start();
        let operator = rest.chars().next().filter(|c| "*/%".contains(*c));
        let Some(operator) = operator else { return Some(value) };
        *rest = rest.get(1..)?;
        let right = atom(rest, depth)?;
        value = match operator {
            '*' => value.checked_mul(right)?,
            '/' => value.checked_div(right)?,
            _ => value.checked_rem(right)?,
        };
    }
}

fn atom(rest: &mut &str, depth: usize) -> Option<i64> {
    *rest = rest.trim_start();
    if depth > 16 {
        return None;
    }
    if let Some(inner) = rest.strip_prefix('(') {
        *rest = inner;
        let value = sum(rest, depth + 1)?;
        *rest = rest.trim_start().strip_prefix(')')?;
        return Some(value);
    }
    if let Some(inner) = rest.strip_prefix('-') {
        *rest = inner;
        return atom(rest, depth + 1)?.checked_neg();
    }
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, tail) = rest.split_at(length);
    *rest = tail;
    // A leading zero makes it octal.
    if digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_sums_are_known_and_names_are_not() {
        assert_eq!(evaluate("1 + 2*(3-1)"), Some(5));
        assert_eq!(evaluate("-7 % 4"), Some(-3));
        assert_eq!(evaluate("i+1"), None);
        assert_eq!(evaluate("1/0"), None);
    }
}
