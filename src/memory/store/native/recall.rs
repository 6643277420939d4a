//! What a model should be reminded of: notes on a question's words, by how rare the words are, how
//! new the note is and what kind it is; in a bound of tokens.
//!
//! Flat in the size of the store: of each word only the newest notes are weighed, so a word that half
//! of all notes hold costs no more than a rare one.

use std::collections::{BTreeSet, HashMap};

use rusqlite::Connection;

use super::error::StoreError;
use super::reader::Reader;
use super::row::{self, Entry};
use super::search::{MAX_WORDS, term};

/// How many notes with a word are weighed, the newest ones.
const NEWEST: i64 = 300;

/// How many of the weighed notes are read.
const READ: usize = 200;

/// In so many days a note loses half of what its age gives it.
const HALF_LIFE_DAYS: f64 = 30.0;

const DAY_MS: f64 = 86_400_000.0;

/// What a note costs besides its text: its id, kind and time.
const OVERHEAD_TOKENS: usize = 24;

/// One subagent's notes have one part in so many of an answer's tokens, unless others leave room.
const PARTS: usize = 4;

/// How many notes a brief chooses from, of each kind of writer, the newest ones.
const CHOICE: usize = 300;

/// So many of the newest active notes are looked through for them, so that a brief costs as much in any
/// store.
const SEEN: usize = 1_000;

/// Words that say nothing about what is asked for.
const IDLE: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "did", "do", "does", "for", "from",
    "had", "has", "have", "how", "i", "in", "is", "it", "its", "of", "on", "or", "our", "that",
    "the", "their", "there", "this", "to", "was", "we", "were", "what", "when", "where", "which",
    "who", "why", "will", "with", "you", "your",
];

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recall {
    /// The question, or any words.
    pub text: String,
    /// Only these kinds; all when empty.
    pub kinds: Vec<String>,
    /// Resolved and superseded notes too, below the active ones.
    pub retired: bool,
    /// The scope that is asked in: its notes come before those of others.
    pub scope: Option<String>,
    /// How many notes at the most.
    pub limit: usize,
    /// How many tokens at the most, four characters each.
    pub tokens: usize,
    /// RFC 3339.
    pub now: String,
}

/// A note that was recalled.
#[derive(Clone, Debug, PartialEq)]
pub struct Recalled {
    /// The note; its text ends in `…` when it was cut to fit.
    pub entry: Entry,
    /// Higher is better; comparable within one answer only.
    pub score: f64,
}

impl Reader {
    /// Recalls the notes that fit `order` best, best first. A text without any word recalls what is
    /// newest.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn recall(&self, order: &Recall) -> Result<Vec<Recalled>, StoreError> {
        let read = self.connection.unchecked_transaction()?;
        let scores = match words(&order.text) {
            words if words.is_empty() => newest(&read)?,
            words => scores(&read, &words)?,
        };
        let mut best: Vec<(i64, f64)> = scores.into_iter().collect();
        best.sort_by(|left, right| right.1.total_cmp(&left.1).then(right.0.cmp(&left.0)));
        best.truncate(READ);
        let mut recalled = Vec::new();
        for (seq, score) in best {
            let Some(entry) = row::by_seq(&read, seq)? else { continue };
            if let Some(factor) = order.factor(&entry) {
                recalled.push(Recalled { entry, score: score * factor });
            }
        }
        recalled.sort_by(|left, right| right.score.total_cmp(&left.score));
        Ok(fit(recalled, order))
    }

    /// What a session should know at its start: contested decisions first, then what is in focus,
    /// blocked and intended, then decisions and insights, each newest first; active ones only.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn brief(&self, scope: Option<&str>, tokens: usize) -> Result<Vec<Entry>, StoreError> {
        const ORDER: [&str; 5] = ["focus", "blocker", "intent", "decision", "insight"];
        let read = self.connection.unchecked_transaction()?;
        let place = |entry: &Entry| {
            let kind = ORDER.iter().position(|kind| *kind == entry.kind).unwrap_or(ORDER.len());
            (!entry.conflict, entry.scope.as_deref() != scope, kind)
        };
        let mut entries = Vec::new();
        // However many notes subagents wrote, the parents' are chosen from. The plus keeps SQLite from
        // walking through all notes by age for those of the few.
        for writers in ["IS NULL", "IS NOT NULL"] {
            let condition = format!(
                "seq IN (SELECT seq FROM notes WHERE status = 'active' \
                 ORDER BY created_at DESC, seq DESC LIMIT {SEEN}) \
                 AND agent {writers} ORDER BY +created_at DESC, seq DESC LIMIT {CHOICE}"
            );
            entries.extend(row::entries(&read, &condition, [])?);
        }
        entries.sort_by(|left, right| {
            place(left).cmp(&place(right)).then(right.created_at.cmp(&left.created_at))
        });
        let all = entries.into_iter().map(|entry| Recalled { entry, score: 0.0 }).collect();
        let order = Recall { tokens, limit: usize::MAX, ..Recall::default() };
        Ok(fit(all, &order).into_iter().map(|recalled| recalled.entry).collect())
    }
}

