//! The data files: rows of named fields, every mistake reported by file, row and
//! field. A field that nobody asked for is a mistake too.

use std::cell::RefCell;
use std::ops::RangeInclusive;

use anyhow::{Context, Result, anyhow, bail};
use toml::Value;

use crate::symbols::{self, Dice};

/// A parsed data file.
pub struct Data {
    file: String,
    tables: toml::Table,
}

impl Data {
    /// Parses the text of a data file; `file` is how messages call it.
    ///
    /// # Errors
    /// When the text is not TOML: the message has the line.
    pub fn parse(file: &str, text: &str) -> Result<Self> {
        let tables = text.parse().with_context(|| file.to_owned())?;
        Ok(Self { file: file.to_owned(), tables })
    }

    /// The rows `[[kind]]`, in order.
    ///
    /// # Errors
    /// When there are none, or one is no table.
    pub fn rows(&self, kind: &str) -> Result<Vec<Row<'_>>> {
        let list = self.tables.get(kind).and_then(Value::as_array);
        let list = list.with_context(|| format!("{}: no rows [[{kind}]]", self.file))?;
        let rows = list.iter().enumerate().map(|(number, value)| {
            let fields = value.as_table();
            let fields = fields.with_context(|| format!("{}: {kind} {number}", self.file))?;
            let name = fields.get("name").and_then(Value::as_str).unwrap_or_default();
            let place = format!("{}: {kind} {number} \"{name}\"", self.file);
            Ok(Row { place, fields, asked: RefCell::default() })
        });
        rows.collect()
    }
}

/// One row of a data file.
pub struct Row<'a> {
    place: String,
    fields: &'a toml::Table,
    asked: RefCell<Vec<&'static str>>,
}

