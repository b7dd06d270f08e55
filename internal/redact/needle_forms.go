package redact

import (
	"bytes"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// longestNeedle is the max length in bytes of a needle. It limits the text that is held back. Longer values are found
// in pieces.
const longestNeedle = 1 << 10

// forms returns the needles for a value, one for each form in which it is searched for. If short is set, values and
// lines of less than four bytes are needles, too, but only in their plain form.
func forms(value string, short bool) []needle {
	f := formset{}
	f.whole(value, short)
	if strings.IndexByte(value, '\x1b') >= 0 { // the mask command was printed in color
		var shown view
		if shown.strip([]byte(value), false, true); string(shown.text) != value {
			f.whole(strings.TrimSpace(string(shown.text)), short)
		}
	}
	lines := strings.FieldsFunc(value, isLineEnd)
	if len(lines) > 1 || len(lines) == 1 && strings.TrimSpace(lines[0]) != value {
		for _, line := range lines {
			if line = strings.TrimSpace(line); !isArmor(line) {
				f.whole(line, short)
			}
		}
	}
	return f.list
}

// whole adds the forms of a value, or of one line of a value. A value of less than four bytes is added only if short
// is set.
func (f *formset) whole(v string, short bool) {
	if len(v) >= gramSize {
		f.value(v)
		f.dumps(v)
		f.rests(v, false)
		for _, c := range cores(base64.StdEncoding, v) {
			f.rests(c, true)
		}
		f.rests(hex.EncodeToString([]byte(v)), false)
	} else if short && strings.TrimSpace(v) != "" && !strings.ContainsFunc(v, isLineEnd) {
		f.list = append(f.list, needle{text: v})
	}
}

// dumps adds the forms of a value in rare encodings that no view decodes.
func (f *formset) dumps(v string) {
	f.text(everyBit(v))
	f.spelled(v)
	f.text(quotedPrintable(v))
	for _, r := range shellEscapes() {
		if escaped := r.Replace(v); escaped != v {
			f.text(escaped)
		}
	}
	for _, e := range []*base32.Encoding{base32.StdEncoding, base32.HexEncoding} {
		text := e.WithPadding(base32.NoPadding).EncodeToString([]byte(v))
		f.text(text)
		f.text(strings.ToLower(text))
	}
	if strings.ContainsFunc(v, func(r rune) bool { return r >= utf8.RuneSelf }) {
		f.text(utf16le(v))
		f.text(swapped(utf16le(v)))
		f.text(latin1(v))
	}
}

// spelledMarks are separators between the characters of a spelled value. Views do not remove these separators,
// because the separators also occur in ordinary text.
var spelledMarks = []string{"|", "_", `\`, "\u00a0", "·", "│"}

// spelled adds the value with a separator between its characters, once for each of spelledMarks. It leaves out a long
// value.
func (f *formset) spelled(v string) {
	if len(v) > longestNeedle/4 {
		return
	}
	for _, mark := range spelledMarks {
		f.text(strings.Join(strings.Split(v, ""), mark))
	}
}

// shellEscapes has the escapes that cmd.exe and PowerShell use in words without quotes.
var shellEscapes = sync.OnceValue(func() []*strings.Replacer {
	return []*strings.Replacer{
		strings.NewReplacer("&", "^&", "|", "^|", "<", "^<", ">", "^>", "^", "^^", "(", "^(", ")", "^)", "!", "^!",
			"%", "%%"),
		strings.NewReplacer("$", "`$", "`", "``", "\"", "`\"", "&", "`&", "|", "`|", ";", "`;", "(", "`(", ")", "`)",
			"<", "`<", ">", "`>", "{", "`{", "}", "`}", "#", "`#", "@", "`@", ",", "`,", "'", "`'"),
	}
})

// everyBit returns the bits of v as the digits 0 and 1.
func everyBit(v string) string {
	var b strings.Builder
	for i := range len(v) {
		fmt.Fprintf(&b, "%08b", v[i])
	}
	return b.String()
}

// rests adds needles for a value that is broken within its first few bytes. Such a needle has the text after the line
// break, and its head is the text before the line break.
func (f *formset) rests(v string, base64 bool) {
	for n := 1; n < gramSize && len(v) >= 2*gramSize && !strings.ContainsFunc(v, isLineEnd) &&
		len(v) <= longestNeedle; n++ {
		f.list = append(f.list, needle{text: v[n:], head: v[:n], base64: base64})
	}
}

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' }

// isArmor reports whether a line is the first or last line of a PEM key. These lines are not secret.
func isArmor(line string) bool {
	return strings.HasPrefix(line, "-----BEGIN ") || strings.HasPrefix(line, "-----END ")
}

// formset collects needles, which are the forms in which a value is searched for.
type formset struct{ list []needle }