impl Recall {
    /// By how much what is no word of the text counts; `None` when the note is not asked for.
    fn factor(&self, entry: &Entry) -> Option<f64> {
        if !self.kinds.is_empty() && !self.kinds.contains(&entry.kind) {
            return None;
        }
        let status = match entry.status.as_str() {
            "active" => 1.0,
            _ if self.retired => 0.4,
            _ => return None,
        };
        let kind = match entry.kind.as_str() {
            "focus" => 1.0,
            "blocker" => 0.98,
            "decision" => 0.95,
            "intent" => 0.92,
            _ => 0.85,
        };
        let scope = if entry.scope == self.scope { 1.0 } else { 0.75 };
        let age = age_days(&entry.updated_at, &self.now);
        let recency = 0.5 + 0.5 * (-age / HALF_LIFE_DAYS).exp2();
        Some(status * kind * scope * recency)
    }
}

fn age_days(then: &str, now: &str) -> f64 {
    let ms =
        |text: &str| text.parse::<jiff::Timestamp>().map_or(0, jiff::Timestamp::as_millisecond);
    // Days fit into a float without loss that matters.
    #[allow(clippy::cast_precision_loss, reason = "a day more or less in 300,000 years")]
    let age = (ms(now) - ms(then)).max(0) as f64;
    age / DAY_MS
}

/// The words of a text, each once, without those that say nothing unless there are no others.
fn words(text: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let all: Vec<String> = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| seen.insert(word.clone()))
        .collect();
    let mut telling: Vec<String> =
        all.iter().filter(|word| !IDLE.contains(&word.as_str())).cloned().collect();
    if telling.is_empty() {
        telling = all;
    }
    telling.truncate(MAX_WORDS);
    telling
}

fn newest(connection: &Connection) -> rusqlite::Result<HashMap<i64, f64>> {
    let mut statement =
        connection.prepare_cached("SELECT seq FROM notes ORDER BY seq DESC LIMIT ?1")?;
    let rows = statement.query_map([NEWEST], |row| row.get(0))?;
    let mut score = 1.0;
    rows.map(|seq| {
        score *= 0.8;
        Ok((seq?, score))
    })
    .collect()
}

/// How much each of the weighed notes says about the words.
fn scores(connection: &Connection, words: &[String]) -> rusqlite::Result<HashMap<i64, f64>> {
    let last: i64 =
        connection.query_row("SELECT coalesce(max(seq), 0) FROM notes", [], |row| row.get(0))?;
    let mut scores: HashMap<i64, f64> = HashMap::new();
    let mut sum = 0.0;
    let terms: Vec<String> = words.iter().filter_map(|word| term(word)).collect();
    for term in &terms {
        let hits = hits(connection, term)?;
        let weight = weight(&hits, last);
        sum += weight;
        for hit in &hits {
            *scores.entry(*hit).or_default() += weight;
        }
        // What a note is about says more than what it mentions.
        for hit in self::hits(connection, &format!("subject : {term}"))? {
            *scores.entry(hit).or_default() += weight / 2.0;
        }
    }
    if terms.len() > 1 {
        // Older than the newest of each word, but with all of them.
        for hit in hits(connection, &terms.join(" "))? {
            let score = scores.entry(hit).or_default();
            *score = score.max(sum);
        }
    }
    Ok(scores)
}

