//! Are the graphs of selection drawn, each phase with the chosen node marked?

use opcost_testkit::command::{Workplace, corpus};
use serde_json::Value;

use crate::{life, workplace};

/// What opcost draws.
fn picture(arguments: &[&str]) -> String {
    picture_in(&workplace(), arguments)
}

fn picture_in(place: &Workplace, arguments: &[&str]) -> String {
    place.opcost(&[&["life", "--stage", "dag", "--svg", "dag.svg"], arguments].concat()).expect(0);
    place.read("dag.svg")
}

/// Titles of the panels; and, of each, what is written in marked boxes.
fn marked(picture: &str) -> Vec<(String, Vec<String>)> {
    let between = |text: &str, from: &str, to: &str| -> Option<String> {
        let rest = &text[text.find(from)? + from.len()..];
        Some(rest[..rest.find(to)?].to_owned())
    };
    let panel = |text: &str| {
        let boxes = text.split("<g class=\"on\">").skip(1).filter_map(|one| {
            let inner = between(one, "<text", "</text>")?;
            inner.rsplit('>').next().map(str::to_owned)
        });
        Some((between(text, "y=\"20\">", "</text>")?, boxes.collect()))
    };
    picture.split("<text class=\"head\"").skip(1).filter_map(panel).collect()
}

#[test]
fn each_phase_of_the_division_is_drawn_with_it_marked() {
    let drawn = picture(&[&format!("{}:3:14", corpus("life/foo.c"))]);
    let panels = marked(&drawn);
    let words = |boxes: &[&str]| boxes.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(panels[0], ("built".to_owned(), words(&["sdiv"])));
    assert_eq!(panels[1].1, words(&["sdivrem"]));
    let selected = &panels.last().expect("a panel").1;
    for operation in ["CDQ", "IDIV32r"] {
        assert!(selected.iter().any(|text| text.starts_with(operation)), "{selected:?}");
    }
    assert!(drawn.starts_with("<svg ") && drawn.ends_with("</svg>\n"));
    assert!(!drawn.contains("<script") && !drawn.contains("href"), "it loads nothing");
    assert!(drawn.contains("class=\"chain\"") && drawn.contains("class=\"glue\""));
}

/// Addresses are others in every run; nothing of them may be seen.
#[test]
fn two_pictures_are_equal() {
    let question = format!("{}:4", corpus("life/loop.c"));
    let first = picture(&[&question]);
    assert_eq!(first, picture(&[&question]));
    assert!(!first.contains("0x"), "no address");
}

/// Edges lead from operands to users, and say what goes along them.
#[test]
fn the_document_has_the_graphs() {
    let life = life(&["--stage", "dag", &format!("{}:3:14", corpus("life/foo.c"))]);
    let graph = &life["graphs"][0];
    let nodes: Vec<&str> = graph["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .map(|node| node["operation"].as_str().expect("a text"))
        .collect();
    let to = |edge: &Value, key: &str| nodes[edge[key].as_u64().expect("a position") as usize];
    let edges: Vec<(&str, &str, &str)> = graph["edges"]
        .as_array()
        .expect("edges")
        .iter()
        .map(|edge| (to(edge, "from"), to(edge, "to"), edge["kind"].as_str().expect("a text")))
        .collect();
    assert!(edges.contains(&("add", "sdiv", "data")), "{edges:?}");
    assert!(edges.contains(&("EntryToken", "CopyFromReg", "chain")), "{edges:?}");
    assert!(edges.contains(&("CopyToReg", "X86ISD::RET_GLUE", "glue")), "{edges:?}");
}

#[test]
fn a_large_graph_is_cut_and_says_so() {
    let place = workplace();
    let lines: String = (0..200).map(|at| format!("  to[{at}] = from[{at}] * {};\n", at + 3)).collect();
    place.write("long.c", format!("void f(volatile int *to, volatile int *from) {{\n{lines}}}\n"));
    let drawn = picture_in(&place, &["long.c:100"]);
    assert!(drawn.contains(" further nodes"), "it says so");
    let boxes =
        drawn.split("<text class=\"head\"").nth(1).expect("a panel").matches("<rect class=\"box\"").count();
    assert!((5..=60).contains(&boxes), "{boxes} boxes");
    assert!(marked(&drawn).iter().all(|(_, boxes)| !boxes.is_empty()), "what was asked for is not cut off");
}

#[test]
fn what_has_no_graph_is_not_drawn() {
    let place = workplace();
    let question = format!("{}:3:14", corpus("life/foo.c"));
    let output = place.opcost(&["life", "-O0", "--svg", "dag.svg", &question]);
    let said = &output.stderr;
    assert_eq!(output.status, 1, "{said}");
    assert!(said.contains("no graph to draw") && said.contains("--stage mir"), "{said}");
    assert!(!place.path("dag.svg").exists(), "nothing half-written");
}
