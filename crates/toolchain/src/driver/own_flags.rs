//! What is a build for? The words that begin with `--opcost-`, and the environment.
//!
//! ```text
//! --opcost-sample         OPCOST_PURPOSE=sample    a table of code in place of counters
//! --opcost-anchor=pgo     OPCOST_ANCHOR=pgo        counted where clang's profile passes read
//! --opcost-tune=LEDGER    OPCOST_TUNE=LEDGER       code in the order of the ledger's counts
//! --opcost-explain=FILE   OPCOST_EXPLAIN=FILE      what was done to each function
//! --opcost-placement-from=LEDGER   OPCOST_PLACEMENT_FROM=LEDGER   counters where little ran
//! ```
//!
//! A word goes before its variable. A ledger by a relative name is looked for in the working folder, then above it,
//! since make goes into folders below.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_key::Anchor;

use super::settings::setting;

const PREFIX: &[u8] = b"--opcost-";

/// A build whose code is put in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TuneWords {
    /// The ledger, as given.
    pub(crate) ledger: PathBuf,
    /// Where to write what was done to each function.
    pub(crate) explain: Option<PathBuf>,
}

/// What the user wants of opcost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wishes {
    /// Whether objects get a table of their code in place of counters.
    pub(crate) is_sampled: bool,
    /// Where code is counted.
    pub(crate) anchor: Anchor,
    /// Whether code is put in order.
    pub(crate) tune: Option<TuneWords>,
    /// The ledger of the run by which counters are placed, as given.
    pub(crate) placement_from: Option<PathBuf>,
}

impl Wishes {
    /// Takes opcost's own words off a compiler's; the others in order.
    pub(crate) fn read(given: &[OsString]) -> Result<(Wishes, Vec<OsString>), Failure> {
        let mut rest = Vec::new();
        let mut wishes = Wishes {
            is_sampled: is_sampled_by_setting()?,
            anchor: Anchor::Optimized,
            tune: None,
            placement_from: path_setting("OPCOST_PLACEMENT_FROM"),
        };
        let (mut anchor, mut ledger, mut explain) =
            (setting("OPCOST_ANCHOR"), path_setting("OPCOST_TUNE"), path_setting("OPCOST_EXPLAIN"));
        for word in given {
            let own = word.as_bytes().strip_prefix(PREFIX).map(OsStr::from_bytes);
            let value = |name: &[u8]| Some(OsStr::from_bytes(own?.as_bytes().strip_prefix(name)?).to_owned());
            if own == Some(OsStr::new("sample")) {
                wishes.is_sampled = true;
            } else if let Some(name) = value(b"anchor=") {
                anchor = Some(name.to_string_lossy().into_owned());
            } else if let Some(path) = value(b"tune=") {
                ledger = Some(path.into());
            } else if let Some(path) = value(b"placement-from=") {
                wishes.placement_from = Some(path.into());
            } else if let Some(path) = value(b"explain=") {
                explain = Some(path.into());
            } else {
                rest.push(word.clone());
            }
        }
        if let Some(name) = anchor {
            wishes.anchor = match name.parse() {
                Ok(anchor @ (Anchor::Optimized | Anchor::Pgo)) => anchor,
                _ => {
                    return Err(Failure::Usage(format!(
                        "--opcost-anchor is '{name}': whole builds are counted at optimized or pgo"
                    )));
                }
            };
        }
        if ledger.as_ref().is_some_and(|path| path.as_os_str().is_empty()) {
            return Err(Failure::Usage("--opcost-tune needs a ledger: --opcost-tune=run.opc".to_owned()));
        }
        if ledger.is_some() && wishes.is_sampled {
            return Err(Failure::Usage(
                "a build is sampled (--opcost-sample) or put in order (--opcost-tune), not both at once"
                    .to_owned(),
            ));
        }
        if wishes.placement_from.is_some() && (wishes.is_sampled || ledger.is_some()) {
            return Err(Failure::Usage(
                "only counters are placed (--opcost-placement-from): leave --opcost-sample and --opcost-tune"
                    .to_owned(),
            ));
        }
        wishes.tune = ledger.map(|ledger| TuneWords { ledger, explain });
        Ok((wishes, rest))
    }
}

fn path_setting(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// What the environment says of the purpose of a build.
fn is_sampled_by_setting() -> Result<bool, Failure> {
    match setting("OPCOST_PURPOSE").as_deref() {
        None | Some("count") => Ok(false),
        Some("sample") => Ok(true),
        Some(other) => Err(Failure::Usage(format!("OPCOST_PURPOSE is '{other}': it can be count or sample"))),
    }
}

/// The file that a name means here or in a folder above.
pub(crate) fn above(name: &Path, working: &Path) -> PathBuf {
    let mut all = working.ancestors().map(|folder| folder.join(name));
    all.find(|path| path.is_file()).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use opcost_key::Anchor;

    use super::{Wishes, above};

    fn read(words: &[&str]) -> Result<(Wishes, Vec<OsString>), opcost_answer::Failure> {
        Wishes::read(&words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn own_words_are_taken_off() {
        let words = ["--opcost-tune=run.opc", "-c", "--opcost-explain=all.txt", "a.c", "--opcost-anchor=pgo"];
        let (wishes, rest) = read(&words).expect("well-formed");
        let tune = wishes.tune.expect("asked for");
        assert_eq!(
            (&*tune.ledger, tune.explain.as_deref()),
            (Path::new("run.opc"), Some(Path::new("all.txt")))
        );
        assert_eq!((wishes.anchor, wishes.is_sampled), (Anchor::Pgo, false));
        assert_eq!(rest, ["-c", "a.c"]);
        let (wishes, rest) = read(&["--opcost-sample", "--opcost-nonsense"]).expect("well-formed");
        assert!(wishes.is_sampled && wishes.tune.is_none());
        assert_eq!(rest, ["--opcost-nonsense"], "the compiler says that it does not know it");
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for words in [
            &["--opcost-tune="][..],
            &["--opcost-anchor=source"],
            &["--opcost-anchor="],
            &["--opcost-sample", "--opcost-tune=run.opc"],
        ] {
            assert!(matches!(read(words), Err(opcost_answer::Failure::Usage(_))), "{words:?}");
        }
    }

    #[test]
    fn a_ledger_is_looked_for_above() {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = folder.path().join("run.opc");
        std::fs::write(&ledger, "").expect("written");
        let below = folder.path().join("a/b");
        assert_eq!(above(Path::new("run.opc"), &below), ledger);
        assert_eq!(above(&ledger, &below), ledger);
        assert_eq!(above(Path::new("no-such.opc"), &below), Path::new("no-such.opc"));
    }
}
