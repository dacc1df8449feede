//! Are honest programs let through?

use opcost_testkit::command::corpus;

use crate::bench::Bench;

#[test]
fn what_contests_use_of_the_libraries_may_be_metered() {
    for name in ["honest/contest.c", "honest/contest.cpp", "kernel/kn.c"] {
        for level in ["0", "2", "3"] {
            let answer = Bench::new().fuel(&["--check", "-O", level, "--cflag", "-w", &corpus(name)]);
            assert_eq!(answer.status, 0, "{name} at -O{level}: {}", answer.said());
        }
    }
}

/// What may do much more than is charged for it is not let through, by name and with a way out.
#[test]
fn what_is_not_charged_is_told() {
    let answer = Bench::new().fuel(&["--check", &corpus("honest/not_charged.cpp")]);
    assert_eq!(answer.status, 3, "{}", answer.said());
    let said = answer.said();
    for name in ["_ZNSt6localeC1EPKc", "_ZNSt6locale6globalERKS_"] {
        assert!(said.contains(&format!("uses {name}, whose work may be more than four times")), "{said}");
    }
    let list = Bench::new();
    list.write(
        "a.c",
        "#include <string.h>\nint main(int n, char **v) { char a[9]; return (int)strxfrm(a, v[0], 9); }\n",
    );
    assert_eq!(list.fuel(&["--check", "a.c"]).status, 3);
    assert_eq!(list.fuel(&["--check", "--allow", "strxfrm", "a.c"]).status, 0);
}

#[test]
fn clocks_are_told_and_do_not_hinder() {
    let answer = Bench::new().fuel(&["--check", &corpus("honest/contest.c")]);
    let differs = answer.json["differs"].as_array().expect("names");
    assert!(differs.iter().any(|name| name == "time"), "{}", answer.said());
    assert!(
        answer.stdout.contains("may differ from run to run: it uses clock, localtime, time"),
        "{}",
        answer.stdout
    );
}

#[test]
fn the_hash_is_of_what_is_done_not_of_where_it_stands() {
    let bench = Bench::new();
    let hash = |text: &str| {
        bench.write("a.c", text);
        let answer = bench.fuel(&["--check", "a.c"]);
        answer.json["hash"].as_str().unwrap_or_else(|| panic!("{}", answer.said())).to_owned()
    };
    let one = hash("int main(void) { return 1; }\n");
    assert_eq!(one, hash("\n\nint main(void) {\n  return 1;\n}\n"));
    assert_ne!(one, hash("int main(void) { return 2; }\n"));
}
