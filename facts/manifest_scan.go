package facts

import (
	"strings"
	"unicode/utf8"

	"github.com/blq-ci/blq/store"
)

// scanManifest reads a canonical manifest whose strings have no escape sequences. It returns false for every other
// text. Nearly all manifests are of this form, and reading and comparing them by reflection takes many times as long.
// The manifest is not checked.
func scanManifest(text []byte) (Manifest, bool) {
	s := manifestScanner{rest: string(text)}
	s.literal(`{"version":`)
	m := Manifest{Version: int(s.number())}
	s.literal(`,"kind":"`)
	m.Kind = store.FactKind(s.text())
	s.literal(`,"files":[`)
	m.Entries = make([]Entry, 0, min(strings.Count(s.rest, `{"path":"`), maxFiles))
	for !s.next(`]`) && !s.failed {
		if len(m.Entries) > 0 {
			s.literal(`,`)
		}
		m.Entries = append(m.Entries, s.entry())
		s.failed = s.failed || len(m.Entries) > maxFiles
	}
	s.literal("}\n")
	return m, !s.failed && s.rest == ""
}

// manifestScanner reads a text from its beginning. rest is the text that is not read yet. If a text was unexpected,
// failed is true.
type manifestScanner struct {
	rest   string
	failed bool
}

// next reports whether s.rest begins with the given text. If so, it skips this text.
func (s *manifestScanner) next(text string) (found bool) {
	s.rest, found = strings.CutPrefix(s.rest, text)
	return found
}

func (s *manifestScanner) literal(text string) { s.failed = !s.next(text) || s.failed }

func (s *manifestScanner) entry() Entry {
	var e Entry
	s.literal(`{"path":"`)
	e.Path = s.text()
	s.literal(`,"digest":"`)
	e.Digest = s.text()
	s.literal(`,"size":`)
	e.Size = s.number()
	if s.next(`,"mode":"`) {
		e.Mode = s.text()
		s.failed = s.failed || e.Mode == "" // not written by blq
	}
	s.literal(`}`)
	return e
}

// text returns the string before the next quotation mark, and skips the mark. It fails for a string that encoding/json
// writes with escape sequences.
func (s *manifestScanner) text() string {
	end, ascii := 0, true
	for ; end < len(s.rest) && s.rest[end] != '"'; end++ {
		c := s.rest[end]
		s.failed = s.failed || c < ' ' || c == '\\'
		ascii = ascii && c < utf8.RuneSelf
	}
	text := s.rest[:end]
	if !ascii && (!utf8.ValidString(text) || strings.ContainsAny(text, "\u2028\u2029")) {
		s.failed = true
	}
	s.rest = s.rest[end:]
	s.literal(`"`)
	return text
}

// number reads a decimal number below 10¹⁸. It fails for a larger number, for a sign, and for a zero before another
// digit.
func (s *manifestScanner) number() (n int64) {
	end := 0
	for ; end < len(s.rest) && '0' <= s.rest[end] && s.rest[end] <= '9' && end < 19; end++ {
		n = n*10 + int64(s.rest[end]-'0')
	}
	if end == 0 || end == 19 || end > 1 && s.rest[0] == '0' {
		s.failed = true
	}
	s.rest = s.rest[end:]
	return n
}
