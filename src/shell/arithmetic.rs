//! Small arithmetic on known numbers: enough for `$((i+1))`; anything else is unknown.

/// The value of `+ - * / %` and parentheses over whole numbers; `None` for anything else.
pub(super) fn evaluate(text: &str) -> Option<i64> {
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
