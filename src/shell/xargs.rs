//! xargs, parallel, find: a template that runs once for each value.

use super::eval::{Printed, Reader};
use super::launch::join;
use super::run::Call;
use super::scope::Scope;
use super::types::{Stdin, What, Word};

pub(super) fn xargs(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let Options { index, replace, nul, file } = options(call);
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
        let mut argv = template.to_vec();
        match input.map(|text| items(&text, nul)) {
            Some(items) => argv.extend(items.into_iter().take(4096).map(Word::Literal)),
            None => argv.push(unknown),
        }
        return reader.launched("xargs", &argv, scope, &Stdin::Inherited, call.env);
    };
    let values = match input {
        Some(text) => text
            .split(if nul { '\0' } else { '\n' })
            .filter(|line| !line.is_empty())
            .take(256)
            .map(|line| Word::Literal(line.trim().to_owned()))
            .collect(),
        None => vec![Word::hole("xargs", false)],
    };
    each(reader, "xargs", template, &mark, &values, scope, call)
}

/// What xargs' own options say.
struct Options {
    /// Index of the template's first word.
    index: usize,
    replace: Option<String>,
    nul: bool,
    file: Option<Word>,
}

fn options(call: &Call<'_>) -> Options {
    let mut index = 1;
    let mut replace: Option<String> = None;
    let mut nul = false;
    let mut file = None;
    while let Some(option) = call.arg(index).filter(|text| text.starts_with('-') && text.len() > 1)
    {
        index += 1;
        match option {
            "--" => break,
            "-I" | "--replace" | "-J" => {
                replace = call.arg(index).map(str::to_owned);
                index += 1;
            }
            "-i" => replace = Some("{}".into()),
            "-0" | "--null" => nul = true,
            "-a" | "--arg-file" => {
                file = call.argv.get(index).cloned();
                index += 1;
            }
            "-n" | "-L" | "-P" | "-s" | "-d" | "-E" | "--max-args" | "--max-procs"
            | "--delimiter" | "--max-lines" => {
                index += 1;
            }
            other => {
                if let Some(mark) = other.strip_prefix("-I").or(other.strip_prefix("--replace=")) {
                    replace = Some(mark.to_owned());
                }
                nul |= !other.starts_with("--")
                    && other.contains('0')
                    && !other.starts_with("-n")
                    && !other.starts_with("-P");
            }
        }
    }
    Options { index, replace, nul, file }
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
    for value in values {
        let argv: Vec<Word> = template.iter().map(|word| replaced(word, mark, value)).collect();
        printed = reader.launched(label, &argv, scope, &Stdin::Inherited, call.env);
    }
    printed
}

fn replaced(word: &Word, mark: &str, value: &Word) -> Word {
    let Some(text) = word.literal().filter(|text| !mark.is_empty() && text.contains(mark)) else {
        return word.clone();
    };
    let mut out = Word::empty();
    for (index, piece) in text.split(mark).enumerate() {
        if index > 0 {
            out.push_word(value);
        }
        out.push_text(piece);
    }
    out
}

fn items(text: &str, nul: bool) -> Vec<String> {
    if nul {
        return text.split('\0').filter(|item| !item.is_empty()).map(str::to_owned).collect();
    }
    shell_words::split(text)
        .unwrap_or_else(|_| text.split_whitespace().map(str::to_owned).collect())
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
        let found = Word::hole("found file", false);
        let argv: Vec<Word> = template.iter().map(|word| replaced(word, "{}", &found)).collect();
        reader.launched("find -exec", &argv, scope, &Stdin::Inherited, call.env);
    }
    None
}