// value adds a value and its common encodings.
func (f *formset) value(v string) {
	if len(v) < gramSize {
		return
	}
	f.plain(v)
	f.escapes(v)
	f.base64(v)
	f.base64(utf16le(v)) // PowerShell's -EncodedCommand
	f.base64(swapped(utf16le(v)))
	for _, inner := range cores(base64.StdEncoding, v) {
		f.text(hex.EncodeToString([]byte(inner)))
	}
	f.base64(hex.EncodeToString([]byte(v)))
	for _, inner := range cores(base64.StdEncoding, v) {
		f.base64(inner)
	}
	for _, e := range uuencodings() {
		for _, c := range cores(e, v) {
			f.text(c)
		}
	}
	f.base85(v)
	f.text(hex.EncodeToString([]byte(v)))
	f.text(strings.ToUpper(hex.EncodeToString([]byte(v))))
	if quoted := strings.TrimSuffix(strings.TrimPrefix(v, `"`), `"`); len(quoted) == len(v)-2 && len(v) > 8 {
		f.text(quoted)
		f.escapes(quoted)
	}
}

// plain adds a value as it is.
func (f *formset) plain(v string) {
	n := len(f.list)
	if f.text(v); len(f.list) > n {
		f.list[n].plain = true
	}
}

// text adds a text without line ends. A long text is added in pieces.
func (f *formset) text(t string) { f.add(t, false) }

func (f *formset) add(t string, base64 bool) {
	if len(t) < gramSize || strings.ContainsFunc(t, isLineEnd) {
		return
	}
	for len(t) > longestNeedle+gramSize {
		f.list = append(f.list, needle{text: t[:longestNeedle], base64: base64})
		t = t[longestNeedle:]
	}
	f.list = append(f.list, needle{text: t, base64: base64})
}

// base64 adds a value in base64. The first and last encoded characters also depend on the text around the value, so
// only the characters between them are added. base64 also adds the lines into which programs wrap base64.
func (f *formset) base64(v string) {
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for _, c := range cores(e, v) {
			f.add(c, true)
		}
	}
	whole := base64.StdEncoding.EncodeToString([]byte(v))
	for _, width := range []int{64, 76} {
		for rest := whole; len(whole) > width && len(rest) > 0; rest = rest[min(width, len(rest)):] {
			f.add(strings.TrimRight(rest[:min(width, len(rest))], "="), true)
		}
	}
}

// uuencodings are the two variants of uuencode: one writes zero as a blank, the other as a grave accent.
var uuencodings = sync.OnceValue(func() []*base64.Encoding {
	const first = 0x20 // the character of zero
	alphabet := make([]byte, 64)
	for i := range alphabet {
		alphabet[i] = byte(first + i)
	}
	list := []*base64.Encoding{base64.NewEncoding(string(alphabet))}
	alphabet[0] = '`'
	return append(list, base64.NewEncoding(string(alphabet)))
})

// base85 adds a value in Ascii85, and in the base85 of git and Python. These encodings write a group of four bytes
// as five characters. Only the groups that are completely within the value are added.
func (f *formset) base85(v string) {
	const group = 4
	const git = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
	for skip := 0; skip < group && len(v)-skip >= 2*group; skip++ {
		inner := []byte(v[skip:])
		inner = inner[:len(inner)/group*group]
		text := make([]byte, ascii85.MaxEncodedLen(len(inner)))
		text = text[:ascii85.Encode(text, inner)]
		f.text(string(text))
		text = bytes.ReplaceAll(text, []byte("z"), []byte("!!!!!")) // only Ascii85 shortens four zero bytes
		for i, c := range text {
			text[i] = git[c-'!']
		}
		f.text(string(text))
	}
}

// cores returns the encoded characters that depend on nothing but the value. The encoding depends on the position of
// the value in a group of three bytes, so there are three results.
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
	set.include(s)
	return set
}

func quotedPrintable(v string) string {
	var b strings.Builder
	for i := range len(v) {
		if v[i] == '=' || v[i] >= utf8.RuneSelf {
			fmt.Fprintf(&b, "=%02X", v[i])
		} else {
			b.WriteByte(v[i])
		}
	}
	return b.String()
}

// swapped swaps the bytes of each pair.
func swapped(s string) string {
	b := []byte(s)
	for i := 0; i+1 < len(b); i += 2 {
		b[i], b[i+1] = b[i+1], b[i]
	}
	return string(b)
}

// latin1 returns a value in ISO 8859-1, or "" if the value has other characters.
func latin1(v string) string {
	var b []byte
	for _, r := range v {
		if r > 0xff {
			return ""
		}
		b = append(b, byte(r))
	}
	return string(b)
}

func utf16le(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}
