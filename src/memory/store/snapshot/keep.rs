//! Which snapshots are kept: pure.

const DAY_MS: i64 = 86_400_000;

/// So many of the newest.
const NEWEST: usize = 6;

/// Of so many days the first: what was there before that day's work, and so before its accidents.
const DAYS: usize = 14;

/// So many bytes together; the two newest are kept whatever they take.
const BYTES: u64 = 512 << 20;

/// For each snapshot (its time in milliseconds and its size in bytes, oldest first), whether it stays.
pub(super) fn keep(all: &[(i64, u64)]) -> Vec<bool> {
    let mut keep = vec![false; all.len()];
    for one in keep.iter_mut().rev().take(NEWEST) {
        *one = true;
    }
    let mut days: Vec<i64> = all.iter().map(|(at, _)| at / DAY_MS).collect();
    days.dedup();
    for day in days.iter().rev().take(DAYS) {
        let first = all.iter().position(|(at, _)| at / DAY_MS == *day);
        if let Some(one) = first.and_then(|at| keep.get_mut(at)) {
            *one = true;
        }
    }
    let mut left = BYTES;
    let mut newer = 0;
    for (one, (_, size)) in keep.iter_mut().zip(all).rev().filter(|(one, _)| **one) {
        newer += 1;
        if newer > 2 && *size > left {
            *one = false;
        } else {
            left = left.saturating_sub(*size);
        }
    }
    keep
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeps out of snapshots at these hours, each of `size` bytes; the hours that stay.
    fn kept(hours: &[i64], size: u64) -> Vec<i64> {
        let all: Vec<(i64, u64)> = hours.iter().map(|hour| (hour * 3_600_000, size)).collect();
        let keep = keep(&all);
        hours.iter().zip(keep).filter(|(_, keep)| *keep).map(|(hour, _)| *hour).collect()
    }

    #[test]
    fn the_newest_and_the_first_of_each_day_stay() {
        assert_eq!(kept(&[], 1), Vec::<i64>::new());
        let day: Vec<i64> = (0..24).collect();
        assert_eq!(kept(&day, 1), [0, 18, 19, 20, 21, 22, 23]);
        let days: Vec<i64> = (0..40).map(|day| day * 24).collect();
        assert_eq!(kept(&days, 1), days[26..]);
    }

    #[test]
    fn together_they_stay_small_and_two_stay_always() {
        let hours: Vec<i64> = (0..6).collect();
        assert_eq!(kept(&hours, 150 << 20), [3, 4, 5]);
        assert_eq!(kept(&hours, 2 << 30), [4, 5]);
    }
}
