//! What is told of figures that were measured again and again.

/// The middle of some figures, and how far they lie apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The middle one, or between the two middle ones.
    pub median: f64,
    /// The lowest.
    pub lowest: f64,
    /// The highest.
    pub highest: f64,
}

/// The spread of at least one figure; zeros for none.
pub fn spread(figures: &[f64]) -> Spread {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |index: usize| sorted.get(index).copied().unwrap_or(0.0);
    let middle = sorted.len() / 2;
    let median = if sorted.len() % 2 == 1 {
        at(middle)
    } else {
        (at(middle.wrapping_sub(1)) + at(middle)) / 2.0
    };
    Spread { median, lowest: at(0), highest: at(sorted.len().wrapping_sub(1)) }
}

/// The geometric mean of at least one positive figure.
pub fn geometric_mean(figures: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for figure in figures {
        sum += figure.ln();
        count += 1;
    }
    (sum / f64::from(count.max(1))).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_the_middle_or_between_the_two_middle_ones() {
        let one = spread(&[3.0, 1.0, 2.0]);
        assert_eq!((one.lowest, one.median, one.highest), (1.0, 2.0, 3.0));
        assert_eq!(spread(&[4.0, 1.0, 2.0, 3.0]).median, 2.5);
        assert_eq!(spread(&[7.0]).median, 7.0);
        assert_eq!(spread(&[]), Spread { median: 0.0, lowest: 0.0, highest: 0.0 });
    }

    #[test]
    fn a_geometric_mean_multiplies() {
        assert!((geometric_mean([2.0, 8.0]) - 4.0).abs() < 1e-9);
    }
}
