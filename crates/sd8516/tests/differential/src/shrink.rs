//! Makes cases that show a difference as few and as small as it can.

use crate::case::Case;

/// NOP.
const NOP: u8 = 141;

/// The smallest cases found for which `fails` still holds, as it does for
/// `cases`.
pub fn shrunk(cases: &[Case], fails: impl Fn(&[Case]) -> bool) -> Vec<Case> {
    let mut smallest = cases.to_vec();
    loop {
        let better = fewer(&smallest).chain(simpler(&smallest)).find(|cases| fails(cases));
        match better {
            Some(better) => smallest = better,
            None => return smallest,
        }
    }
}

/// One case less.
fn fewer(cases: &[Case]) -> impl Iterator<Item = Vec<Case>> {
    (0..cases.len()).rev().map(|index| [&cases[..index], &cases[index + 1..]].concat())
}

/// One case smaller.
fn simpler(cases: &[Case]) -> impl Iterator<Item = Vec<Case>> {
    (0..cases.len()).flat_map(move |index| {
        smaller(&cases[index]).into_iter().map(move |case| {
            let mut cases = cases.to_vec();
            cases[index] = case;
            cases
        })
    })
}

/// Cases with one thing less.
fn smaller(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    let mut offer = |change: &dyn Fn(&mut Case)| {
        let mut candidate = case.clone();
        change(&mut candidate);
        if candidate != *case {
            all.push(candidate);
        }
    };
    let half = case.budgets.len() / 2;
    offer(&|case| case.budgets.truncate(half.max(1)));
    offer(&|case| {
        case.budgets.pop();
        case.budgets.truncate(case.budgets.len().max(1));
    });
    offer(&|case| case.budgets = vec![case.budgets.iter().sum()]);
    for index in (0..case.code.len()).rev() {
        offer(&|case| case.code.truncate(index));
        offer(&|case| case.code[index] = vec![NOP; case.code[index].len()]);
    }
    for index in 0..case.data.len() {
        offer(&|case| {
            case.data.remove(index);
        });
    }
    for index in 0..case.words.len() {
        offer(&|case| case.words[index] = 0);
    }
    for bit in 0..16 {
        offer(&|case| case.flags &= !(1 << bit));
    }
    offer(&|case| case.start = 0);
    offer(&|case| case.mode = 2);
    offer(&|case| case.sp = Case::default().sp);
    // NOPs in front can go when nothing points behind them.
    if case.code.first().is_some_and(|first| first.iter().all(|&byte| byte == NOP)) {
        offer(&|case| {
            let length = case.code.remove(0).len() as u32;
            case.origin = case.origin.wrapping_add(length) & 0xFF_FFFF;
            case.ip = case.origin;
        });
    }
    all.retain(|candidate| !candidate.budgets.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices::Choices;
    use crate::scene;

    #[test]
    fn only_what_makes_a_case_fail_is_left() {
        const SEF: u8 = 145;
        let mut case = scene::case(&mut Choices::seeded(1));
        case.code.insert(2, vec![SEF]);
        case.words[3] = 7;
        case.start = 21_000;
        let fails = |case: &Case| case.code.concat().contains(&SEF) && case.words[3] != 0;
        let mut other = scene::case(&mut Choices::seeded(2));
        other.words[3] = 0;
        let smallest = shrunk(&[other, case], |cases| cases.iter().any(fails));
        let [smallest] = &smallest[..] else { panic!("{} cases are left", smallest.len()) };
        assert_eq!(smallest.code, [[SEF]]);
        assert_eq!(smallest.words.iter().filter(|&&word| word != 0).count(), 1);
        assert_eq!((smallest.data.len(), smallest.start, smallest.flags), (0, 0, 0));
        assert_eq!(smallest.budgets.len(), 1);
    }
}
