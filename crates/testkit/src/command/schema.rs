//! Does a document hold to the schema that it names?
//!
//! `opcost.NAME/VERSION` is the schema `schemas/opcost.NAME-VERSION.json` of the repository.

use serde_json::Value;

/// Requires that a document names a schema of the repository and holds to it.
#[track_caller]
pub fn holds_to_schema(document: &Value) {
    let name = document["schema"].as_str().unwrap_or_else(|| panic!("no schema is named: {document:#}"));
    let path = super::repository("schemas").join(name.replace('/', "-") + ".json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let schema = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let validator = jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
    let errors: Vec<String> = validator
        .iter_errors(document)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}\n{document:#}");
}
