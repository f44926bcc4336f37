//! What the player sees, by the rules and not by the game's code: rays to the
//! rim of a box, a circle of radius 8, and the faces of walls.

use std::collections::BTreeSet;

use super::level::{Level, Square};

const RADIUS: i32 = 8;

/// Every square that is visible from `from`.
pub fn lit(level: &Level, from: Square) -> BTreeSet<Square> {
    let mut lit = BTreeSet::from([from]);
    for x in -RADIUS..=RADIUS {
        for y in -RADIUS..=RADIUS {
            if x.abs().max(y.abs()) == RADIUS {
                cast(level, from, (x, y), &mut lit);
            }
        }
    }
    light_faces(level, from, &mut lit);
    lit
}

/// One ray: Bresenham with the error starting in the middle, until something
/// opaque, the circle's edge or the map's.
fn cast(level: &Level, from: Square, (tx, ty): (i32, i32), lit: &mut BTreeSet<Square>) {
    let steep = ty.abs() > tx.abs();
    let across = tx.abs().min(ty.abs());
    let (mut x, mut y, mut error) = (0, 0, RADIUS / 2);
    loop {
        error += across;
        let turn = error >= RADIUS;
        if turn {
            error -= RADIUS;
        }
        if !steep || turn {
            x += tx.signum();
        }
        if steep || turn {
            y += ty.signum();
        }
        let Some(at) = offset(level, from, (x, y)) else { return };
        if x * x + y * y > RADIUS * RADIUS {
            return;
        }
        lit.insert(at);
        if level.is_opaque(at) {
            return;
        }
    }
}

/// An opaque square is visible when, towards the player, it touches a visible
/// one that isn't opaque.
fn light_faces(level: &Level, from: Square, lit: &mut BTreeSet<Square>) {
    let open: BTreeSet<Square> = lit.iter().copied().filter(|&at| !level.is_opaque(at)).collect();
    for x in -RADIUS..=RADIUS {
        for y in -RADIUS..=RADIUS {
            let Some(at) = offset(level, from, (x, y)) else { continue };
            if !level.is_opaque(at) || x * x + y * y > RADIUS * RADIUS {
                continue;
            }
            let (nearer_x, nearer_y) = (x - x.signum(), y - y.signum());
            let towards = [(nearer_x, y), (x, nearer_y), (nearer_x, nearer_y)];
            let touches = |&to: &_| offset(level, from, to).is_some_and(|to| open.contains(&to));
            if towards.iter().any(touches) {
                lit.insert(at);
            }
        }
    }
}

/// The square so many columns and rows from another, if it is on the map.
fn offset(level: &Level, (x, y): Square, (dx, dy): (i32, i32)) -> Option<Square> {
    let x = x.checked_add_signed(dx as isize)?;
    let y = y.checked_add_signed(dy as isize)?;
    (x < level.width && y < level.height).then_some((x, y))
}
