//! What does an answer say that is a document? Which one, and in which version: in its first field.
//!
//! Such a field has one value, so it is no data: reading demands it, and writing writes it.

/// Defines the first field of a document: a type whose one value is the document's name.
macro_rules! define_document {
    ($(#[$about:meta])* $vis:vis struct $Name:ident = $name:literal) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        $vis struct $Name;

        impl ::serde::Serialize for $Name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($name)
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $Name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <String as ::serde::Deserialize>::deserialize(deserializer)?;
                if name == $name {
                    return Ok($Name);
                }
                Err(::serde::de::Error::custom(format!("expected {}, found {name}", $name)))
            }
        }

        impl ::schemars::JsonSchema for $Name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($Name).into()
            }

            fn json_schema(_: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                ::schemars::json_schema!({ "type": "string", "const": $name })
            }
        }
    };
}

pub(crate) use define_document;

#[cfg(test)]
mod tests {
    define_document!(
        /// Of a test.
        struct TestDocument = "opcost.test/1"
    );

    #[test]
    fn only_its_own_name_is_read() {
        assert_eq!(serde_json::to_string(&TestDocument).unwrap(), "\"opcost.test/1\"");
        assert!(serde_json::from_str::<TestDocument>("\"opcost.test/1\"").is_ok());
        assert!(serde_json::from_str::<TestDocument>("\"opcost.test/2\"").is_err());
    }
}
