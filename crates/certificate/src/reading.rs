//! Is this text a certificate at all, and of a size that one has?
//!
//! A certificate comes from anyone. Before anything of it is believed, what is no
//! certificate is refused at once: a file that is too large, another version, a
//! field that is not known, is missing or is there twice, a name or a list that is
//! longer than any module makes it. Lists in ranges are bounded while they are read
//! ([`MOST_WORDS`]); how many claims there may be depends on the module
//! ([`Checker::new`](crate::Checker)).
//!
//! Input: the bytes of a file. Output: the certificate. Cost: linear, and bounded.

use serde::Deserialize;

use crate::claims::{Certificate, FORMAT};
use crate::names::ObjectName;
use crate::range::MOST_WORDS;

/// The most bytes that a certificate has.
pub const MOST_BYTES: u64 = 64 << 20;
/// The most bytes of a name, and of a sentence that is taken as given.
pub const LONGEST_TEXT: usize = 1 << 16;
/// The most sentences that are taken as given.
const MOST_SENTENCES: usize = 64;

/// Why a text is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It is too large.
    #[error("it has {0} bytes, and a certificate has at most {MOST_BYTES}")]
    Large(u64),
    /// It is of another version.
    #[error("it says that it is {0}, and {FORMAT} is what this version reads")]
    Version(String),
    /// It is not written as one.
    #[error("{0}")]
    Malformed(#[from] serde_json::Error),
    /// A name or a list in it is too long.
    #[error("{0}")]
    Long(String),
}

impl Certificate {
    /// Reads one.
    ///
    /// # Errors
    /// It is too large, of another version, or no certificate.
    pub fn read(bytes: &[u8]) -> Result<Certificate, Unreadable> {
        /// What every document says of itself.
        #[derive(Deserialize)]
        struct Head {
            schema: String,
        }
        if bytes.len() as u64 > MOST_BYTES {
            return Err(Unreadable::Large(bytes.len() as u64));
        }
        match serde_json::from_slice::<Certificate>(bytes) {
            Ok(certificate) if certificate.schema == FORMAT => certificate.bounded(),
            Ok(certificate) => Err(Unreadable::Version(shortened(&certificate.schema))),
            // Whoever says that it is another one is told that, not what differs.
            Err(error) => match serde_json::from_slice::<Head>(bytes) {
                Ok(Head { schema }) if schema != FORMAT => Err(Unreadable::Version(shortened(&schema))),
                _ => Err(error.into()),
            },
        }
    }

    fn bounded(self) -> Result<Certificate, Unreadable> {
        if self.assumes.len() > MOST_SENTENCES {
            let what = format!("it takes more than {MOST_SENTENCES} sentences as given");
            return Err(Unreadable::Long(what));
        }
        let is_long = self.texts().any(|text| text.len() > LONGEST_TEXT);
        match is_long {
            true => Err(Unreadable::Long(format!("a name in it has more than {LONGEST_TEXT} bytes"))),
            false => Ok(self),
        }
    }

    fn texts(&self) -> impl Iterator<Item = &String> {
        let objects = self.contents.iter().map(|claim| match &claim.object {
            ObjectName::Data(data) => &data.global,
            ObjectName::Allocated(place) => &place.function,
        });
        let names = self.functions.iter().map(|claims| &claims.name);
        self.assumes.iter().chain(names).chain(objects).chain([&self.module, &self.seal])
    }
}

/// The beginning of what is perhaps long.
fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

// The bound of ranges is a part of the format.
const _: () = assert!(MOST_WORDS < 1 << 8);

#[cfg(test)]
mod tests {
    use super::{LONGEST_TEXT, MOST_BYTES, Unreadable};
    use crate::claims::{Certificate, FORMAT};

    fn text(more: &str) -> String {
        format!(
            r#"{{"schema": "{FORMAT}", "module": "0", "world": "open", "assumes": [], "functions": [],
                "contents": []{more}, "seal": "0"}}"#
        )
    }

    fn refused(text: &str) -> String {
        Certificate::read(text.as_bytes()).expect_err("it is none").to_string()
    }

    #[test]
    fn what_is_no_certificate_is_refused_with_the_reason() {
        assert!(Certificate::read(text("").as_bytes()).is_ok());
        assert!(refused(&text(r#", "more": 1"#)).contains("unknown field `more`"));
        assert!(refused(&text(r#", "world": "closed""#)).contains("duplicate field `world`"));
        assert!(refused(&text("").replace(r#""world": "open","#, "")).contains("missing field `world`"));
        assert!(refused(&text("").replace("open", "mine")).contains("unknown variant `mine`"));
        assert!(refused(&text("").replace("certificate/2", "certificate/1")).contains("certificate/1, and"));
        assert!(refused(r#"{"schema": "opcost.certificate/1", "old": 1}"#).contains("certificate/1, and"));
        assert!(refused("[]").contains("line 1"));
        assert!(refused(&"[".repeat(1 << 20)).contains("invalid type"));
        let long = "n".repeat(LONGEST_TEXT + 1);
        assert!(
            refused(&text("").replace(r#""module": "0""#, &format!(r#""module": "{long}""#)))
                .contains("bytes")
        );
        let many = vec![r#""so""#; 65].join(",");
        assert!(
            refused(&text("").replace(r#""assumes": []"#, &format!(r#""assumes": [{many}]"#)))
                .contains("sentences")
        );
        assert!(Certificate::read(b"\xff\xfe").is_err());
    }

    #[test]
    fn a_file_that_is_too_large_is_not_looked_at() {
        let large = vec![b' '; MOST_BYTES as usize + 1];
        assert!(matches!(Certificate::read(&large), Err(Unreadable::Large(_))));
    }
}
