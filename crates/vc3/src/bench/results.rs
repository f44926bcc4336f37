//! What was measured, as a table and as JSON.

use std::fmt::Write as _;

use benches::spread::{Spread, geometric_mean, spread};
use sd8516::Engine;
use serde::Serialize;
use serde_json::json;

use super::host::Host;

/// One thing that is measured again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The loop, program or source.
    pub what: &'static str,
    /// The engine, where one runs.
    pub engine: Option<Engine>,
    /// What is counted.
    pub unit: Unit,
}

/// What is counted a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Unit {
    /// Millions of the machine's instructions.
    #[serde(rename = "million instructions a second")]
    Instructions,
    /// Turns of the game.
    #[serde(rename = "turns a second")]
    Turns,
    /// Millions of source lines.
    #[serde(rename = "million lines a second")]
    Lines,
}

/// All figures of all rounds.
#[derive(Debug)]
pub struct Results {
    rounds: u16,
    rows: Vec<(Row, Vec<f64>)>,
}

impl Results {
    /// None yet.
    pub fn new(rounds: u16) -> Results {
        Results { rounds, rows: Vec::new() }
    }

    /// One more figure of a row.
    pub fn add(&mut self, row: Row, figure: f64) {
        match self.rows.iter_mut().find(|(known, _)| *known == row) {
            Some((_, figures)) => figures.push(figure),
            None => self.rows.push((row, vec![figure])),
        }
    }

    /// Three tables: loops, turns and lines.
    pub fn table(&self, host: &Host) -> String {
        let mut text = heading(host, self.rounds);
        let mut engines: Vec<Engine> = Vec::new();
        for (row, _) in &self.rows {
            engines.extend(row.engine.filter(|engine| !engines.contains(engine)));
        }
        self.add_engine_table(
            &mut text,
            "million instructions a second",
            Unit::Instructions,
            &engines,
        );
        let means: Vec<String> =
            engines.iter().map(|&engine| cell(self.mean(engine), None)).collect();
        add_line(&mut text, "geometric mean", &means);
        self.add_engine_table(&mut text, "turns a second", Unit::Turns, &engines);
        add_line(&mut text, "million lines a second", &["assembler".into()]);
        for (row, figures) in self.rows.iter().filter(|(row, _)| row.unit == Unit::Lines) {
            add_line(&mut text, row.what, &[spread_cell(spread(figures))]);
        }
        text
    }

    fn add_engine_table(&self, text: &mut String, title: &str, unit: Unit, engines: &[Engine]) {
        let names: Vec<String> = engines.iter().map(ToString::to_string).collect();
        add_line(text, title, &names);
        let mut done: Vec<&str> = Vec::new();
        for (row, _) in self.rows.iter().filter(|(row, _)| row.unit == unit) {
            if done.contains(&row.what) {
                continue;
            }
            done.push(row.what);
            let cells: Vec<String> = engines
                .iter()
                .filter_map(|&engine| self.figures(Row { engine: Some(engine), ..*row }))
                .map(|figures| spread_cell(spread(figures)))
                .collect();
            add_line(text, row.what, &cells);
        }
    }

    fn figures(&self, row: Row) -> Option<&[f64]> {
        self.rows.iter().find(|(known, _)| *known == row).map(|(_, figures)| figures.as_slice())
    }

    /// The geometric mean of the loops' medians.
    fn mean(&self, engine: Engine) -> f64 {
        let of_engine = |row: &Row| row.engine == Some(engine) && row.unit == Unit::Instructions;
        let rows = self.rows.iter().filter(|(row, _)| of_engine(row));
        geometric_mean(rows.map(|(_, figures)| spread(figures).median))
    }

    /// One object with everything, every figure of every round among it.
    pub fn json(&self, host: &Host) -> String {
        let results: Vec<_> = self
            .rows
            .iter()
            .map(|(row, figures)| {
                json!({
                    "what": row.what,
                    "engine": row.engine.map(Engine::name),
                    "unit": row.unit,
                    "median": spread(figures).median,
                    "lowest": spread(figures).lowest,
                    "highest": spread(figures).highest,
                    "figures": figures,
                })
            })
            .collect();
        let all = json!({ "host": host, "rounds": self.rounds, "results": results });
        format!("{all:#}\n")
    }
}

fn heading(host: &Host, rounds: u16) -> String {
    let processor = host.processor.as_deref().unwrap_or("unknown processor");
    let mut text = format!(
        "{processor}, {} threads, {} {}; vc3 {}\nMedians of {rounds} rounds (lowest-highest)\n",
        host.threads, host.system, host.architecture, host.version
    );
    if host.debug_build {
        text += "This vc3 was built without optimisation: the figures mean nothing.\n";
    }
    text
}

/// Columns: the name, then figures.
fn add_line(text: &mut String, name: &str, cells: &[String]) {
    // Tables begin where there are no figures yet.
    if !cells.iter().any(|cell| cell.starts_with(|c: char| c.is_ascii_digit() || c == ' ')) {
        text.push('\n');
    }
    let mut line = format!("{name:<30}");
    for cell in cells {
        // Writing into a string cannot fail.
        let _ = write!(line, "{cell:<24}");
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

fn spread_cell(spread: Spread) -> String {
    cell(spread.median, Some((spread.lowest, spread.highest)))
}

fn cell(figure: f64, ends: Option<(f64, f64)>) -> String {
    let text =
        |figure: f64| if figure < 100.0 { format!("{figure:.1}") } else { format!("{figure:.0}") };
    match ends {
        Some((lowest, highest)) => format!("{} ({}-{})", text(figure), text(lowest), text(highest)),
        None => text(figure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_the_loops_is_geometric_and_of_one_engine() {
        let mut results = Results::new(1);
        for (what, engine, figure) in
            [("a", Engine::Plain, 100.0), ("b", Engine::Plain, 400.0), ("a", Engine::Fast, 900.0)]
        {
            results.add(Row { what, engine: Some(engine), unit: Unit::Instructions }, figure);
        }
        assert!((results.mean(Engine::Plain) - 200.0).abs() < 1e-9);
        assert!((results.mean(Engine::Fast) - 900.0).abs() < 1e-9);
    }
}
