//! The clock.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Waits, for commands that follow something.
pub fn pause(ms: u64) {
    std::thread::sleep(std::time::Duration::from_millis(ms));
}

/// `ms` since 1970 as RFC 3339 in UTC with milliseconds: `2026-12-01T01:02:03.004Z`.
///
/// Written by hand (civil-from-days) because the hook stamps every line it appends.
pub fn rfc3339(ms: i64) -> String {
    let (seconds, millis) = (ms.div_euclid(1000), ms.rem_euclid(1000));
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 { month_index + 3 } else { month_index - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_agree_with_the_calendar_library() {
        for ms in [0, 951_782_400_000, 1_709_164_800_123, 1_796_086_789_001, 4_102_444_799_999] {
            let stamp = jiff::Timestamp::from_millisecond(ms).unwrap();
            assert_eq!(rfc3339(ms), format!("{stamp:.3}"));
        }
    }
}
