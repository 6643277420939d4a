//! Brace expansion: `a{b,c}`, `{1..3}`, nested; before anything else, on unquoted text only.

use super::tree::{Part, Raw};

/// The most words one word may expand to.
const MAX_WORDS: usize = 128;

#[derive(Clone)]
enum Token {
    Char(char),
    Whole(Part),
}

/// The longest unquoted text in which braces are expanded.
const MAX_TEXT: usize = 2048;

/// Expands the braces of a word; the word itself when it has none, `None` when they are too many.
pub(super) fn expand(raw: &Raw) -> Option<Vec<Raw>> {
    let has = raw.parts.iter().any(|part| matches!(part, Part::Bare(text) if text.contains('{')));
    if !has {
        return Some(vec![raw.clone()]);
    }
    let length: usize = raw
        .parts
        .iter()
        .map(|part| match part {
            Part::Bare(text) => text.len(),
            Part::Quoted(_)
            | Part::Variable { .. }
            | Part::Command { .. }
            | Part::Process { .. }
            | Part::Arithmetic { .. } => 1,
        })
        .sum();
    if length > MAX_TEXT {
        return None;
    }
    let tokens: Vec<Token> = raw
        .parts
        .iter()
        .flat_map(|part| match part {
            Part::Bare(text) => text.chars().map(Token::Char).collect::<Vec<_>>(),
            other @ Part::Quoted(_)
            | other @ Part::Variable { .. }
            | other @ Part::Command { .. }
            | other @ Part::Process { .. }
            | other @ Part::Arithmetic { .. } => vec![Token::Whole(other.clone())],
        })
        .collect();
    Some(words(&tokens, 0).into_iter().map(|tokens| join(&tokens)).collect())
}

fn words(tokens: &[Token], depth: usize) -> Vec<Vec<Token>> {
    if depth > 16 {
        return vec![tokens.to_vec()];
    }
    let mut from = 0;
    while let Some((open, close, commas)) = group(tokens, from) {
        let inside = tokens.get(open + 1..close).unwrap_or(&[]);
        let arms = if commas.is_empty() {
            range(inside)
        } else {
            Some(split(tokens, open, close, &commas))
        };
        let Some(arms) = arms else {
            from = open + 1;
            continue;
        };
        let head = tokens.get(..open).unwrap_or(&[]);
        let tails = words(tokens.get(close + 1..).unwrap_or(&[]), depth + 1);
        let mut out = Vec::new();
        for arm in arms {
            for middle in words(&arm, depth + 1) {
                for tail in &tails {
                    if out.len() >= MAX_WORDS {
                        return out;
                    }
                    let mut word = head.to_vec();
                    word.extend(middle.iter().cloned());
                    word.extend(tail.iter().cloned());
                    out.push(word);
                }
            }
        }
        return out;
    }
    vec![tokens.to_vec()]
}

/// The first closed brace from `from` on: its ends and the commas at its own level.
fn group(tokens: &[Token], from: usize) -> Option<(usize, usize, Vec<usize>)> {
    let is = |index: usize, wanted: char| matches!(tokens.get(index), Some(Token::Char(c)) if *c == wanted);
    let mut open = from;
    // Each opener is tried once; the scan of one stops at the end of the word.
    for _ in 0..64 {
        open = (open..tokens.len()).find(|index| is(*index, '{'))?;
        let mut depth = 0_usize;
        let mut commas = Vec::new();
        for index in open..tokens.len() {
            if is(index, '{') {
                depth += 1;
            } else if is(index, ',') && depth == 1 {
                commas.push(index);
            } else if is(index, '}') {
                depth -= 1;
                if depth == 0 {
                    return Some((open, index, commas));
                }
            }
        }
        open += 1;
    }
    None
}

fn split(tokens: &[Token], open: usize, close: usize, commas: &[usize]) -> Vec<Vec<Token>> {
    let mut arms = Vec::new();
    let mut from = open + 1;
    for end in commas.iter().copied().chain([close]) {
        arms.push(tokens.get(from..end).unwrap_or(&[]).to_vec());
        from = end + 1;
    }
    arms
}

/// `1..3`, `a..e`, `1..9..2`.
fn range(inside: &[Token]) -> Option<Vec<Vec<Token>>> {
    let text: String = inside
        .iter()
        .map(|token| match token {
            Token::Char(character) => Some(*character),
            Token::Whole(_) => None,
        })
        .collect::<Option<_>>()?;
    let mut ends = text.split("..");
    let (low, high) = (ends.next()?, ends.next()?);
    let step: i64 = ends.next().map_or(Some(1), |step| step.parse().ok())?;
    let step = usize::try_from(step.unsigned_abs().max(1)).ok()?;
    let spell = |values: Vec<String>| {
        Some(values.into_iter().map(|value| value.chars().map(Token::Char).collect()).collect())
    };
    if let (Ok(low), Ok(high)) = (low.parse::<i64>(), high.parse::<i64>()) {
        let values: Vec<String> = if low <= high {
            (low..=high).step_by(step).take(MAX_WORDS).map(|n| n.to_string()).collect()
        } else {
            (high..=low).rev().step_by(step).take(MAX_WORDS).map(|n| n.to_string()).collect()
        };
        return spell(values);
    }
    let (mut first, mut last) = (low.chars(), high.chars());
    let (low, high) = (first.next()?, last.next()?);
    if first.next().is_some() || last.next().is_some() || !low.is_ascii() || !high.is_ascii() {
        return None;
    }
    let values = if low <= high {
        (low..=high).step_by(step).map(String::from).collect()
    } else {
        (high..=low).rev().step_by(step).map(String::from).collect()
    };
    spell(values)
}

fn join(tokens: &[Token]) -> Raw {
    let mut raw = Raw::default();
    let mut bare = String::new();
    for token in tokens {
        match token {
            Token::Char(character) => bare.push(*character),
            Token::Whole(part) => {
                if !bare.is_empty() {
                    raw.parts.push(Part::Bare(std::mem::take(&mut bare)));
                }
                raw.parts.push(part.clone());
            }
        }
    }
    if !bare.is_empty() {
        raw.parts.push(Part::Bare(bare));
    }
    raw
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_expand_as_in_bash() {
        for (word, expected) in [
            ("a{b,c}d", "abd acd"),
            ("{1..3}", "1 2 3"),
            ("{c..a}", "c b a"),
            ("x{,y}", "x xy"),
            ("{a,{b,c}}", "a b c"),
            ("{a}", "{a}"),
            ("{a,b", "{a,b"),
            ("{x{a,b}", "{xa {xb"),
            ("{1..9..4}", "1 5 9"),
        ] {
            let raw = Raw { parts: vec![Part::Bare(word.into())] };
            let words: Vec<_> =
                expand(&raw).unwrap_or_default().iter().filter_map(Raw::plain).collect();
            assert_eq!(words.join(" "), expected, "{word}");
        }
    }
}
