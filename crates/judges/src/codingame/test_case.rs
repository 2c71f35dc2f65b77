//! The files of test cases: JSON, or YAML.

use serde_json::Value;
use yaml_rust2::{Yaml, YamlLoader};

use rules::source::{SourceError, json_problem};

/// The content of a test case's file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestCaseContent {
    /// Its English title, or else another one.
    pub title: Option<String>,
    /// The text that the referee gets.
    pub text: String,
}

/// Reads the content of a test case's file: JSON as lax as the SDK takes it, or YAML.
///
/// # Errors
/// What is wrong, and where.
pub fn parse_test_case(source: &str) -> Result<TestCaseContent, SourceError> {
    let value = match serde_json::from_str::<Value>(source) {
        Ok(value) => value,
        // YAML allows the commas and comments that the SDK's reader of JSON allows as well.
        Err(json) => match YamlLoader::load_from_str(source) {
            Ok(documents) => documents.into_iter().next().map_or(Value::Null, from_yaml),
            Err(_) if source.trim_start().starts_with('{') => {
                let problem = json_problem(&json);
                return Err(SourceError { line: json.line(), column: json.column(), problem });
            }
            Err(yaml) => {
                let at = yaml.marker();
                let problem = yaml.info().to_owned();
                return Err(SourceError { line: at.line(), column: at.col() + 1, problem });
            }
        },
    };
    let Some(text) = value.get("testIn").and_then(plain) else {
        return Err(SourceError::at(
            source,
            0,
            "a test case needs `testIn`, the text for the referee",
        ));
    };
    // The SDK numbers French 1 and English 2.
    let titles = value.get("title");
    let title = ["2", "1"].iter().find_map(|language| titles?.get(language).and_then(plain));
    Ok(TestCaseContent { title, text })
}

/// A single value as text.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn from_yaml(yaml: Yaml) -> Value {
    match yaml {
        Yaml::Real(text) | Yaml::String(text) => Value::String(text),
        Yaml::Integer(number) => number.into(),
        Yaml::Boolean(is_so) => is_so.into(),
        Yaml::Hash(hash) => {
            let pairs = hash
                .into_iter()
                .filter_map(|(key, value)| Some((plain(&from_yaml(key))?, from_yaml(value))));
            Value::Object(pairs.collect())
        }
        Yaml::Array(_) | Yaml::Alias(_) | Yaml::Null | Yaml::BadValue => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_case_may_be_json_or_yaml() {
        let expected = TestCaseContent { title: Some("Two".to_owned()), text: "1 2\n3".to_owned() };
        for source in [
            "{\"title\": {\"1\": \"Deux\", \"2\": \"Two\"}, \"testIn\": \"1 2\\n3\", \"isTest\": true}",
            "{\"title\": {\"2\": \"Two\",}, // lax\n \"testIn\": \"1 2\\n3\",}"
                .replace("// lax", "")
                .as_str(),
            "title:\n  1: Deux\n  2: Two\ntestIn: |-\n  1 2\n  3\nisTest: true\n",
        ] {
            assert_eq!(parse_test_case(source).as_ref(), Ok(&expected), "{source}");
        }
        assert_eq!(parse_test_case("testIn: 42").map(|content| content.text), Ok("42".to_owned()));
        for (source, expected) in [
            ("{\"testIn\": [1]}", "1:1: a test case needs `testIn`"),
            ("{\n\"testIn\": \"\\q\"}", "2:13: invalid escape"),
            ("", "1:1: a test case needs"),
            ("a: b\n\tc: [", "1:4: while scanning"),
        ] {
            let problem = parse_test_case(source).expect_err(source).to_string();
            assert!(problem.starts_with(expected), "{source}: {problem}");
        }
    }
}
