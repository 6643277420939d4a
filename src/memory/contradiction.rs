//! Does one note contradict another? A narrow test on words, the same as Cortex's.
//!
//! It matters here only through its veto: a contradicted decision is contested, not retired. ASCII
//! only, on purpose as there: texts without ASCII words contradict nothing.

#![forbid(unsafe_code)]

use std::collections::BTreeSet;

use once_cell::sync::Lazy;

/// The most parts of a note that are looked at.
const MAX_PARTS: usize = 4000;

const NEGATORS: &[&str] = &[
    "not", "no", "never", "none", "neither", "nor", "dont", "doesnt", "didnt", "cannot", "cant",
    "wont", "shouldnt", "isnt", "arent",
];

const ANTONYMS: &[(&str, &str)] = &[
    ("enable", "disable"),
    ("add", "remove"),
    ("allow", "deny"),
    ("include", "exclude"),
    ("keep", "drop"),
    ("always", "never"),
    ("required", "optional"),
    ("sync", "async"),
    ("accept", "reject"),
    ("start", "stop"),
    ("show", "hide"),
    ("increase", "decrease"),
    ("true", "false"),
];

const STOP: &[&str] = &[
    "a", "an", "the", "is", "are", "was", "were", "be", "been", "being", "by", "for", "of", "to",
    "in", "into", "at", "with", "without", "from", "as", "on", "off", "over", "under", "per",
    "via", "and", "or", "but", "so", "if", "then", "than", "that", "this", "these", "those", "it",
    "its", "we", "our", "us", "you", "your", "they", "their", "them", "has", "have", "had", "do",
    "does", "did", "will", "would", "should", "could", "can", "may", "might", "must", "shall",
    "all", "any", "some", "each", "every", "both", "other", "more", "most", "less", "very", "just",
    "only", "also", "too", "still", "yet", "now", "here", "there", "when", "where", "while",
    "before", "after", "between", "during", "because", "about",
];

const SKIP_ADVERBS: &[&str] = &[
    "longer",
    "currently",
    "again",
    "ever",
    "anymore",
    "necessarily",
    "really",
    "actually",
    "strictly",
    "explicitly",
    "generally",
    "usually",
    "normally",
    "typically",
    "automatically",
];

const LIMITERS: &[&str] = &["only", "just", "solely", "merely", "simply"];

/// Whether two notes contradict each other; symmetric.
pub fn contradict(left: &str, right: &str) -> bool {
    let (left, right) = (Words::of(left), Words::of(right));
    if left.core.is_empty() || right.core.is_empty() {
        return false;
    }
    let shared = left.core.intersection(&right.core).count();
    let larger = left.core.len().max(right.core.len());
    // Ratios as whole numbers: shared / larger < 1/2, ≥ 4/5.
    if shared < 2 || shared * 2 < larger {
        return false;
    }
    let left_heads = left.heads.iter().any(|head| right.all.contains(head));
    let right_heads = right.heads.iter().any(|head| left.all.contains(head));
    if left_heads != right_heads {
        return true;
    }
    shared * 5 >= larger * 4 && ANTONYMS.iter().any(|pair| opposed(pair, &left.all, &right.all))
}

/// Whether the two sides hold opposite members of the pair and neither holds both.
fn opposed(pair: &(&str, &str), left: &BTreeSet<String>, right: &BTreeSet<String>) -> bool {
    let (first, second) = (stem(pair.0), stem(pair.1));
    let holds = |words: &BTreeSet<String>| (words.contains(&first), words.contains(&second));
    matches!(
        (holds(left), holds(right)),
        ((true, false), (false, true)) | ((false, true), (true, false))
    )
}

/// A note's words, as the test sees them.
struct Words {
    /// All stems.
    all: BTreeSet<String>,
    /// Stems without polarity and stop words.
    core: BTreeSet<String>,
    /// For each negator the stem that it negates.
    heads: Vec<String>,
}

/// A part of a token; `fragment` if the token held `.`, `_`, `/` or `-`.
struct Part {
    text: String,
    fragment: bool,
}

impl Words {
    fn of(note: &str) -> Self {
        let parts = parts(note);
        let (polarity, stop) = (&*POLARITY, &*STOP_STEMS);
        let stems: Vec<String> = parts.iter().map(|part| stem(&part.text)).collect();
        let all: BTreeSet<String> = stems.iter().cloned().collect();
        let core = all
            .iter()
            .filter(|word| !polarity.contains(*word) && !stop.contains(*word))
            .cloned()
            .collect();
        let mut heads = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            if part.fragment || !NEGATORS.contains(&part.text.as_str()) {
                continue;
            }
            let after = index + 1;
            if parts.get(after).is_some_and(|next| LIMITERS.contains(&next.text.as_str())) {
                continue;
            }
            let head = (after..after + 4).find_map(|at| {
                let (part, stem) = (parts.get(at)?, stems.get(at)?);
                let skipped = polarity.contains(stem)
                    || stop.contains(stem)
                    || SKIP_ADVERBS.contains(&part.text.as_str());
                (!skipped).then(|| stem.clone())
            });
            heads.extend(head);
        }
        Self { all, core, heads }
    }
}

