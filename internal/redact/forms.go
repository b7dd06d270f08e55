package redact

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf16"
)

// longestNeedle is the max length in bytes of a needle, and so of the text that is held back.
// Longer values are found piece by piece.
const longestNeedle = 1 << 10

// forms returns the needles for a value, one for every form that is searched for.
func forms(value string) []needle {
	f := formset{}
	f.value(value)
	lines := strings.FieldsFunc(value, isLineEnd)
	if len(lines) > 1 || len(lines) == 1 && lines[0] != value {
		for _, line := range lines {
			if line = strings.TrimSpace(line); !isArmor(line) {
				f.value(line)
			}
		}
	}
	return f.list
}

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' }

// isArmor reports whether a line of a PEM key is the same in every key.
func isArmor(line string) bool {
	return strings.HasPrefix(line, "-----BEGIN ") || strings.HasPrefix(line, "-----END ")
}

// formset collects the forms of a value.
type formset struct{ list []needle }

// value adds a value and its encodings.
func (f *formset) value(v string) {
	if len(v) < gramSize {
		return
	}
	f.text(v)
	f.escapes(v)
	f.base64(v)
	f.base64(utf16le(v)) // PowerShell's -EncodedCommand
	for _, inner := range cores(base64.StdEncoding, v) {
		f.base64(inner)
	}
	f.text(hex.EncodeToString([]byte(v)))
	f.text(strings.ToUpper(hex.EncodeToString([]byte(v))))
	if quoted := strings.TrimSuffix(strings.TrimPrefix(v, `"`), `"`); len(quoted) == len(v)-2 && len(v) > 8 {
		f.text(quoted)
		f.escapes(quoted)
	}
}

// text adds a text: a long one in pieces, one of several lines as its lines.
func (f *formset) text(t string) { f.add(t, false) }

func (f *formset) add(t string, base64 bool) {
	if len(t) < gramSize || strings.ContainsFunc(t, isLineEnd) {
		return
	}
	for len(t) > longestNeedle+gramSize {
		f.list = append(f.list, needle{t[:longestNeedle], base64})
		t = t[longestNeedle:]
	}
	f.list = append(f.list, needle{t, base64})
}

// base64 adds v in base64. What surrounds v in the encoded text changes the characters at its ends,
// so only the characters between are added, and the lines that programs wrap base64 into.
func (f *formset) base64(v string) {
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for _, c := range cores(e, v) {
			f.add(c, true)
			f.text(percent(c, "-._~", "%02X"))
			f.text(percent(c, "-._~", "%02x"))
		}
	}
	whole := base64.StdEncoding.EncodeToString([]byte(v))
	for _, width := range []int{64, 76} {
		for rest := whole; len(whole) > width && len(rest) > 0; rest = rest[min(width, len(rest)):] {
			f.add(strings.TrimRight(rest[:min(width, len(rest))], "="), true)
		}
	}
}

// cores returns, for each of the three offsets at which v may begin in an encoded text, the
// characters that depend on v alone.
func cores(e *base64.Encoding, v string) []string {
	list := make([]string, 0, 3)
	for before := range 3 {
		text := e.WithPadding(base64.NoPadding).EncodeToString([]byte("\x00\x00"[:before] + v))
		first := (8*before + 5) / 6
		last := 8 * (before + len(v)) / 6
		list = append(list, text[first:last])
	}
	return list
}

var base64Bytes = bytesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_")

func bytesOf(s string) (set class) {
	for i := range len(s) {
		set[s[i]] = true
	}
	return set
}

func utf16le(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}
