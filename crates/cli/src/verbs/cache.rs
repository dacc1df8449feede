//! `opcost cache`: what is kept of earlier builds and answers, where, and how it is removed.

use serde::Serialize;

use opcost_answer::{Failure, Status};
use opcost_cache::choice::{FOLDER_VARIABLE, cache};
use opcost_cache::{Cache, CacheContents};
use opcost_report::kit::save::{Stream, save_text};

use crate::arguments::{CacheAction, CacheArguments};

/// `opcost.cache/1`
#[derive(Serialize)]
struct CacheJson {
    schema: &'static str,
    /// Where it is; null if there is none.
    folder: Option<String>,
    /// Things that are kept.
    entries: usize,
    /// Their bytes together.
    bytes: u64,
    /// Most bytes that are kept.
    limit: u64,
    /// Whether all of it was removed just now.
    cleared: bool,
}

/// Carries out the verb.
pub(crate) fn run(arguments: &CacheArguments) -> Result<Status, Failure> {
    let cache = cache();
    let cleared = arguments.action == Some(CacheAction::Clear);
    let contents = match (&cache, cleared) {
        (Some(cache), true) => cache.clear().map_err(Failure::file("remove", cache.folder()))?,
        (Some(cache), false) => cache.contents(),
        (None, _) => CacheContents::default(),
    };
    let text = if arguments.json {
        let json = CacheJson {
            schema: "opcost.cache/1",
            folder: cache.as_ref().map(|cache| cache.folder().display().to_string()),
            entries: contents.entries,
            bytes: contents.bytes,
            limit: cache.as_ref().map_or(0, Cache::limit),
            cleared,
        };
        serde_json::to_string_pretty(&json).expect("plain data")
    } else {
        description(cache.as_ref(), contents, cleared)
    };
    save_text(None, &(text + "\n"), Stream::Stdout)?;
    Ok(Status::Fine)
}

/// What `doctor` says of it, too.
pub(super) fn description(cache: Option<&Cache>, contents: CacheContents, cleared: bool) -> String {
    let Some(cache) = cache else {
        return format!("nothing is kept: the cache is off, or has no place ({FOLDER_VARIABLE})");
    };
    let CacheContents { entries, bytes } = contents;
    let things = if entries == 1 { "entry" } else { "entries" };
    let folder = cache.folder().display();
    if cleared {
        return format!("removed {entries} {things}, {} ({folder})", size(bytes));
    }
    format!("{entries} {things}, {} of {} ({folder})", size(bytes), size(cache.limit()))
}

/// Bytes as people read them.
fn size(bytes: u64) -> String {
    let bytes_f = bytes as f64;
    match bytes {
        0..1_000_000 => format!("{:.0} kB", bytes_f / 1e3),
        1_000_000..1_000_000_000 => format!("{:.0} MB", bytes_f / 1e6),
        _ => format!("{:.1} GB", bytes_f / 1e9),
    }
}
