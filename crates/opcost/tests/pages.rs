//! Do the programs on the page of the library, and in the README, compile and run?
//!
//! Each is an example of this crate, letter by letter, so that a compiler reads it. Here each is compiled
//! once more and run, in a folder with the sources that it names. A block that is no example fails.

use std::path::Path;

use opcost::Failure;

/// Examples, as modules: each has a `main`.
macro_rules! examples {
    ($($name:ident),*) => {
        $(mod $name {
            include!(concat!("../examples/", stringify!($name), ".rs"));

            pub(super) const TEXT: &str = include_str!(concat!("../examples/", stringify!($name), ".rs"));

            pub(super) fn run() -> Result<(), opcost::Failure> {
                main()
            }
        })*
        const EXAMPLES: &[Example] = &[$(Example { text: $name::TEXT, run: $name::run }),*];
    };
}

/// One example.
struct Example {
    text: &'static str,
    run: fn() -> Result<(), Failure>,
}

examples!(first_number, functions, questions, readme);

const BOT: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n  int sum = 0;\n  \
    for (int i = 0; i < atoi(argv[1]); i++) sum += i * i;\n  printf(\"%d\\n\", sum);\n  return 0;\n}\n";
const DOT: &str = "int dot(const int *a, const int *b, int n) {\n  int sum = 0;\n  \
    for (int i = 0; i < n; i++) sum += a[i] * b[i];\n  return sum;\n}\n";

/// Blocks of Rust of a page, with its files included.
fn blocks(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
    let mut blocks = Vec::new();
    let mut rest = text.as_str();
    while let Some((_, from)) = rest.split_once("```rust\n") {
        let (block, after) = from.split_once("```").expect("a block ends");
        blocks.push(block.to_owned());
        rest = after;
    }
    blocks
}

#[test]
fn what_the_pages_show_compiles_and_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = ["guide/src/library.md", "README.md"].map(|page| blocks(&root.join(page)));
    let shown: Vec<&String> = pages.iter().flatten().collect();
    for example in EXAMPLES {
        assert!(shown.iter().any(|block| *block == example.text), "no page shows:\n{}", example.text);
    }
    for block in shown {
        // The judge is a package of its own, whose lines from its imports on are shown.
        let is_judge = block.contains("examples/judge/src/main.rs:");
        assert!(is_judge || EXAMPLES.iter().any(|example| example.text == block), "no example:\n{block}");
        if is_judge {
            let judge = std::fs::read_to_string(root.join("examples/judge/src/main.rs")).expect("the judge");
            let line = judge.lines().position(|line| line.starts_with("use ")).expect("imports") + 1;
            assert!(block.contains(&format!("main.rs:{line}:}}}}")), "imports begin in line {line}: {block}");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("bot.c"), BOT).expect("a source");
    std::fs::write(folder.path().join("dot.c"), DOT).expect("a source");
    std::env::set_current_dir(folder.path()).expect("the folder is there");
    for example in EXAMPLES {
        (example.run)().unwrap_or_else(|error| panic!("{error}:\n{}", example.text));
    }
}

/// The least that somebody has to write.
#[test]
fn the_first_number_takes_ten_lines() {
    assert!(first_number::TEXT.lines().count() <= 10, "{}", first_number::TEXT);
}
