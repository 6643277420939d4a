//! xargs, parallel, find: a template that runs once for each value.

use super::eval::{MAX_PRINTED, Printed, Reader};
use super::launch::join;
use super::run::Call;
use super::scope::Scope;
use super::types::{Stdin, What, Word};
use super::values::BYTES_COPIED;

pub(super) fn xargs(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let Options { index, replace, delimiter, most, file, odd } = options(call);
    let input = match &file {
        Some(word) => word.literal().and_then(|path| reader.known_text(path, scope)),
        None => match call.input {
            Stdin::Text(text) => Some(text.clone()),
            Stdin::Inherited | Stdin::File(_) | Stdin::Unknown => None,
        },
    };
    let template = call.argv.get(index..).unwrap_or(&[]);
    let echo = [Word::Literal("echo".into())];
    let template = if template.is_empty() { &echo } else { template };
    let unknown = Word::hole("xargs", true);
    let Some(mark) = replace else {
        let items = input.filter(|_| !odd).and_then(|text| items(&text, delimiter));
        let runs: Vec<Vec<Word>> = match items {
            Some(items) if items.is_empty() => vec![Vec::new()],
            Some(items) => {
                let words: Vec<Word> = items.into_iter().map(Word::Literal).collect();
                words.chunks(most.max(1)).map(<[Word]>::to_vec).collect()
            }
            None => vec![vec![unknown]],
        };
        let mut printed = None;
        for run in runs {
            let argv: Vec<Word> = template.iter().cloned().chain(run).collect();
            printed = reader.launched("xargs", &argv, scope, &Stdin::Inherited, call.env);
        }
        return printed;
    };
    let values = match input {
        Some(text) if text.lines().count() <= MAX_ITEMS => text
            .split(delimiter.unwrap_or('\n'))
            .filter(|line| !line.is_empty())
            .map(|line| Word::Literal(line.trim_start().to_owned()))
            .collect(),
        _ => vec![Word::hole("xargs", false)],
    };
    each(reader, "xargs", template, &mark, &values, scope, call)
}

/// What xargs' own options say.
struct Options {
    /// Index of the template's first word.
    index: usize,
    replace: Option<String>,
    /// Ends each item, instead of blanks outside quotes.
    delimiter: Option<char>,
    /// Items for one run.
    most: usize,
    file: Option<Word>,
    /// Items are grouped or ended in a way that is not followed.
    odd: bool,
}

/// The most items that are told apart.
const MAX_ITEMS: usize = 4_096;

fn options(call: &Call<'_>) -> Options {
    let mut options = Options {
        index: 1,
        replace: None,
        delimiter: None,
        most: usize::MAX,
        file: None,
        odd: false,
    };
    while let Some(option) =
        call.arg(options.index).filter(|text| text.starts_with('-') && text.len() > 1)
    {
        options.index += 1;
        if option == "--" {
            break;
        }
        if let Some(long) = option.strip_prefix("--") {
            let (name, attached) =
                long.split_once('=').map_or((long, None), |(name, text)| (name, Some(text)));
            let short = match name {
                "null" => '0',
                "replace" => 'I',
                "arg-file" => 'a',
                "max-args" => 'n',
                "max-lines" => 'L',
                "max-procs" => 'P',
                "max-chars" => 's',
                "delimiter" => 'd',
                "eof" => 'E',
                _ => continue,
            };
            let value = attached.map(|text| Word::Literal(text.to_owned()));
            options.set(short, value, call);
            continue;
        }
        let letters = option.get(1..).unwrap_or("");
        for (at, letter) in letters.char_indices() {
            let attached = letters.get(at + letter.len_utf8()..).filter(|text| !text.is_empty());
            let value = attached.map(|text| Word::Literal(text.to_owned()));
            if letter == 'i' || letter == 'l' || letter == 'e' {
                // Their values are never a word of their own.
                let default = Word::Literal("{}".into());
                options.set(if letter == 'i' { 'I' } else { 'L' }, value.or(Some(default)), call);
                break;
            }
            if "IJanLPsdE".contains(letter) {
                options.set(letter, value, call);
                break;
            }
            options.set(letter, None, call);
        }
    }
    options
}

impl Options {
    /// One option, with its value if it stood in the same word.
    fn set(&mut self, letter: char, attached: Option<Word>, call: &Call<'_>) {
        if letter == '0' {
            self.delimiter = Some('\0');
            return;
        }
        if !"IJanLPsdE".contains(letter) {
            return;
        }
        let value = attached.or_else(|| {
            self.index += 1;
            call.argv.get(self.index - 1).cloned()
        });
        let text = value.as_ref().and_then(Word::literal);
        match letter {
            'I' | 'J' => self.replace = text.map(str::to_owned),
            'a' => self.file = value,
            'n' => match text.and_then(|text| text.parse().ok()) {
                Some(most) => self.most = most,
                None => self.odd = true,
            },
            'd' => {
                self.delimiter =
                    text.map(super::decode::ansi_c).and_then(|text| text.chars().next());
            }
            'L' | 's' | 'E' => self.odd = true,
            _ => {}
        }
    }
}

