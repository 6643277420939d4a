//! Durations as people type them: `30s`, `10m`, `2h`, `1d`.

use super::failure::Failure;

/// The longest time that anything of ours is switched or granted for.
const LONGEST_MS: i64 = 7 * 24 * 3600 * 1000;

/// Reads a duration in milliseconds: at least a second, at most a week.
///
/// # Errors
/// A usage failure that says how it is typed.
pub(crate) fn parse(text: &str) -> Result<i64, Failure> {
    let wrong = || {
        Failure::usage(format!("`{text}` is no time")).hint("type a time such as 30s, 10m or 2h")
    };
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit = match unit {
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(wrong()),
    };
    let number: i64 = number.parse().map_err(|_| wrong())?;
    match number.checked_mul(unit) {
        Some(time) if (1_000..=LONGEST_MS).contains(&time) => Ok(time),
        _ => Err(Failure::usage(format!("`{text}` is not between 1s and 7d"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_type_them() {
        for (text, expected) in [
            ("30s", Some(30_000)),
            ("10m", Some(600_000)),
            ("2h", Some(7_200_000)),
            ("7d", Some(LONGEST_MS)),
            ("8d", None),
            ("0s", None),
            ("10", None),
            ("m", None),
            ("-1m", None),
            ("99999999999999999999h", None),
        ] {
            assert_eq!(parse(text).ok(), expected, "{text}");
        }
    }
}
