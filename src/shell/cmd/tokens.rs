//! `for /f`: how a line is taken apart into the loop's variables.

/// The longest line that is taken apart.
const MAX_LINE: usize = 8_192;

/// The values of the loop's variables, the named one first: `tokens=1,3-4,*` and `delims=,;` of the
/// options; without them the first word.
pub(super) fn tokens(line: &str, options: &str) -> Vec<String> {
    let options = options.trim_matches('"');
    let lower = options.to_ascii_lowercase();
    let delimiters: &str = lower
        .find("delims=")
        .and_then(|at| options.get(at + 7..))
        // A blank among them only counts at the very end.
        .map_or(" \t", |rest| rest.split(' ').next().filter(|own| !own.is_empty()).unwrap_or(""));
    let wanted = lower
        .find("tokens=")
        .and_then(|at| lower.get(at + 7..))
        .and_then(|rest| rest.split_whitespace().next())
        .unwrap_or("1");
    if line.contains(super::UNKNOWN) || line.len() > MAX_LINE {
        return vec![super::UNKNOWN.to_owned(); 8];
    }
    if delimiters.is_empty() {
        return vec![line.to_owned()];
    }
    let is_delimiter = |c: char| delimiters.contains(c);
    let mut out = Vec::new();
    let mut last = 0;
    for part in wanted.split(',').take(26) {
        let (numbers, rest) = match part.strip_suffix('*') {
            Some(numbers) => (numbers, true),
            None => (part, false),
        };
        let (low, high) = numbers.split_once('-').unwrap_or((numbers, numbers));
        if let (Ok(low), Ok(high)) = (low.parse::<usize>(), high.parse::<usize>()) {
            for place in low.max(1)..=high.min(31) {
                let own = line.split(is_delimiter).filter(|token| !token.is_empty());
                out.push(own.clone().nth(place - 1).unwrap_or("").to_owned());
                last = place;
            }
        }
        if rest {
            out.push(after(line, last, is_delimiter).to_owned());
        }
    }
    out
}

/// What is left of a line after so many tokens.
fn after(line: &str, count: usize, is_delimiter: impl Fn(char) -> bool) -> &str {
    let mut rest = line.trim_start_matches(&is_delimiter);
    for _ in 0..count {
        let end = rest.find(&is_delimiter).unwrap_or(rest.len());
        rest = rest.get(end..).unwrap_or("").trim_start_matches(&is_delimiter);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart_as_the_options_say() {
        for (line, options, expected) in [
            ("a b c", "", "a"),
            ("a b c", "\"tokens=1,3\"", "a|c"),
            ("a b c d", "\"tokens=2-3\"", "b|c"),
            ("a b c d", "\"tokens=1*\"", "a|b c d"),
            ("a b c", "\"tokens=*\"", "a b c"),
            ("x=y=z", "\"tokens=2 delims==\"", "y"),
            ("a b", "\"delims=\"", "a b"),
            ("a,b", "\"delims=, tokens=2\"", "b"),
        ] {
            assert_eq!(tokens(line, options).join("|"), expected, "{line} {options}");
        }
    }
}