/// Runs the template once for each value, `mark` replaced by it.
fn each(
    reader: &mut Reader<'_>,
    label: &'static str,
    template: &[Word],
    mark: &str,
    values: &[Word],
    scope: &Scope,
    call: &Call<'_>,
) -> Printed {
    let mut printed = None;
    let size: usize = template.iter().map(Word::size).sum();
    for value in values {
        if !reader.spend(size / BYTES_COPIED) {
            break;
        }
        let argv: Vec<Word> = template.iter().map(|word| replaced(word, mark, value)).collect();
        printed = reader.launched(label, &argv, scope, &Stdin::Inherited, call.env);
    }
    printed
}

fn replaced(word: &Word, mark: &str, value: &Word) -> Word {
    let Some(text) = word.literal().filter(|text| !mark.is_empty() && text.contains(mark)) else {
        return word.clone();
    };
    if text.matches(mark).count().saturating_mul(value.size()) > MAX_PRINTED {
        return Word::hole("long value", false);
    }
    let mut out = Word::empty();
    for (index, piece) in text.split(mark).enumerate() {
        if index > 0 {
            out.push_word(value);
        }
        out.push_text(piece);
    }
    out
}

/// The items of an input; `None` when they are too many to be told apart.
fn items(text: &str, delimiter: Option<char>) -> Option<Vec<String>> {
    if let Some(delimiter) = delimiter {
        let text = text.strip_suffix(delimiter).unwrap_or(text);
        let few = text.split(delimiter).nth(MAX_ITEMS).is_none();
        return few.then(|| text.split(delimiter).map(str::to_owned).collect());
    }
    if text.split_whitespace().nth(MAX_ITEMS).is_some() {
        return None;
    }
    let words = shell_words::split(text);
    Some(words.unwrap_or_else(|_| text.split_whitespace().map(str::to_owned).collect()))
}

/// Options of parallel that take the next word.
const PARALLEL_VALUED: &[&str] = &[
    "-j",
    "--jobs",
    "-a",
    "--arg-file",
    "-n",
    "-N",
    "-S",
    "--sshlogin",
    "--delay",
    "--timeout",
    "--joblog",
    "--colsep",
    "-C",
    "-I",
    "-d",
    "--results",
    "--tagstring",
    "--wd",
    "--workdir",
    "--id",
];

/// GNU parallel: a template and values after `:::`, or commands on its input.
pub(super) fn parallel(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let mut index = 1;
    while let Some(option) = call.arg(index).filter(|text| text.starts_with('-') && text.len() > 1)
    {
        index += if PARALLEL_VALUED.contains(&option) { 2 } else { 1 };
    }
    let rest = call.argv.get(index..).unwrap_or(&[]);
    let cut = rest
        .iter()
        .position(|word| word.literal().is_some_and(|text| text.starts_with(":::")))
        .unwrap_or(rest.len());
    let template = rest.get(..cut).unwrap_or(&[]);
    let listed: Vec<Word> = rest
        .get(cut + 1..)
        .unwrap_or(&[])
        .iter()
        .filter(|word| word.literal().is_none_or(|text| !text.starts_with(":::")))
        .cloned()
        .collect();
    let from_file =
        rest.get(cut).and_then(Word::literal).is_some_and(|text| text.starts_with("::::"));
    let values: Option<Vec<Word>> = if cut < rest.len() && !from_file {
        Some(listed)
    } else {
        match call.input {
            Stdin::Text(text) => {
                Some(text.lines().map(|line| Word::Literal(line.to_owned())).collect())
            }
            Stdin::Inherited | Stdin::File(_) | Stdin::Unknown => None,
        }
    };
    if template.is_empty() {
        let Some(lines) = values else {
            reader.note(What::Code, "commands of parallel");
            return None;
        };
        for line in lines {
            reader.launched_code("parallel", &line, &[], scope, &Stdin::Inherited);
        }
        return None;
    }
    let mut code = join(template);
    if !code.literal().is_some_and(|text| text.contains('{')) {
        code.push_text(" {}");
    }
    for value in values.unwrap_or_else(|| vec![Word::hole("parallel", false)]) {
        if !reader.spend(code.size() / BYTES_COPIED) {
            break;
        }
        let code = replaced(&code, "{}", &value);
        reader.launched_code("parallel", &code, &[], scope, &Stdin::Inherited);
    }
    None
}

/// `find … -exec command ;` and `fd -x command`, each of them.
pub(super) fn find(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let mut index = 1;
    while let Some(word) = call.argv.get(index) {
        index += 1;
        let starts = matches!(
            word.literal(),
            Some("-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch")
        );
        if !starts {
            continue;
        }
        let from = index;
        while call.argv.get(index).is_some_and(|word| !matches!(word.literal(), Some(";" | "+"))) {
            index += 1;
        }
        let template = call.argv.get(from..index).unwrap_or(&[]);
        let many = call.arg(index) == Some("+");
        let found = Word::hole("found file", many);
        let argv: Vec<Word> = template.iter().map(|word| replaced(word, "{}", &found)).collect();
        let mut own = scope.clone();
        if call.arg(from - 1).is_some_and(|option| option.ends_with("dir")) {
            own.cwd = None;
        }
        reader.launched("find -exec", &argv, &own, &Stdin::Inherited, call.env);
    }
    super::listing::find(call)
}