impl Row<'_> {
    /// A mistake in a field of this row.
    pub fn wrong(&self, field: &str, what: &str) -> anyhow::Error {
        anyhow!("{}: {field}: {what}", self.place)
    }

    fn value(&self, field: &'static str) -> Option<&Value> {
        self.asked.borrow_mut().push(field);
        self.fields.get(field)
    }

    fn needed(&self, field: &'static str) -> Result<&Value> {
        self.value(field).ok_or_else(|| self.wrong(field, "is missing"))
    }

    /// Is the field there at all?
    pub fn has(&self, field: &'static str) -> bool {
        self.value(field).is_some()
    }

    /// A text in printable ASCII, not empty.
    ///
    /// # Errors
    /// When the field is missing or something else.
    pub fn text(&self, field: &'static str) -> Result<&str> {
        let text = self.needed(field)?.as_str();
        let text = text.ok_or_else(|| self.wrong(field, "is no text"))?;
        if text.is_empty() || !text.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
            return Err(self.wrong(field, "is not printable ASCII, or empty"));
        }
        Ok(text)
    }

    /// A whole number within a range.
    ///
    /// # Errors
    /// When the field is missing, something else or outside.
    pub fn number(&self, field: &'static str, range: RangeInclusive<i64>) -> Result<i64> {
        let number = self.needed(field)?.as_integer();
        let number = number.ok_or_else(|| self.wrong(field, "is no whole number"))?;
        if !range.contains(&number) {
            return Err(self.wrong(field, &format!("{number} is not in {range:?}")));
        }
        Ok(number)
    }

    /// Yes or no; a field that is not there is no.
    ///
    /// # Errors
    /// When the field is something else.
    pub fn flag(&self, field: &'static str) -> Result<bool> {
        let Some(value) = self.value(field) else { return Ok(false) };
        value.as_bool().ok_or_else(|| self.wrong(field, "is neither true nor false"))
    }

    /// A list of texts; a field that is not there is an empty list.
    ///
    /// # Errors
    /// When the field is something else.
    pub fn list(&self, field: &'static str) -> Result<Vec<&str>> {
        let Some(value) = self.value(field) else { return Ok(Vec::new()) };
        let list = value.as_array().ok_or_else(|| self.wrong(field, "is no list"))?;
        let texts = list.iter().map(|text| text.as_str());
        texts.map(|text| text.ok_or_else(|| self.wrong(field, "holds no text"))).collect()
    }

    /// A text that is one of some names; the answer is what stands beside it.
    ///
    /// # Errors
    /// When the field is missing or none of them; the message lists them.
    pub fn choice<T: Copy>(&self, field: &'static str, choices: &[(&str, T)]) -> Result<T> {
        let text = self.text(field)?;
        self.one_of(field, text, choices)
    }

    /// As [`Row::choice`], for a text that was already read.
    ///
    /// # Errors
    /// When it is none of the names.
    pub fn one_of<T: Copy>(&self, field: &str, text: &str, choices: &[(&str, T)]) -> Result<T> {
        let found = choices.iter().find(|(name, _)| *name == text);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            self.wrong(field, &format!("\"{text}\" is none of {}", names.join(", ")))
        })
    }

    /// A colour by its CGA name, as the constant of const.sda. The colours of
    /// nothing and of a remembered square are refused.
    ///
    /// # Errors
    /// When the field is missing or no such colour.
    pub fn colour(&self, field: &'static str) -> Result<&'static str> {
        let text = self.text(field)?;
        symbols::colour(text).ok_or_else(|| self.wrong(field, &format!("no colour \"{text}\"")))
    }

    /// One printable character, as a character constant of the assembler.
    ///
    /// # Errors
    /// When the field is missing or not one character.
    pub fn glyph(&self, field: &'static str) -> Result<String> {
        let text = self.text(field)?;
        symbols::glyph(text).ok_or_else(|| self.wrong(field, "is not one character"))
    }

    /// Dice such as `2d6`, `1d2-1`.
    ///
    /// # Errors
    /// When the field is missing or no dice.
    pub fn dice(&self, field: &'static str) -> Result<Dice> {
        let text = self.text(field)?;
        self.dice_of(field, text)
    }

    /// As [`Row::dice`], for a text that was already read.
    ///
    /// # Errors
    /// When it is no dice.
    pub fn dice_of(&self, field: &str, text: &str) -> Result<Dice> {
        Dice::parse(text).ok_or_else(|| self.wrong(field, &format!("\"{text}\" is no dice")))
    }

    /// Ends a row: it must say where its numbers come from (`source` is `seed`
    /// or `ours`), and every field it has must have been asked for.
    ///
    /// # Errors
    /// When it does not, or has a field that nobody knows.
    pub fn end(&self) -> Result<()> {
        self.choice("source", &[("seed", ()), ("ours", ())])?;
        self.value("note");
        let asked = self.asked.borrow();
        match self.fields.keys().find(|field| !asked.contains(&field.as_str())) {
            Some(field) => bail!("{}: {field}: no such field", self.place),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(row: &str, read: fn(&Row) -> Result<()>) -> String {
        let data = Data::parse("data/x.toml", &format!("[[thing]]\n{row}")).unwrap();
        read(&data.rows("thing").unwrap()[0]).unwrap_err().to_string()
    }

    #[test]
    fn a_mistake_names_file_row_and_field() {
        assert_eq!(
            message("name = \"dog\"\nlevel = 300", |row| row.number("level", 0..=255).map(|_| ())),
            "data/x.toml: thing 0 \"dog\": level: 300 is not in 0..=255"
        );
        assert_eq!(
            message("name = \"dog\"", |row| row.glyph("glyph").map(|_| ())),
            "data/x.toml: thing 0 \"dog\": glyph: is missing"
        );
        assert_eq!(
            message("name = \"dog\"\ncolor = \"pink\"", |row| row.colour("color").map(|_| ())),
            "data/x.toml: thing 0 \"dog\": color: no colour \"pink\""
        );
        assert_eq!(
            message("name = \"dog\"\ndamage = \"2x6\"", |row| row.dice("damage").map(|_| ())),
            "data/x.toml: thing 0 \"dog\": damage: \"2x6\" is no dice"
        );
    }

    #[test]
    fn a_field_that_nobody_knows_is_a_mistake() {
        assert_eq!(
            message("name = \"dog\"\nlevl = 3\nsource = \"ours\"", |row| {
                row.text("name")?;
                row.end()
            }),
            "data/x.toml: thing 0 \"dog\": levl: no such field"
        );
    }

    #[test]
    fn a_row_says_where_its_numbers_are_from() {
        assert_eq!(
            message("name = \"dog\"\nsource = \"book\"", |row| row.end()),
            "data/x.toml: thing 0 \"dog\": source: \"book\" is none of seed, ours"
        );
    }
}
