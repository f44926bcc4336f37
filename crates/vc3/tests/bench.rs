//! `vc3 bench`: everything it promises is measured and told, as tables and as
//! JSON.

mod support;

use serde_json::Value;
use support::Folder;

/// What is measured on every engine.
const ON_ENGINES: [&str; 5] = ["countdown", "arithmetic", "copy", "calls", "rogueima"];

#[test]
fn every_measurement_is_in_the_json_with_its_spread() {
    let run = Folder::new().run(&["bench", "--json", "--rounds", "2", "--engine", "plain"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let all: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(all["rounds"], 2);
    assert!(all["host"]["threads"].as_u64() >= Some(1));
    let results = all["results"].as_array().expect("results");
    let told = |what: &str, engine: Option<&str>| {
        results
            .iter()
            .find(|result| result["what"] == what && result["engine"].as_str() == engine)
            .unwrap_or_else(|| panic!("no {what} in {}", run.out))
    };
    let on_engines = ON_ENGINES.map(|what| told(what, Some("plain")));
    for result in on_engines.into_iter().chain([told("plain", None), told("macros", None)]) {
        let figure = |name: &str| result[name].as_f64().expect(name);
        assert!(0.0 < figure("lowest"), "{result}");
        assert!(figure("lowest") <= figure("median"), "{result}");
        assert!(figure("median") <= figure("highest"), "{result}");
        assert_eq!(result["figures"].as_array().map(Vec::len), Some(2), "{result}");
    }
    assert_eq!(results.len(), ON_ENGINES.len() + 2);
}

/// Fields and words of the JSON are those that docs/performance.md tells of.
#[test]
fn the_json_is_as_the_docs_say() {
    let run = Folder::new().run(&["bench", "--json", "--rounds", "1", "--engine", "fast"]);
    let all: Value = serde_json::from_str(&run.out).expect("JSON");
    let docs = include_str!("../../../docs/performance.md");
    let (_, docs) = docs.split_once("## `vc3 bench --json`").expect("the section");
    let (docs, _) = docs.split_once("\n## ").expect("a section behind it");
    let is_told = |name: &str| assert!(docs.contains(&format!("`{name}`")), "{name}");
    for (name, value) in all.as_object().expect("an object") {
        match value.as_object() {
            Some(host) => host.keys().for_each(|field| is_told(&format!("{name}.{field}"))),
            None => is_told(name),
        }
    }
    for result in all["results"].as_array().expect("results") {
        result.as_object().expect("an object").keys().for_each(|field| is_told(field));
        for word in ["what", "engine", "unit"] {
            result[word].as_str().into_iter().for_each(is_told);
        }
    }
}

#[test]
fn the_tables_have_a_column_for_each_engine() {
    let run =
        Folder::new().run(&["bench", "--rounds", "1", "--engine", "plain", "--engine", "fast"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let titles: Vec<&str> =
        run.out.lines().filter(|line| line.contains("plain  ") && line.contains("fast")).collect();
    assert_eq!(titles.len(), 2, "{}", run.out);
    for what in ON_ENGINES.into_iter().chain(["geometric mean"]) {
        let row = run.out.lines().find(|line| line.starts_with(what)).expect(what);
        let figures = row.split_whitespace().filter(|word| word.parse::<f64>().is_ok());
        assert_eq!(figures.count(), 2, "{row}");
    }
}

#[test]
fn an_engine_that_there_is_not_is_refused() {
    let run = Folder::new().run(&["bench", "--engine", "warp"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("plain, fast, jit"), "{}", run.err);
    let run = Folder::new().run(&["bench", "--rounds", "0"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
}
