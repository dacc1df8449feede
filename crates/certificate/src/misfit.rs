//! Why can a certificate not be checked at all?

/// Why a certificate cannot be checked at all.
#[derive(Debug, thiserror::Error)]
pub enum Misfit {
    /// It is of another version.
    #[error("it says {0}, not {format}: write it again with this version", format = crate::claims::FORMAT)]
    Version(String),
    /// It is of another module.
    #[error(
        "it is of another module (its hash is {certificate}, the module's {module}): \
             give the module that it was made of, made with the same flags, or write it again"
    )]
    Module {
        /// What it says.
        certificate: String,
        /// What the module has.
        module: String,
    },
    /// It names what is not there.
    #[error("{0}: it was not made of this module, or edited; write it again")]
    Unknown(String),
    /// It takes something as given that nobody gives.
    #[error(
        "{0}, and nobody says so: only parameters by a contract and results of library functions by the table of \
             effects can be given; write it again"
    )]
    Given(String),
    /// It has more claims than the module has what they could be about.
    #[error("{0}: a certificate of this module has no so many; write it again")]
    Many(String),
}