/// Stems of all negators and antonyms.
static POLARITY: Lazy<BTreeSet<String>> = Lazy::new(|| {
    let antonyms = ANTONYMS.iter().flat_map(|pair| [pair.0, pair.1]);
    NEGATORS.iter().copied().chain(antonyms).map(stem).collect()
});

static STOP_STEMS: Lazy<BTreeSet<String>> =
    Lazy::new(|| STOP.iter().map(|word| stem(word)).collect());

fn parts(note: &str) -> Vec<Part> {
    let lower: String = note.to_lowercase().chars().filter(|c| !matches!(c, '\'' | '’')).collect();
    let mut found = Vec::new();
    let in_token = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._/-".contains(c);
    for token in lower.split(|c| !in_token(c)) {
        // A token begins with a letter or digit.
        let token = token.trim_start_matches(['.', '_', '/', '-']);
        let fragment = token.contains(['.', '_', '/', '-']);
        for piece in token.split(['.', '_', '/', '-']).filter(|piece| piece.len() > 1) {
            if found.len() >= MAX_PARTS {
                return found;
            }
            found.push(Part { text: piece.to_owned(), fragment });
        }
    }
    found
}

/// A light stemmer: plural, -ing or -ed, -ion, a last -e; never shorter than three letters.
fn stem(word: &str) -> String {
    let mut word = word.to_owned();
    let vowel = |text: &str| text.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    let cut = |word: &mut String, end: &str, wants_vowel: bool| {
        let Some(rest) = word.strip_suffix(end) else { return false };
        if rest.len() < 3 || wants_vowel && !vowel(rest) {
            return false;
        }
        *word = rest.to_owned();
        true
    };
    if word.ends_with("sses") {
        word.truncate(word.len() - 2);
    } else if word.ends_with("ies") {
        cut(&mut word, "ies", false);
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        cut(&mut word, "s", false);
    }
    if !cut(&mut word, "ing", true) {
        cut(&mut word, "ed", true);
    }
    cut(&mut word, "ion", true);
    if word.ends_with('e') && word.len() >= 5 {
        word.pop();
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_the_ones_that_cortex_computes() {
        for (word, expected) in [
            ("ceiling", "ceil"),
            ("noted", "not"),
            ("session", "sess"),
            ("caching", "cach"),
            ("required", "requir"),
            ("retries", "retr"),
            ("retry", "retry"),
            ("used", "used"),
            ("using", "using"),
            ("caches", "cach"),
            ("classes", "class"),
        ] {
            assert_eq!(stem(word), expected, "{word}");
        }
    }

    #[test]
    fn contradictions_are_seen_and_refinements_are_not() {
        for (left, right, expected) in [
            ("always retry the flaky upload step", "never retry the flaky upload step", true),
            ("retry the flaky upload step", "never retry the flaky upload step", true),
            ("never retry the flaky upload step", "never retry the flaky upload step twice", false),
            ("vendor the parser sources", "don't vendor the parser sources", true),
            ("the parser change was noted", "the parser change was noting", false),
            (
                "run commit hook with --no-verify flag",
                "run commit hook with the verify flag",
                false,
            ),
            ("the flush step is a no-op", "the flush step is never a no-op", true),
            ("cache briefs", "do not cache sessions", false),
            (
                "start the language server lazily per repository",
                "stop the language server on idle repository",
                false,
            ),
            ("required for rank mode", "optional for shadow mode", false),
            ("flush spool at turn end", "flush spool not only at turn end", false),
            (
                "use postgres for the primary store",
                "we no longer use postgres for the primary store",
                true,
            ),
            (
                "use postgres for the primary store",
                "not currently use postgres for the primary store",
                true,
            ),
            (
                "use postgres for the primary store",
                "never again use postgres for the primary store",
                true,
            ),
            (
                "use postgres for the primary store",
                "use postgres for the primary store, not mysql",
                false,
            ),
            ("use postgres", "use mysql", false),
            ("The ceiling is sixty seconds.", "The ceiling is not sixty seconds.", true),
            ("The ceiling is sixty seconds.", "The ceiling is thirty seconds.", false),
            ("enable parser cache layer", "disable parser cache layer", true),
            ("", "never", false),
            ("потолок шестьдесят секунд", "потолок не шестьдесят секунд", false),
        ] {
            assert_eq!(contradict(left, right), expected, "{left} / {right}");
            assert_eq!(contradict(right, left), expected, "{right} / {left}");
        }
    }
}
