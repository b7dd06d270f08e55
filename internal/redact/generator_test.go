package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

var needles = flag.Int("needles", 12_000, "needles that the generator plants")

// plantings are forms in which programs write a value. The functions share no code with the tested package.
var plantings = []struct {
	name string
	f    func(r *rand.Rand, v string) string
}{
	{"plain", func(_ *rand.Rand, v string) string { return v }},
	{"in double quotes", func(_ *rand.Rand, v string) string { return `"` + v + `"` }},
	{"behind an option", func(_ *rand.Rand, v string) string { return "--token=" + v }},
	{"base64", func(_ *rand.Rand, v string) string { return base64.StdEncoding.EncodeToString([]byte(v)) }},
	{"base64 behind a name", func(r *rand.Rand, v string) string {
		return base64.StdEncoding.EncodeToString([]byte(around(r) + ":" + v))
	}},
	{"base64 within text", func(r *rand.Rand, v string) string {
		return base64.StdEncoding.EncodeToString([]byte(around(r) + v + around(r)))
	}},
	{"base64 with a line end",
		func(_ *rand.Rand, v string) string { return base64.StdEncoding.EncodeToString([]byte(v + "\n")) }},
	{"base64 for URLs", func(r *rand.Rand, v string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(around(r) + v))
	}},
	{"base64 in a URL", func(r *rand.Rand, v string) string {
		return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(around(r) + v)))
	}},
	{"base64 twice", func(_ *rand.Rand, v string) string {
		return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(v))))
	}},
	{"base64 twice within text", func(r *rand.Rand, v string) string {
		return base64.StdEncoding.EncodeToString(
			[]byte(around(r) + base64.StdEncoding.EncodeToString([]byte(around(r)+v+around(r)))))
	}},
	{"base64 of UTF-16", func(_ *rand.Rand, v string) string {
		return base64.StdEncoding.EncodeToString([]byte(utf16le("$x='" + v + "'")))
	}},
	{"hex", func(_ *rand.Rand, v string) string { return hex.EncodeToString([]byte(v)) }},
	{"hex in capitals", func(_ *rand.Rand, v string) string { return fmt.Sprintf("%X", v) }},
	{"JSON", func(_ *rand.Rand, v string) string {
		b, _ := json.Marshal(map[string]string{"token": v})
		return string(b)
	}},
	{"JSON within JSON", func(_ *rand.Rand, v string) string {
		b, _ := json.Marshal(v)
		var out strings.Builder
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		if strings.ContainsAny(v, "<>&") { // Marshal has replaced these by \u003c and so on
			_ = enc.Encode(v)
		} else {
			_ = enc.Encode(string(b))
		}
		return strings.TrimSpace(out.String())
	}},
	{"query", func(_ *rand.Rand, v string) string { return "https://example.com/?q=" + url.QueryEscape(v) }},
	{"path", func(_ *rand.Rand, v string) string { return "https://example.com/" + url.PathEscape(v) }},
	{"lower-case escapes", func(_ *rand.Rand, v string) string { return lowerEscapes(url.PathEscape(v)) }},
	{"XML", func(_ *rand.Rand, v string) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(v))
		return b.String()
	}},
	{"HTML", func(_ *rand.Rand, v string) string { return html.EscapeString(v) }},
	{"shell", func(_ *rand.Rand, v string) string { return "'" + strings.ReplaceAll(v, "'", `'\''`) + "'" }},
	{"Go", func(_ *rand.Rand, v string) string { return fmt.Sprintf("%q", v) }},
	{"expression", func(_ *rand.Rand, v string) string { return "'" + strings.ReplaceAll(v, "'", "''") + "'" }},
}

// lowerEscapes converts the digits of URL escapes to lower case.
func lowerEscapes(s string) string {
	parts := strings.Split(s, "%")
	for i, p := range parts[1:] {
		parts[i+1] = strings.ToLower(p[:2]) + p[2:]
	}
	return strings.Join(parts, "%")
}

func around(r *rand.Rand) string { return "AQZ.,;:|"[:r.IntN(8)] }

