//! Does every failure say whose fault it is, where, and what to do next?

use opcost_key::Hasher128;

use crate::workplace::workplace;
use opcost_testkit::command::Workplace;

fn with_ledger() -> (Workplace, Vec<u8>) {
    let place = workplace();
    place.opcost(&["count", "a.c", "--ledger", "a.opc"]).expect(0);
    let bytes = place.bytes("a.opc");
    (place, bytes)
}

#[test]
fn ledgers_that_are_none() {
    let (place, bytes) = with_ledger();
    place.write("cut.opc", &bytes[..bytes.len() / 2]);
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    place.write("damaged.opc", damaged);
    place.write("later.opc", of_later_version(&bytes));
    place.write("text.opc", "hello");
    place.write("empty.opc", "");
    for (name, status, words) in [
        ("cut.opc", 1, &["cut off after", "copy it again"][..]),
        ("damaged.opc", 1, &["damaged (its hash differs)"]),
        ("later.opc", 1, &["schema opcost.ledger/9", "use the opcost that wrote it"]),
        ("text.opc", 2, &["text.opc is not an opcost ledger"]),
        ("empty.opc", 2, &["empty.opc is empty"]),
        ("none.opc", 1, &["cannot read none.opc"]),
        (".", 2, &[". is a folder"]),
    ] {
        for command in [
            &["report", name][..],
            &["diff", "a.opc", name],
            &["merge", "a.opc", name, "-o", "m.opc"],
            &["count", "a.c", "--budget", "1", "--baseline", name],
        ] {
            let said = place.opcost(command).expect(status);
            said.expect_stderr(words);
            said.expect_stderr(&[name, "opcost: "]);
        }
    }
    assert!(!place.path("m.opc").exists());
}

/// The same file, as a later opcost would have written it, with a hash that holds.
fn of_later_version(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let find =
        |bytes: &[u8], mark: &[u8]| bytes.windows(mark.len()).rposition(|window| window == mark).unwrap();
    let schema = find(&bytes, b"opcost.ledger/3");
    bytes[schema + b"opcost.ledger/".len()] = b'9';
    let digits = find(&bytes, b"fnv1a-128:") + b"fnv1a-128:".len();
    bytes[digits..digits + 32].fill(b'0');
    let hash = Hasher128::new().bytes(&bytes).finish().to_string();
    bytes[digits..digits + 32].copy_from_slice(hash.as_bytes());
    bytes
}

#[test]
fn raw_counters_of_another_program() {
    let place = workplace();
    place.opcost(&["count", "a.c", "--emit", "exe", "-o", "a"]).expect(0);
    place.write("b.c", "int main(void) { return 0; }\n");
    place.opcost(&["count", "b.c", "--emit", "exe", "-o", "b"]).expect(0);
    std::fs::create_dir(place.path("raw")).unwrap();
    place.shell(&format!("{}=$PWD/raw ./a", opcost_runtime::DIRECTORY_VARIABLE)).expect(0);
    place.shell("$OPCOST report --program b raw/*.opcraw").expect(1).expect_stderr(&["map"]);
    place.write("text.opcraw", "hello");
    place
        .opcost(&["report", "text.opcraw"])
        .expect(1)
        .expect_stderr(&["text.opcraw", "not a raw counter file"]);
}

#[test]
fn outputs_that_cannot_be_written() {
    let (place, _) = with_ledger();
    place.write("file", "");
    for flag in ["--json", "--ledger", "--html", "-o"] {
        for target in ["no/folder/x", "file/x", "."] {
            let said = place.opcost(&["count", "a.c", flag, target]).expect(1);
            said.expect_stderr(&["opcost: cannot write", target]);
        }
        let said = place.opcost(&["report", "a.opc", flag, "/dev/full"]).expect(1);
        said.expect_stderr(&["/dev/full", "free some space"]);
    }
    let said = place.shell("$OPCOST report a.opc > /dev/full").expect(1);
    said.expect_stderr(&["cannot write stdout"]);
    place.shell("$OPCOST report a.opc | head -c 1 > /dev/null").expect(0);
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let (place, bytes) = with_ledger();
    for (flag, name) in [("--json", "x.json"), ("--ledger", "x.opc"), ("--html", "x.html"), ("-o", "x.txt")] {
        place.write(name, "old");
        // A limit on file sizes stops writes in the middle, as a full disk does.
        let line = format!("trap '' XFSZ; ulimit -f 0; $OPCOST report a.opc {flag} {name}");
        place.shell(&line).expect(1).expect_stderr(&[name, "free some space"]);
        assert_eq!(place.read(name), "old");
    }
    let parts = std::fs::read_dir(place.path(""))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with(".opcost-"));
    assert_eq!(parts.count(), 0, "nothing half-written is left");
    place.shell("trap '' XFSZ; ulimit -f 0; $OPCOST merge a.opc a.opc -o a.opc").expect(1);
    assert_eq!(place.bytes("a.opc"), bytes);
}
