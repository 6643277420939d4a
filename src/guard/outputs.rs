//! Programs that write the files which an option or their place among the operands names: one row
//! each, so that a program more is a line more.

use super::arguments::{Arguments, Grammar, Style};
use super::change::{Change, NewText, each};
use super::paths::Reach;
use crate::shell::{Invocation, Word};

/// Which operands a program writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operands {
    /// None of them.
    Kept,
    /// All of them.
    All,
    /// The one with this number, from 0.
    Nth(usize),
    /// The last one, also when it is the only one.
    Last,
}

use Operands::{All, Kept, Last, Nth};
use Style::{Bundled, Leading, OneDash, Single};

/// What some programs write.
struct Row {
    programs: &'static [&'static str],
    style: Style,
    /// Letters of options that take a value, so that it is no operand.
    letters: &'static str,
    /// The options whose value is written.
    writes: &'static [&'static str],
    operands: Operands,
}

const fn row(
    programs: &'static [&'static str],
    style: Style,
    letters: &'static str,
    writes: &'static [&'static str],
    operands: Operands,
) -> Row {
    Row { programs, style, letters, writes, operands }
}

const OUTPUT: &[&str] = &["-o", "--output"];

const ROWS: &[Row] = &[
    // Text.
    row(&["sort"], Bundled, "koStT", OUTPUT, Kept),
    row(&["shuf"], Bundled, "nio", OUTPUT, Kept),
    row(&["uniq"], Bundled, "fsw", &[], Nth(1)),
    row(&["iconv"], Bundled, "fto", OUTPUT, Kept),
    row(&["xxd"], Single, "clgsoR", &[], Nth(1)),
    row(&["ptx", "pdftotext", "lz4", "sass", "lessc", "ps2pdf"], Bundled, "", &[], Nth(1)),
    row(&["dos2unix", "unix2dos", "mac2unix", "unix2mac"], Bundled, "c", &["-O"], All),
    row(&["recode"], Bundled, "", &[], All),
    row(&["patch"], Bundled, "pidDFBYzVgor", &["-o", "--output", "-r", "--reject-file"], Nth(0)),
    row(&["indent", "astyle", "tidy", "flex", "ctags", "pandoc"], Bundled, "o", OUTPUT, Kept),
    row(&["bison", "yacc"], Bundled, "obp", OUTPUT, Kept),
    row(&["xmllint", "xsltproc"], OneDash, "", &["-o", "--output"], Kept),
    row(&["jsonnet", "dot", "neato", "protoc-gen", "nasm", "yasm"], Single, "o", OUTPUT, Kept),
    row(&["tree"], Bundled, "LPIo", &["-o"], Kept),
    // From elsewhere.
    row(
        &["curl"],
        Bundled,
        "AbcCdDeEFhHKmoPQrtTuUwxXyYz",
        &[
            "-o",
            "--output",
            "-D",
            "--dump-header",
            "-c",
            "--cookie-jar",
            "--trace",
            "--trace-ascii",
            "--stderr",
            "--libcurl",
            "--etag-save",
            "--hsts",
            "--alt-svc",
        ],
        Kept,
    ),
    row(
        &["wget"],
        Bundled,
        "aoieBtOTwQPUlADRIXS",
        &[
            "-O",
            "--output-document",
            "-o",
            "--output-file",
            "-a",
            "--append-output",
            "--save-cookies",
            "--rejected-log",
            "--hsts-file",
        ],
        Kept,
    ),
    row(&["aria2c"], Bundled, "oldxsjk", &["-o", "--out", "-l", "--log"], Kept),
    row(&["axel", "xh", "http", "https"], Bundled, "onaA", OUTPUT, Kept),
    row(&["yt-dlp", "youtube-dl"], Bundled, "ofa", OUTPUT, Kept),
    row(&["tcpdump", "tshark"], Bundled, "wirCGsc", &["-w"], Kept),
    row(&["pg_dump", "pg_dumpall"], Bundled, "fhpUdtn", &["-f", "--file"], Kept),
    row(&["mysqldump"], Bundled, "rhPu", &["-r", "--result-file"], Kept),
    row(&["redis-cli"], OneDash, "", &["--rdb"], Kept),
    // Watching other programs.
    row(
        &["script"],
        Bundled,
        "BcEIOTmo",
        &["-O", "--log-out", "-I", "--log-in", "-B", "--log-io", "-T", "--log-timing", "--timing"],
        Nth(0),
    ),
    row(&["strace"], Leading, "aAbeEIoOpPsSuUX", OUTPUT, Kept),
    row(&["ltrace"], Leading, "aAbDeFlnopsuwx", OUTPUT, Kept),
    row(&["time", "gtime"], Leading, "fo", OUTPUT, Kept),
    row(&["valgrind"], Leading, "", &["--log-file", "--xml-file"], Kept),
    row(&["perf"], Bundled, "oepcF", OUTPUT, Kept),
    row(&["logsave"], Leading, "", &[], Nth(0)),
    // Compilers and their kin.
    row(
        &[
            "gcc", "cc", "g++", "c++", "clang", "clang++", "cpp", "tcc", "gfortran", "ld",
            "ld.gold", "ld.bfd", "ld.lld", "lld", "gold", "as", "rustc", "ghc", "ocamlc",
            "ocamlopt", "gold",
        ],
        Single,
        "oIlLDUxTuze",
        &["-o", "--output", "-MF"],
        Kept,
    ),
    row(&["objcopy"], Bundled, "IOBFbRjNKLGW", &[], Last),
    row(&["strip"], Bundled, "oFIONKR", OUTPUT, All),
    row(&["esbuild", "tsc"], OneDash, "", &["--outfile", "--outFile"], Kept),
    row(&["go"], OneDash, "", &["-o", "-coverprofile", "-cpuprofile", "-memprofile"], Kept),
    row(&["ruff"], Bundled, "o", &["-o", "--output-file"], Kept),
    row(&["pytest", "mypy"], Leading, "", &["--junitxml", "--junit-xml"], Kept),
    // Secrets and media.
    row(&["openssl", "libressl"], OneDash, "", &["-out", "-keyout", "-writerand"], Kept),
    row(&["gpg", "gpg2", "age", "brotli", "zstd"], Bundled, "oru", OUTPUT, Kept),
    row(&["ffmpeg", "convert", "magick", "composite", "sox"], OneDash, "", &[], Last),
    row(&["gs"], OneDash, "", &["-sOutputFile", "-o"], Kept),
    row(&["qpdf", "wkhtmltopdf", "qemu-img"], Bundled, "f", &[], Last),
    row(
        &["mkisofs", "genisoimage", "xorriso"],
        OneDash,
        "",
        &["-o", "-output", "-outdev", "-dev"],
        Kept,
    ),
    // File systems and devices.
    row(
        &["mkswap", "mke2fs", "mkfs.ext4", "mkfs.ext3", "mkfs.xfs", "mkfs.vfat"],
        Bundled,
        "LUbt",
        &[],
        All,
    ),
];

fn row_of(program: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.programs.contains(&program))
}

/// Whether a program has a row.
pub(super) fn knows(program: &str) -> bool {
    row_of(program).is_some()
}

/// What a program with a row writes.
pub(super) fn changes(program: &str, invocation: &Invocation) -> Vec<Change> {
    let Some(row) = row_of(program) else { return Vec::new() };
    let args = invocation.argv.get(1..).unwrap_or(&[]);
    let grammar =
        Grammar { letters: row.letters, names: row.writes, style: row.style, ..Grammar::default() };
    let sorted = Arguments::read(args, &grammar, &[]);
    let mut written: Vec<Word> = sorted.values(row.writes).cloned().collect();
    let operands = &sorted.operands;
    match row.operands {
        Kept => {}
        All => written.extend(operands.iter().cloned()),
        Nth(number) => written.extend(operands.get(number).cloned()),
        Last => written.extend(operands.last().cloned()),
    }
    each(&written, Reach::This, "overwrite", &NewText::Unknown)
}
