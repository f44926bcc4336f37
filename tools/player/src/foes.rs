//! What a person learns of monsters from meeting them: who is told by which letter
//! in which colour, how strong each is, and what to expect of a fight.

use std::sync::LazyLock;

use anyhow::{Context, Result};

/// One kind of monster.
#[derive(Clone, Debug)]
pub struct Foe {
    /// Letter and colour.
    pub look: (u8, u8),
    /// How strong it is; ten times that is its attack.
    pub level: u32,
    /// Its defence.
    pub defence: u32,
    /// Time of a step and of an attack; the player's is 1000.
    pub step: u32,
    /// Time of an attack.
    pub strike: u32,
    /// What a blow takes on average, and at most.
    pub mean: f64,
    /// What a blow takes at most.
    pub most: u32,
    /// It leaves alone who leaves it alone.
    pub peaceful: bool,
    /// It follows nobody over stairs.
    pub stays: bool,
}

impl Foe {
    /// Hit points, on average.
    pub fn body(&self) -> f64 {
        f64::from(self.level) * 4.5
    }

    /// What it takes in one of the player's turns from somebody with that defence.
    pub fn harm(&self, armour: u32) -> f64 {
        odds(10 * self.level, armour) * self.mean * 1000.0 / f64::from(self.strike.max(1))
    }
}

static FOES: LazyLock<Vec<Foe>> = LazyLock::new(|| {
    read(include_str!("../../../data/monsters.toml")).expect("the table of monsters in data/")
});

/// The kind that looks so.
pub fn by_look(look: (u8, u8)) -> Option<&'static Foe> {
    FOES.iter().find(|foe| foe.look == look)
}

/// How often 2d(attack) is more than 2d(defence).
pub fn odds(attack: u32, defence: u32) -> f64 {
    let (attack, defence) = (i64::from(attack.max(1)), i64::from(defence.max(1)));
    // Ways to roll exactly `sum` with two dice, and at most `sum`.
    let exactly = |sides: i64, sum: i64| (sides - (sum - sides - 1).abs()).max(0);
    let mut below = 0;
    let mut lands = 0;
    for sum in 2..=2 * attack {
        lands += exactly(attack, sum) * below;
        below += exactly(defence, sum);
    }
    lands as f64 / (attack * attack * defence * defence) as f64
}

/// Reads the rows of data/monsters.toml, all but the player's.
fn read(text: &str) -> Result<Vec<Foe>> {
    let table: toml::Table = text.parse()?;
    let rows = table.get("monster").and_then(toml::Value::as_array).context("no monsters")?;
    rows.iter().skip(1).map(foe).collect()
}

fn foe(row: &toml::Value) -> Result<Foe> {
    let text = |name: &str| row.get(name).and_then(toml::Value::as_str).context(name.to_owned());
    let number =
        |name: &str| row.get(name).and_then(toml::Value::as_integer).context(name.to_owned());
    let attacks = row.get("attacks").and_then(toml::Value::as_array).context("attacks")?;
    let blows: Vec<(f64, u32)> =
        attacks.iter().filter_map(toml::Value::as_str).map(blow).collect::<Result<_>>()?;
    let level = u32::try_from(number("level")?)?;
    Ok(Foe {
        look: (text("glyph")?.as_bytes()[0], colour(text("color")?)?),
        level,
        defence: 10 * level + u32::try_from(number("ac")?)?,
        step: u32::try_from(number("mspeed")?)?,
        strike: u32::try_from(number("aspeed")?)?,
        mean: blows.iter().map(|blow| blow.0).sum::<f64>() / blows.len().max(1) as f64,
        most: blows.iter().map(|blow| blow.1).max().unwrap_or(0),
        peaceful: number("align")? >= 2,
        stays: matches!(text("name")?, "castle guard" | "black knight"),
    })
}

/// Mean and most of "bite 1d2-1" or "spit 0 blinding".
fn blow(text: &str) -> Result<(f64, u32)> {
    let dice = text.split_whitespace().nth(1).context("an attack without dice")?;
    let (dice, bonus) = dice.split_once('-').unwrap_or((dice, "0"));
    let bonus: f64 = bonus.parse()?;
    let Some((count, sides)) = dice.split_once('d') else { return Ok((0.0, 0)) };
    let (count, sides): (u32, u32) = (count.parse()?, sides.parse()?);
    let mean = f64::from(count) * f64::from(sides + 1) / 2.0 - bonus;
    Ok((mean, count * sides - bonus as u32))
}

fn colour(name: &str) -> Result<u8> {
    const NAMES: [&str; 16] = [
        "black",
        "blue",
        "green",
        "cyan",
        "red",
        "magenta",
        "brown",
        "light grey",
        "dark grey",
        "light blue",
        "light green",
        "light cyan",
        "light red",
        "light magenta",
        "yellow",
        "white",
    ];
    let place = NAMES.iter().position(|known| *known == name);
    Ok(place.with_context(|| format!("no colour {name}"))? as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_are_those_of_the_rules() {
        assert!((odds(10, 10) - 0.4665).abs() < 1e-9);
        assert!((odds(10, 20) - 0.1331).abs() < 1e-4);
    }

    #[test]
    fn every_kind_is_told_by_its_look() {
        assert_eq!(FOES.len(), 27);
        let rat = by_look((b'r', 6)).expect("a sewer rat");
        assert_eq!((rat.level, rat.defence, rat.most), (1, 12, 1));
        assert!((rat.mean - 0.5).abs() < 1e-9);
        assert!(by_look((b'd', 15)).expect("a dog").peaceful);
    }
}