// anyValue returns a random value. A third of the values have a character that may need an escape.
func anyValue(r *rand.Rand) string {
	v := secret(r)
	if r.IntN(3) == 0 {
		v = v[:5] + []string{`"`, "'", "<", ">", `\`, " ", "é", "%", "&+", "`", "^"}[r.IntN(11)] + v[5:]
	}
	return v
}

// TestNothingPlantedSurvives writes lines that contain a secret value. Each line is written in two parts, and the
// length of the first part varies. The test searches the output, plain and decoded, for the value.
func TestNothingPlantedSurvives(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 11))
	values := make([]string, 500)
	for i := range values {
		values[i] = anyValue(r)
	}
	red := New(Options{Values: values, Shapes: true})
	var out []byte
	s := red.Stream(func(text []byte) { out = append(out, text...) })
	for i := range *needles {
		v, p := values[r.IntN(len(values))], plantings[i%len(plantings)]
		line := "step " + filler(r) + " " + p.f(r, v) + " " + filler(r) + "stop\n" // the next line cannot continue it
		cut := (i / len(plantings)) % len(line)
		out = out[:0]
		_, _ = s.Write([]byte(line[:cut]))
		if leak := leaked(out, v); leak != "" {
			t.Fatalf("%s: %q shows %q of %q too early", p.name, out, leak, v)
		}
		_, _ = s.Write([]byte(line[cut:]))
		if len(s.text) > 0 || strings.Count(string(out), "\n") != 1 || !strings.HasPrefix(string(out), "step ") {
			t.Fatalf("%s: %q became %q, %d bytes are held", p.name, line, out, len(s.text))
		}
		if leak := leaked(out, v); leak != "" {
			t.Fatalf("%s: %q cut at %d became %q, which shows %q of %q", p.name, line, cut, out, leak, v)
		}
	}
}

func filler(r *rand.Rand) string { return strings.Repeat("go ", r.IntN(4)) }

// TestEveryFormAtEverySplit writes a line with each form of a secret value. It writes the line in two parts, once for
// each position of the split.
func TestEveryFormAtEverySplit(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 5))
	for _, p := range plantings {
		v := anyValue(r)
		red := New(Options{Values: []string{v}})
		line := "x " + p.f(r, v) + "\n"
		for cut := range line {
			var out []byte
			s := red.Stream(func(text []byte) { out = append(out, text...) })
			_, _ = s.Write([]byte(line[:cut]))
			_, _ = s.Write([]byte(line[cut:]))
			if leak := leaked(out, v); leak != "" || len(s.text) > 0 {
				t.Errorf("%s: %q cut at %d became %q, which shows %q; %d bytes are held", p.name, line, cut, out, leak, len(s.text))
			}
		}
	}
}

// window is the length in bytes of a piece that counts as leaked.
const window = 6

// leaked returns a piece of a value that is in a text, plain or decoded.
func leaked(text []byte, v string) string {
	seen := decoded(string(text))
	for i := 0; i+window <= len(v); i++ {
		for _, s := range seen {
			if strings.Contains(s, v[i:i+window]) {
				return v[i : i+window]
			}
		}
	}
	return ""
}

// decoded returns a text, its decoded parts, and the decoded parts of these parts.
func decoded(text string) []string {
	all := []string{text}
	for range 2 {
		n := len(all)
		for _, s := range all[:n] {
			all = append(all, decodeOnce(s)...)
		}
	}
	return all
}

func decodeOnce(s string) []string {
	var list []string
	if u, err := url.QueryUnescape(s); err == nil && u != s {
		list = append(list, u)
	}
	if h := html.UnescapeString(s); h != s {
		list = append(list, h)
	}
	for _, run := range strings.FieldsFunc(s, func(r rune) bool { return r >= 0x80 || !base64Bytes[byte(r)] }) {
		if len(run) < 8 {
			continue
		}
		if b, err := hex.DecodeString(run[:len(run)&^1]); err == nil {
			list = append(list, string(b))
		}
		std := strings.NewReplacer("-", "+", "_", "/").Replace(run)
		for skip := range 4 {
			part := std[skip:]
			if b, err := base64.RawStdEncoding.DecodeString(part[:len(part)-len(part)%4]); err == nil {
				list = append(list, string(b), strings.ReplaceAll(string(b), "\x00", ""))
			}
		}
	}
	return list
}
