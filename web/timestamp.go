package web

import "strings"

// timestamped puts the time at the beginning of a line into a span of its own, with the class t. So pages can hide the
// time.
func timestamped(list []span) []span {
	if len(list) == 0 {
		return list
	}
	first := list[0]
	n := timestamp(first.Text)
	if n == 0 {
		return list
	}
	split := []span{{strings.TrimSpace("t " + first.Class), first.Text[:n]}}
	if n < len(first.Text) {
		split = append(split, span{first.Class, first.Text[n:]})
	}
	return append(split, list[1:]...)
}

// timestamp returns the length of the time at the beginning of a line, including the space after the time. It returns 0
// if there is no time. The time has a date and a time of day in ISO 8601 or RFC 3339, perhaps in brackets. GitHub and
// many loggers write such times.
func timestamp(text string) int {
	rest := strings.TrimPrefix(text, "[")
	bracket := len(rest) < len(text)
	rest, ok := cutDigits(rest, "0000-00-00T00:00:00")
	if !ok {
		return 0
	}
	if rest != "" && (rest[0] == '.' || rest[0] == ',') {
		rest = strings.TrimLeft(rest[1:], "0123456789")
	}
	switch after, zone := cutDigits(rest, "+00:00"); {
	case zone:
		rest = after
	case strings.HasPrefix(rest, "Z"):
		rest = rest[1:]
	}
	if bracket {
		if rest, ok = strings.CutPrefix(rest, "]"); !ok {
			return 0
		}
	}
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0
	}
	return len(text) - len(strings.TrimLeft(rest, " \t"))
}

// cutDigits removes the beginning of a text if it matches a pattern. In the pattern, 0 means a digit, T means a T or a
// space, and + means a sign. It returns false if the text does not match.
func cutDigits(text, pattern string) (rest string, ok bool) {
	if len(text) < len(pattern) {
		return text, false
	}
	for i, p := range []byte(pattern) {
		c := text[i]
		switch p {
		case '0':
			ok = c >= '0' && c <= '9'
		case 'T':
			ok = c == 'T' || c == ' '
		case '+':
			ok = c == '+' || c == '-'
		default:
			ok = c == p
		}
		if !ok {
			return text, false
		}
	}
	return text[len(pattern):], true
}
