package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
)

// fingerprintVersion is part of every hash. A change of the rules below needs a new version, so that old and new
// values are never equal by accident.
const fingerprintVersion = "v1"

// Fingerprint returns the identity of an event across runs, machines and releases, as tool_category_16hex. It
// ignores line numbers, so code that moves keeps its fingerprint.
//
// The identity of a failed test is (tool, test name, file), whatever its message. That of any other event is
// (tool, code, file, message without volatile parts). Quoted symbols stay in the message, so 'foo' undeclared and
// 'bar' undeclared differ.
func Fingerprint(e Event) string {
	if e.Test != "" && e.Category == CategoryTest {
		return label(e, digest("test", e.Tool, stripVolatile(e.Test), stripVolatile(e.File)))
	}
	return label(e, digest("event", e.Tool, e.Code, stripVolatile(e.File), stripVolatile(e.Message)))
}

// Pattern returns a value that look-alikes share: the same complaint about other symbols, in other files. It has
// the form of a fingerprint.
func Pattern(e Event) string {
	return label(e, digest("pattern", e.Tool, e.Code, generalize(e.Message)))
}

// FingerprintHash returns the number in a fingerprint or pattern, which is below
// 2^63, and reports whether s is one of them.
func FingerprintHash(s string) (int64, bool) {
	i := strings.LastIndexByte(s, '_')
	if i < 0 || len(s)-i-1 != 16 {
		return 0, false
	}
	n, err := strconv.ParseUint(s[i+1:], 16, 63)
	return int64(n), err == nil
}

// FormatFingerprint is the reverse of FingerprintHash.
func FormatFingerprint(tool string, category Category, hash int64) string {
	return label(Event{Tool: tool, Category: category}, uint64(hash))
}

func hidden(r rune) bool { return !unicode.IsGraphic(r) }

func label(e Event, hash uint64) string {
	tool, category := e.Tool, string(e.Category)
	if strings.ContainsFunc(tool, hidden) { // untrusted text
		tool = strings.Map(func(r rune) rune {
			if hidden(r) {
				return -1
			}
			return r
		}, tool)
	}
	if tool == "" {
		tool = "unknown"
	}
	if category == "" {
		category = "other"
	}
	b := make([]byte, 0, len(tool)+len(category)+18)
	b = append(append(append(append(b, tool...), '_'), category...), '_')
	return string(hex.AppendEncode(b, binary.BigEndian.AppendUint64(nil, hash)))
}

func digest(parts ...string) uint64 {
	text := make([]byte, 0, 512)
	text = append(text, fingerprintVersion...)
	for _, p := range parts {
		text = append(append(text, 0), p...)
	}
	sum := sha256.Sum256(text)
	return binary.BigEndian.Uint64(sum[:]) >> 1
}

