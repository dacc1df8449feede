//! How a page of opcost begins and ends, and how text stands in it.
//!
//! A page is one file that loads nothing. Style and script lie in it; a content security policy
//! forbids everything else, and names the script by its hash (a test computes it).

const STYLE: &str = include_str!("page.css");

const SCRIPT: &str = include_str!("page.js");

/// SHA-256 of the script, as browsers write it.
const SCRIPT_HASH: &str = "5IbJm92i57zZXokFw1GueGJa/bodT/dPipsgs+nD6wY=";

/// How a page begins: its style and more of it, and what it may do.
pub fn head(title: &str, more_style: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'sha256-{SCRIPT_HASH}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title} · opcost</title>\n\
         <style>{STYLE}{more_style}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    )
}

/// How it ends: the script that sorts tables.
pub fn foot() -> String {
    format!("<script>{SCRIPT}</script>\n</body>\n</html>\n")
}

/// Text that no browser takes for anything else.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(letter),
        }
    }
    out
}
