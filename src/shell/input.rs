//! `read`, `mapfile`, `getopts`: variables that get what stands on an input.

use std::collections::HashSet;

use super::eval::{Printed, Reader};
use super::fields::columns;
use super::run::Call;
use super::scope::{Scope, Value};
use super::types::{Piece, Stdin, Word};

/// What `read` or `mapfile` was told.
#[derive(Default)]
struct Options {
    names: Vec<String>,
    array: bool,
    raw: bool,
    /// Reads something else than whole lines.
    odd: bool,
    descriptor: Option<u32>,
    callback: Option<Word>,
}

fn options(call: &Call<'_>) -> Options {
    let is_read = call.arg(0) == Some("read");
    let valued = if is_read { "adinNptu" } else { "dnOsuCc" };
    let mut options = Options { array: !is_read, raw: !is_read, ..Options::default() };
    let mut index = 1;
    while let Some(word) = call.argv.get(index) {
        index += 1;
        let Some(letters) = word.literal().and_then(|text| text.strip_prefix('-')) else {
            match word.literal() {
                Some(name) => options.names.push(name.to_owned()),
                // Which variable it is, is not known.
                None => options.odd = true,
            }
            continue;
        };
        for (at, letter) in letters.char_indices() {
            options.raw |= letter == 'r';
            if !valued.contains(letter) {
                continue;
            }
            let attached = letters.get(at + 1..).unwrap_or("");
            let value = if attached.is_empty() {
                index += 1;
                call.argv.get(index - 1).cloned().unwrap_or(Word::empty())
            } else {
                Word::Literal(attached.to_owned())
            };
            match letter {
                'a' => {
                    options.array = true;
                    options.names.extend(value.literal().map(str::to_owned));
                }
                'u' => options.descriptor = value.literal().and_then(|text| text.parse().ok()),
                'C' => options.callback = Some(value),
                'p' | 't' | 'i' | 'c' => {}
                // `find -print0` and the like: names instead of lines.
                'd' if value.literal() == Some("") => {}
                _ => options.odd = true,
            }
            break;
        }
    }
    options
}

/// `read a b`: the values are the lines of a known input, else unknown.
pub(super) fn read(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Printed {
    let mut options = options(call);
    let whole = options.names.is_empty();
    if whole {
        options.names.push(if options.array { "MAPFILE".into() } else { "REPLY".into() });
    }
    reader.read_names.extend(options.names.iter().cloned());
    if let Some(code) = &options.callback {
        // It is given an index and a line.
        let mut code = code.clone();
        code.push_text(" ");
        code.push_piece(Piece::Hole { what: "line".into(), many: true });
        reader.launched_code("mapfile -C", &code, &[], scope, &Stdin::Inherited);
    }
    let text = match (options.descriptor, call.input) {
        (Some(descriptor), _) => scope.descriptors.get(&descriptor).cloned(),
        (None, Stdin::Text(text)) => Some(text.clone()),
        (None, Stdin::Inherited | Stdin::File(_) | Stdin::Unknown) => None,
    };
    let text = text.filter(|text| !options.odd && reader.spend(text.len() / 16));
    let text = text.and_then(|text| if options.raw { Some(text) } else { unescaped(&text) });
    let separators = call
        .env
        .iter()
        .find(|(name, _)| name == "IFS")
        .and_then(|(_, value)| value.literal().map(str::to_owned))
        .unwrap_or_else(|| scope.separators());
    let Some(text) = text else {
        for name in options.names {
            let value = Word::hole(format!("${name}"), true);
            let array = options.array.then(|| Value::Array(vec![value.clone()]));
            scope.set(&name, array.unwrap_or(Value::Scalar(value)));
        }
        return Some(String::new());
    };
    if options.array {
        if let Some(name) = options.names.first() {
            let words = array(&text, call, &separators);
            let unknown = || vec![Word::hole(format!("${name}[@]"), true)];
            scope.set(name, Value::Array(words.unwrap_or_else(unknown)));
        }
        return Some(String::new());
    }
    lines(&options.names, whole, &text, &separators, scope);
    Some(String::new())
}

/// The most different lines that are looked at; what more of them hold is not known.
const MAX_LINES: usize = 4_096;

/// Gives the names the columns of any of the lines, because a loop or a reader before may have taken
/// the others.
fn lines(names: &[String], whole: bool, text: &str, separators: &str, scope: &mut Scope) {
    let count = names.len();
    let mut values: Vec<Vec<String>> = vec![Vec::new(); count];
    let mut seen = HashSet::new();
    let full = |values: &[Vec<String>]| {
        values.iter().all(|column| column.len() > super::values::MAX_VALUES)
    };
    for line in text.split(['\n', '\0']).filter(|line| !line.is_empty()) {
        // A line says as much as all that are the same.
        if full(&values) || !seen.insert(line) {
            continue;
        }
        if seen.len() > MAX_LINES {
            for name in names {
                scope.set(name, Value::Scalar(Word::hole(format!("${name}"), true)));
            }
            return;
        }
        let line = line.strip_suffix('\r').unwrap_or(line);
        let fields = if whole { vec![line.to_owned()] } else { columns(line, count, separators) };
        for (column, field) in values.iter_mut().zip(fields) {
            // One more than a word can hold says that they are many.
            if column.len() <= super::values::MAX_VALUES && !column.contains(&field) {
                column.push(field);
            }
        }
    }
    for (name, values) in names.iter().zip(values) {
        scope.set(name, Value::Scalar(Word::one_of(values)));
    }
}

/// The elements that `read -a` and `mapfile` make; `None` when it may be one line or another.
fn array(text: &str, call: &Call<'_>, separators: &str) -> Option<Vec<Word>> {
    if call.arg(0) == Some("read") {
        if text.lines().count() > 1 {
            return None;
        }
        let mut fields = super::fields::Fields::default();
        fields.split(text.lines().next().unwrap_or(""), separators);
        fields.close();
        return Some(fields.done);
    }
    let strips = call
        .argv
        .iter()
        .filter_map(Word::literal)
        .any(|text| text.starts_with('-') && text.contains('t'));
    let pieces = text.split_inclusive('\n');
    let words = pieces.map(|line| {
        let line = if strips { line.strip_suffix('\n').unwrap_or(line) } else { line };
        Word::Literal(line.to_owned())
    });
    Some(words.collect())
}

/// What `read` without `-r` makes of backslashes; `None` where they hide a separator or a line end.
fn unescaped(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return Some(text.to_owned());
    }
    let mut out = String::new();
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        let next = rest.next()?;
        if !(next.is_alphanumeric() || next == '\\' || next == '-') {
            return None;
        }
        out.push(next);
    }
    Some(out)
}

/// `getopts`: which option and which value it finds is not followed.
pub(super) fn getopts(call: &Call<'_>, scope: &mut Scope) -> Printed {
    for name in [call.arg(2).unwrap_or("_"), "OPTARG", "OPTIND"] {
        scope.set(name, Value::Scalar(Word::hole(format!("${name}"), true)));
    }
    Some(String::new())
}
