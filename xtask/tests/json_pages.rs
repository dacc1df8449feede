//! Do the pages of JSON documents have every field?
//!
//! Each schema of `schemas` has a page in the guide. Between two marks it has tables of the fields,
//! one for the document and one for each kind of object in it. `OPCOST_WRITE_GUIDE=1 cargo test -p
//! xtask --test json_pages` writes them. Input: JSON schemas as schemars writes them. Limits:
//! a form of schema that is unknown here is written as `any`.

mod sources;

use std::fmt::Write;

use serde_json::Value;

const BEGIN: &str = "<!-- fields -->\n";
const END: &str = "<!-- /fields -->";

/// What stands between the marks.
fn fields_of(schema: &Value) -> String {
    let mut text = format!("{BEGIN}{}\n\n", words(&schema["description"]));
    table(schema, &mut text);
    for (name, object) in schema["$defs"].as_object().into_iter().flatten() {
        let _ = write!(text, "## {name}\n\n{}\n\n", words(&object["description"]));
        table(object, &mut text);
    }
    text + END
}

/// The fields of an object, or the alternatives that it is one of.
fn table(object: &Value, text: &mut String) {
    let alternatives = object["oneOf"].as_array().or(object["anyOf"].as_array());
    for one in alternatives.into_iter().flatten() {
        let tag =
            one["properties"].as_object().into_iter().flatten().find(|(_, field)| !field["const"].is_null());
        let name = match (tag, one["const"].is_null()) {
            (Some((field, value)), _) => format!("`\"{field}\": {}`", value["const"]),
            (None, false) => format!("`{}`", one["const"]),
            (None, true) => type_of(one),
        };
        let _ = writeln!(text, "- {name}: {}", words(&one["description"]));
        for (field, value) in one["properties"].as_object().into_iter().flatten() {
            if value["const"].is_null() {
                let _ =
                    writeln!(text, "  - `{field}` ({}): {}", type_of(value), words(&value["description"]));
            }
        }
    }
    if let Some(values) = object["enum"].as_array() {
        let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
        let _ = writeln!(text, "One of {}.", values.join(", "));
    }
    if let Some(fields) = object["properties"].as_object() {
        text.push_str("| field | type | meaning |\n|---|---|---|\n");
        let required: Vec<&str> =
            object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, field) in fields {
            let mark = if required.contains(&name.as_str()) { "" } else { " ?" };
            let meaning = words(&field["description"]).replace('|', "\\|");
            let _ = writeln!(text, "| `{name}`{mark} | {} | {meaning} |", type_of(field).replace('|', "\\|"));
        }
    }
    text.push('\n');
}

/// A description in one line.
fn words(description: &Value) -> String {
    description.as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn type_of(field: &Value) -> String {
    if let Some(name) = field["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if !field["const"].is_null() {
        return format!("`{}`", field["const"]);
    }
    for key in ["anyOf", "oneOf", "enum"] {
        if let Some(alternatives) = field[key].as_array() {
            let of = |one: &Value| if key == "enum" { format!("`{one}`") } else { type_of(one) };
            return alternatives.iter().map(of).collect::<Vec<_>>().join(" or ");
        }
    }
    let simple = |name: &str| match name {
        "array" => match field["prefixItems"].as_array() {
            Some(items) => format!("list of {}", items.iter().map(type_of).collect::<Vec<_>>().join(", ")),
            None => format!("list of {}", type_of(&field["items"])),
        },
        "object" if field["additionalProperties"].is_object() => {
            format!("map of {}", type_of(&field["additionalProperties"]))
        }
        other => other.to_owned(),
    };
    match &field["type"] {
        Value::String(name) => simple(name),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str);
            names.map(simple).collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    }
}

#[test]
fn pages_have_the_fields_of_their_documents() {
    let folder = sources::root().join("guide/src/formats/json");
    let mut old = Vec::new();
    for entry in std::fs::read_dir(sources::root().join("schemas")).expect("the schemas") {
        let path = entry.expect("a schema").path();
        let schema: Value = serde_json::from_slice(&std::fs::read(&path).expect("a schema")).expect("JSON");
        let title = schema["title"].as_str().expect("a schema has a title");
        let name = title.trim_start_matches("opcost.").split('/').next().expect("a name");
        let page_path = folder.join(format!("{name}.md"));
        let page = std::fs::read_to_string(&page_path).unwrap_or_else(|error| {
            panic!("{title} has no page in the guide: {}: {error}", page_path.display())
        });
        assert!(page.starts_with(&format!("# {title}\n")), "the page of {name} is of another document");
        let (before, rest) = page.split_once(BEGIN).expect("the fields begin");
        let (_, after) = rest.split_once(END).expect("the fields end");
        let made = format!("{before}{}{after}", fields_of(&schema));
        if made != page {
            old.push(name.to_owned());
            if std::env::var_os("OPCOST_WRITE_GUIDE").is_some() {
                std::fs::write(&page_path, made).expect("written");
            }
        }
    }
    assert!(
        old.is_empty() || std::env::var_os("OPCOST_WRITE_GUIDE").is_some(),
        "old pages of the guide: {old:?}; OPCOST_WRITE_GUIDE=1 cargo test -p xtask --test json_pages"
    );
}
