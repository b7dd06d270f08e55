package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// Clean makes untrusted text safe to show. It returns valid UTF-8 without escape sequences, and without control,
// bidirectional and zero-width characters. Tabs and line ends stay.
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	if strings.IndexFunc(s, hidden) < 0 {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, parse.StripEscapes(s))
}

// isPlain reports whether a text has only printable ASCII characters, tabs and newlines. Most texts are plain.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c-' ' >= 0x7f-' ' && c != '\t' && c != '\n' {
			return false
		}
	}
	return true
}

func hidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' && r != '\t' && r != '\n' || r == 0x7f
	}
	return unicode.IsControl(r) || unicode.Is(invisible, r)
}

// invisible holds characters that show nothing, or that change the order of other characters.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00ad, Hi: 0x00ad, Stride: 1}, // soft hyphen
		{Lo: 0x061c, Hi: 0x061c, Stride: 1}, // Arabic letter mark
		{Lo: 0x180e, Hi: 0x180e, Stride: 1}, // Mongolian vowel separator
		{Lo: 0x200b, Hi: 0x200f, Stride: 1}, // zero width, direction marks
		{Lo: 0x2028, Hi: 0x202e, Stride: 1}, // line and paragraph separators, embeddings, overrides
		{Lo: 0x2060, Hi: 0x206f, Stride: 1}, // word joiner, isolates
		{Lo: 0xfeff, Hi: 0xfeff, Stride: 1}, // byte order mark
		{Lo: 0xfff9, Hi: 0xfffb, Stride: 1}, // interlinear annotation
	},
	R32: []unicode.Range32{
		{Lo: 0xe0000, Hi: 0xe01ef, Stride: 1}, // tags, further variation selectors
	},
}

// shown returns the text of a context line. It cuts a very long line.
func shown(s string) string {
	const limit = 2000 // characters
	s = Clean(s)
	if len(s) <= limit {
		return s
	}
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}

// cleanCI returns a copy of the data of a CI system with clean texts. Strangers may choose some of these texts, such as
// the name of a branch.
func cleanCI(c *store.CI) *store.CI {
	if c == nil {
		return nil
	}
	clean := *c
	for _, s := range []*string{&clean.Repo, &clean.Workflow, &clean.Job, &clean.Matrix, &clean.EventName, &clean.Actor,
		&clean.HeadRef, &clean.BaseRef, &clean.URL} {
		*s = Clean(*s)
	}
	return &clean
}

// cleanCommits cleans the texts that authors of commits wrote.
func cleanCommits(list []Commit) []Commit {
	for i := range list {
		list[i].Author, list[i].Message = Clean(list[i].Author), Clean(list[i].Message)
	}
	return list
}
