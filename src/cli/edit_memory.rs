//! `ringfence edit-memory`.

use super::Answer;

use super::failure::Failure;
use super::memory::{Here, explain, not_blank, report, text_of};
use super::memory_args::EditMemoryArgs;
use crate::guard::label::one_line;
use crate::memory::store::native::StoreError;
use crate::sys::child::{self, Scratch};
use crate::sys::{env, file, process};

pub(crate) fn run(args: &EditMemoryArgs) -> anyhow::Result<Answer> {
    let here = Here::find()?;
    let missing = || StoreError::NoSuchNote(args.id.clone());
    let text = match (&args.text, &args.file) {
        (Some(text), _) => text.clone(),
        (None, Some(file)) => text_of(file)?,
        (None, None) => {
            let reader = here.reader()?.ok_or_else(|| explain(missing()))?;
            edited(&reader.entry(&args.id).map_err(explain)?.content)?
        }
    };
    not_blank(&text)?;
    let author = here.author(None);
    let changed = here.changer(missing())?.edit(&args.id, &text, &author).map_err(explain)?;
    report(&changed, "edited", args.json)?;
    Ok(Answer::Yes)
}

/// The text as the person's editor leaves it.
fn edited(text: &str) -> anyhow::Result<String> {
    let set = env::var("VISUAL").or_else(|| env::var("EDITOR"));
    let editor = set.or_else(|| process::has_terminal().then(|| "vi".to_owned()));
    let Some(editor) = editor else {
        return Err(Failure::usage("the new text is missing")
            .hint("ringfence edit-memory ID --text TEXT")
            .into());
    };
    let shown = one_line(&editor, 100);
    let mut argv = shell_words::split(&editor)
        .map_err(|error| Failure::no(format!("the editor `{shown}` cannot be read: {error}")))?;
    let scratch = Scratch::new()?;
    let path = scratch.path().join("memory.md");
    // Editors end a file with a newline, and a note has none.
    let ended = format!("{text}\n");
    file::write_record(&path, ended.as_bytes())?;
    argv.push(path.to_string_lossy().into_owned());
    let status = child::attend(&argv)
        .map_err(|error| Failure::no(format!("the editor `{shown}` cannot be started: {error}")))?;
    if status != Some(0) {
        return Err(
            Failure::no(format!("the editor `{shown}` failed, so nothing was changed")).into()
        );
    }
    let new = text_of(&path)?;
    if new == ended {
        return Ok(text.to_owned());
    }
    Ok(new.strip_suffix('\n').map_or(new.clone(), str::to_owned))
}
