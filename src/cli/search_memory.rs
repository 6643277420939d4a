//! `ringfence search-memory`.

use super::Answer;
use super::list_memory::{filter, print};
use super::memory::{Here, explain};
use super::memory_args::SearchMemoryArgs;
use crate::memory::store::native::Page;

/// Exit status 1 when nothing is found, as of other programs that search.
pub(crate) fn run(args: &SearchMemoryArgs) -> anyhow::Result<Answer> {
    let filter = filter(&args.filter, args.page.limit, args.page.offset)?;
    let page = match Here::find()?.reader()? {
        Some(reader) => reader.search(&args.words.join(" "), &filter).map_err(explain)?,
        None => Page::default(),
    };
    print(&page, &filter, args.page.json)?;
    Ok(if page.total == 0 { Answer::No } else { Answer::Yes })
}