// stripVolatile replaces what differs between two runs of the same failure:
// addresses, UUIDs, dates and times, durations, temporary paths, and line and
// column numbers. Everything else stays as it is.
func stripVolatile(s string) string {
	if !strings.ContainsAny(s, "0123456789") && !strings.Contains(s, "/tmp") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := temporaryPath(s[i:]); n > 0 && !wordBefore(s, i) {
			b.WriteString("<tmp>")
			i += n
			continue
		}
		if isWord(s[i]) && !wordBefore(s, i) {
			n := wordLen(s[i:])
			if r := volatileWord(s, i, n); r != "" {
				b.WriteString(r)
				i += volatileLen(s, i, n)
				continue
			}
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

// volatileWord returns the placeholder for the word of length n at s[i:], or "" if the word stays.
func volatileWord(s string, i, n int) string {
	w := s[i : i+n]
	switch {
	case len(w) > 4 && strings.HasPrefix(w, "0x") && allHex(w[2:]):
		return "<addr>"
	case uuidLen(s[i:]) > 0:
		return "<uuid>"
	case clockLen(s[i:]) > 0:
		return "<time>"
	case !allDigits(w):
		if d := durationDigits(w); d > 0 {
			return "<duration>"
		}
		return ""
	case decimalSeconds(s[i:]) > 0:
		return "<duration>"
	case i > 0 && s[i-1] == ':' && i > 1 && s[i-2] != ' ', followsLine(s[:i]):
		return "<n>"
	}
	return ""
}

// volatileLen returns the length of the text at s[i:] that the placeholder replaces.
func volatileLen(s string, i, n int) int {
	for _, f := range []func(string) int{uuidLen, clockLen, decimalSeconds} {
		if m := f(s[i:]); m > 0 {
			return m
		}
	}
	return n
}

// followsLine reports whether the text before a number says that it is a position.
func followsLine(before string) bool {
	before = strings.TrimRight(before, " (#")
	for _, w := range [...]string{"line", "lines", "Line", "column", "col", "offset", "position", "pid", "PID", "port"} {
		if strings.HasSuffix(before, w) && !wordBefore(before, len(before)-len(w)) {
			return true
		}
	}
	return false
}

// uuidLen returns 36 when s starts with a UUID.
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
	if len(s) >= 10 && allDigits(s[:4]) && (s[4] == '-' || s[4] == '/') && allDigits(s[5:7]) && s[7] == s[4] && allDigits(s[8:10]) {
		n = 10
		if len(s) > 11 && (s[10] == 'T' || s[10] == ' ') && timeLen(s[11:]) > 0 {
			n += 1 + timeLen(s[11:])
		}
		return n
	}
	return timeLen(s)
}

// timeLen returns the length of 15:04:05, with fraction and zone, at the start of s.
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

// decimalSeconds returns the length of "0.03s", "12 ms" or "1.5 seconds".
func decimalSeconds(s string) int {
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.') {
		n++
	}
	rest := strings.TrimPrefix(s[n:], " ")
	for _, unit := range [...]string{"milliseconds", "seconds", "second", "minutes", "secs", "sec", "msec", "ms", "µs", "ns", "s"} {
		if strings.HasPrefix(rest, unit) && (len(rest) == len(unit) || !isWord(rest[len(unit)])) {
			return len(s) - len(rest) + len(unit)
		}
	}
	return 0
}

// durationDigits returns how many digits a word such as 12ms or 3s starts with, 0 for no duration.
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

// temporaryPath returns the length of a temporary directory's path at the
// start of s, up to and with its random part.
func temporaryPath(s string) int {
	if s[0] != '/' {
		return 0
	}
	for _, root := range [...]string{"/tmp/", "/var/tmp/", "/private/tmp/", "/var/folders/", "/private/var/folders/", "/dev/shm/"} {
		if !strings.HasPrefix(s, root) {
			continue
		}
		parts := 1
		if strings.HasSuffix(root, "folders/") {
			parts = 4 // two of the user, T, and the random one
		}
		n := len(root)
		for ; parts > 0 && n < len(s); parts-- {
			for n < len(s) && s[n] != '/' && !strings.ContainsRune(" \t'\"`:;,)", rune(s[n])) {
				n++
			}
			if parts > 1 && n < len(s) && s[n] == '/' {
				n++
			}
		}
		return n
	}
	return 0
}

// generalize replaces quoted text, numbers and paths.
func generalize(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := quotedLen(s[i:]); n > 0 && !wordBefore(s, i) {
			b.WriteString("'*'")
			i += n
			continue
		}
		if isWord(s[i]) || s[i] == '/' {
			n, path, number := i, false, false
			for ; n < len(s) && (isWord(s[n]) || s[n] == '.' || s[n] == '/' || s[n] == '\\' || s[n] == '-'); n++ {
				path = path || s[n] == '/' || s[n] == '\\'
				number = number || s[n] >= '0' && s[n] <= '9'
			}
			switch {
			case path:
				b.WriteString("<path>")
			case number:
				b.WriteString("<n>")
			default:
				b.WriteString(s[i:n])
			}
			i = n
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

// quotedLen returns the length of the quoted text that s starts with.
func quotedLen(s string) int {
	if s[0] < 0x80 && s[0] != '\'' && s[0] != '"' && s[0] != '`' {
		return 0
	}
	for _, q := range [...][2]string{{"'", "'"}, {"\"", "\""}, {"`", "`"}, {"`", "'"}, {"‘", "’"}, {"“", "”"}} {
		if !strings.HasPrefix(s, q[0]) {
			continue
		}
		if i := strings.Index(s[len(q[0]):], q[1]); i >= 0 {
			return len(q[0]) + i + len(q[1])
		}
	}
	return 0
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
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
