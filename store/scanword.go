package store

import "strings"

// The functions of this file recognise text that varies from run to run, at the start of a string: UUIDs, times,
// durations. All versions of the fingerprint rules use them.

// uuidLen returns 36 if s starts with a UUID, and otherwise 0.
func uuidLen(s string) int {
	if len(s) < 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return 0
	}
	if allHex(s[:8]) && allHex(s[9:13]) && allHex(s[14:18]) && allHex(s[19:23]) && allHex(s[24:36]) {
		return 36
	}
	return 0
}

// clockLen returns the length of a date, a time or both at the start of s.
func clockLen(s string) int {
	n := 0
	if len(s) >= 10 && allDigits(s[:4]) && (s[4] == '-' || s[4] == '/') && allDigits(s[5:7]) && s[7] == s[4] &&
		allDigits(s[8:10]) {
		n = 10
		if len(s) > 11 && (s[10] == 'T' || s[10] == ' ') && timeLen(s[11:]) > 0 {
			n += 1 + timeLen(s[11:])
		}
		return n
	}
	return timeLen(s)
}

// timeLen returns the length of a time such as 15:04:05 at the start of s, with its fraction and the zone Z. It returns
// 0 if there is no time.
func timeLen(s string) int {
	if len(s) < 8 || !allDigits(s[:2]) || s[2] != ':' || !allDigits(s[3:5]) || s[5] != ':' || !allDigits(s[6:8]) {
		return 0
	}
	n := 8
	if n < len(s) && (s[n] == '.' || s[n] == ',') {
		for n++; n < len(s) && s[n] >= '0' && s[n] <= '9'; n++ {
		}
	}
	if n < len(s) && s[n] == 'Z' {
		n++
	}
	return n
}

// decimalSeconds returns the length of a duration at the start of s, such as "0.03s", "12 ms" or "1.5 seconds". It
// returns 0 if there is none.
func decimalSeconds(s string) int {
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.') {
		n++
	}
	rest := strings.TrimPrefix(s[n:], " ")
	for _, unit := range [...]string{
		"milliseconds", "seconds", "second", "minutes", "secs", "sec", "msec", "ms", "µs", "ns", "s",
	} {
		if strings.HasPrefix(rest, unit) && (len(rest) == len(unit) || !isWord(rest[len(unit)])) {
			return len(s) - len(rest) + len(unit)
		}
	}
	return 0
}

// durationDigits returns the number of digits at the start of a duration such as 12ms or 3s. It returns 0 for any other
// word.
func durationDigits(w string) int {
	d := 0
	for d < len(w) && w[d] >= '0' && w[d] <= '9' {
		d++
	}
	switch w[d:] {
	case "ms", "s", "ns", "us", "m", "h":
		return d
	}
	return 0
}

func isWord(c byte) bool {
	return c|0x20-'a' < 26 || c-'0' < 10 || c == '_' || c >= 0x80
}

func wordBefore(s string, i int) bool { return i > 0 && isWord(s[i-1]) }

func wordLen(s string) int {
	n := 0
	for n < len(s) && isWord(s[n]) {
		n++
	}
	return n
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func allHex(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return s != ""
}
