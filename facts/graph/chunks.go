package graph

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs/markup"
)

// Chunk is a section of a document: a heading of the first or second level, with the text up to the next heading of
// these levels. The text before the first such heading is a section, too. Long text is cut.
type Chunk struct {
	Path     string
	Section  string // topic: spec, invariants, constraints, api, tests or other
	Heading  string
	Content  string
	From, To int // lines
}

// sections are the topics of chunks in the order of the output. A heading that contains one of the words of a topic
// belongs to the topic.
var sections = []struct {
	name  string
	words []string
}{
	{"spec", []string{"spec", "overview", "purpose", "summary", "description", "about"}},
	{"invariants", []string{"invariant", "guarantee"}},
	{"constraints", []string{"constraint", "limit", "rule", "restriction"}},
	{"api", []string{"api", "interface", "usage", "command", "endpoint"}},
	{"tests", []string{"test"}},
	{"other", nil},
}

// sectionOf returns the position in sections for a heading.
func sectionOf(heading string) int {
	heading = strings.ToLower(heading)
	for i, s := range sections {
		for _, word := range s.words {
			if strings.Contains(heading, word) {
				return i
			}
		}
	}
	return len(sections) - 1
}

// maxChunk is the max number of bytes of a chunk.
const maxChunk = 2000

// Chunks returns the sections of the documents of nodes, ordered by topic. It returns at most max sections. total is
// the number of all sections.
func (s *Snapshot) Chunks(ctx context.Context, nodes []Node, max int) (list []Chunk, total int, err error) {
	about := make([][]Chunk, len(sections))
	seen := map[string]bool{}
	for i := range nodes {
		for _, f := range s.Documents(&nodes[i]) {
			if seen[f.Path] {
				continue
			}
			seen[f.Path] = true
			found, err := s.chunksOf(ctx, f)
			if err != nil {
				return nil, 0, err
			}
			for _, c := range found {
				at := sectionOf(c.Heading)
				c.Section = sections[at].name
				about[at] = append(about[at], c)
				total++
			}
		}
	}
	for _, chunks := range about {
		list = append(list, chunks[:min(len(chunks), max-len(list))]...)
	}
	return list, total, nil
}

// chunksOf returns the sections of a document.
func (s *Snapshot) chunksOf(ctx context.Context, f facts.File) ([]Chunk, error) {
	text, err := s.Docs.Read(ctx, f)
	if err != nil {
		return nil, err
	}
	lines := markup.Split(text)
	outline := markup.Parse(markup.FormatOf(f.Path, text), lines)
	var list []Chunk
	add := func(heading string, from, to int) {
		if c, ok := chunk(lines, from, to); ok {
			c.Path, c.Heading = f.Path, heading
			list = append(list, c)
		}
	}
	from, heading := max(1, outline.First), outline.Title
	for _, h := range outline.Headings {
		if h.Level > 2 || h.Line < from {
			continue
		}
		add(heading, from, h.Line-1)
		from, heading = h.Line, h.Text
	}
	add(heading, from, lines.Len())
	return list, nil
}

// chunk returns lines as a chunk, and reports whether the lines contain text. Text longer than maxChunk is cut.
func chunk(lines *markup.Lines, from, to int) (Chunk, bool) {
	var b bytes.Buffer
	c := Chunk{From: from, To: from}
	for n := from; n <= to && b.Len() < maxChunk; n++ {
		b.Write(lines.Line(n))
		b.WriteByte('\n')
		c.To = n
	}
	text, end := b.String(), min(b.Len(), maxChunk)
	for end > 0 && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	c.Content = strings.TrimSpace(strings.ToValidUTF8(text[:end], "\ufffd"))
	return c, c.Content != ""
}