/// The newest notes that match, newest first.
fn hits(connection: &Connection, query: &str) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare_cached(
        "SELECT rowid FROM notes_fts WHERE notes_fts MATCH ?1 ORDER BY rowid DESC LIMIT ?2",
    )?;
    statement.query_map(rusqlite::params![query, NEWEST], |row| row.get(0))?.collect()
}

/// How telling a word is: the rarer, the more. Of a word with more hits than are weighed, how many
/// there are in all is told by how closely the newest follow each other.
fn weight(hits: &[i64], last: i64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    let (count, all) = (hits.len() as f64, last.max(1) as f64);
    let full = i64::try_from(hits.len()).is_ok_and(|count| count >= NEWEST);
    let estimate = match (full, hits.last()) {
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        (true, Some(oldest)) => count * all / ((last - oldest).max(1) as f64),
        _ => count,
    };
    (1.0 + (all - estimate + 0.5).max(0.5) / (estimate + 0.5)).ln()
}

/// Keeps what fits into the tokens; when not even the first does, its text is cut.
///
/// One subagent's notes get their part of the tokens first, and more only where others leave room: a
/// loud one cannot talk the rest of the memory away.
fn fit(recalled: Vec<Recalled>, order: &Recall) -> Vec<Recalled> {
    let mut left = order.tokens;
    let mut fitting: Vec<Recalled> = Vec::new();
    let mut spent: HashMap<(String, String), usize> = HashMap::new();
    let mut later = Vec::new();
    for one in recalled {
        let cost = cost(&one.entry);
        if let Some(agent) = one.entry.agent.clone() {
            let part = spent.entry((one.entry.session.clone(), agent)).or_default();
            if *part + cost > order.tokens / PARTS {
                later.push(one);
                continue;
            }
            *part += cost;
        }
        take(one, cost, order, &mut left, &mut fitting);
    }
    for one in later {
        let cost = cost(&one.entry);
        take(one, cost, order, &mut left, &mut fitting);
    }
    fitting
}

/// Takes a note if there is room for it.
fn take(
    mut one: Recalled,
    cost: usize,
    order: &Recall,
    left: &mut usize,
    fitting: &mut Vec<Recalled>,
) {
    if fitting.len() >= order.limit {
        return;
    }
    if cost <= *left {
        *left -= cost;
        fitting.push(one);
    } else if fitting.is_empty() && *left > OVERHEAD_TOKENS {
        let letters = (*left - OVERHEAD_TOKENS) * 4;
        one.entry.alternatives.clear();
        one.entry.content = one.entry.content.chars().take(letters).collect();
        one.entry.content.push('…');
        *left = 0;
        fitting.push(one);
    }
}

fn cost(entry: &Entry) -> usize {
    let alternatives: usize = entry.alternatives.iter().map(|text| text.chars().count()).sum();
    let subject = entry.subject.as_deref().map_or(0, |subject| subject.chars().count());
    OVERHEAD_TOKENS + (entry.content.chars().count() + subject + alternatives).div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_meaning_count_only_alone() {
        assert_eq!(words("What is the Retry-Ceiling, the retry?"), ["retry", "ceiling"]);
        assert_eq!(words("what is it"), ["what", "is", "it"]);
        assert_eq!(words("\"' -- *"), Vec::<String>::new());
    }

    #[test]
    fn a_rare_word_weighs_more_than_a_common_one() {
        let rare = weight(&[7], 100_000);
        let common: Vec<i64> = (99_700..100_000).rev().collect();
        let spread: Vec<i64> = (0..300).map(|n| 100_000 - n * 100).collect();
        assert!(rare > weight(&spread, 100_000));
        assert!(weight(&spread, 100_000) > weight(&common, 100_000));
    }
}
