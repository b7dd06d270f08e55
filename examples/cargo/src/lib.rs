//! Roman numerals.

const VALUES: [(u32, &str); 13] = [
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
];

/// A number in Roman numerals.
pub fn roman(mut number: u32) -> String {
    let mut text = String::new();
    for (value, letters) in VALUES {
        while number >= value {
            text.push_str(letters);
            number -= value;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::roman;

    #[test]
    fn adds() {
        assert_eq!(roman(2026), "MMXXVI");
    }

    #[test]
    fn subtracts() {
        assert_eq!(roman(49), "XLIX");
    }
}
