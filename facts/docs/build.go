package docs

import (
	"bytes"
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs/lexical"
	"github.com/blq-ci/blq/facts/docs/markup"
	"github.com/blq-ci/blq/internal/lazyregexp"
)

// Build returns the index of a set. Build reads only documents that an earlier index lacks. The earlier index may be
// nil. The result does not depend on the earlier index.
func Build(ctx context.Context, set facts.Set, before *Index) (*Index, error) {
	b := builder{words: lexical.NewBuilder()}
	if before != nil {
		b.reuse = lexical.Reuse{Index: before.words, Numbers: make([]int, before.words.Blocks())}
		for i := range b.reuse.Numbers {
			b.reuse.Numbers[i] = -1
		}
	}
	for _, f := range set.Files() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if b.take(before, f) {
			continue
		}
		text, err := set.Read(ctx, f)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", f.Path, err)
		}
		b.add(f, text)
	}
	return newIndex(set.Digest(), b.documents, b.words.Finish(b.blocks, b.reuse)), nil
}

type builder struct {
	documents []*document
	blocks    int
	words     *lexical.Builder
	reuse     lexical.Reuse
}

// take takes a document from an earlier index. It reports whether the earlier index has the document with the same
// content.
func (b *builder) take(before *Index, f facts.File) bool {
	if before == nil {
		return false
	}
	old := before.document(f.Path)
	if old == nil || old.Digest != f.Digest || f.Digest == "" {
		return false
	}
	for i := range old.blocks {
		b.reuse.Numbers[old.first+i] = b.blocks + i
	}
	b.put(f, old.lines, old.blocks, bytes.Clone(old.encoded)) // the earlier index need not stay in memory
	return true
}

func (b *builder) put(f facts.File, lines, blocks int, encoded []byte) {
	b.documents = append(b.documents, &document{File: f, lines: lines, blocks: blocks, encoded: encoded, first: b.blocks})
	b.blocks += blocks
}

// add indexes a document.
func (b *builder) add(f facts.File, text []byte) {
	lines := markup.Split(text)
	parsed := markup.Parse(markup.FormatOf(f.Path, text), lines)
	all := outline(split(parsed, lines))
	minor := changes.MatchString(f.Path)
	labels := 0 // number of lines directly above the block that name its heading
	for i, bl := range all {
		text := Range{bl.From - labels, bl.To}
		labels = 0
		if i+1 < len(all) && !all[i+1].continues() {
			labels = labelsAbove(lines, all[i+1].From, bl.From)
			text.To -= labels
		}
		path := all.path(i)
		heading := path[len(path)-1]
		b.words.Block(b.blocks+i, minor || deprecated.MatchString(heading))
		b.words.Add(lexical.Heading, []byte(heading))
		b.words.Add(lexical.Above, []byte(strings.Join(path[:len(path)-1], "\n")))
		b.words.Add(lexical.Place, []byte(f.Path+"\n"+parsed.Title))
		b.words.Add(lexical.Body, body(parsed, lines, text))
	}
	b.put(f, lines.Len(), len(all), encodeBlocks(all))
}

// label matches a line that names the heading below it: a target of reStructuredText, or an anchor of AsciiDoc. It
// does not match anchors of HTML, because they only repeat the heading.
var label = lazyregexp.New(`^(\.\. _[^:]+:|\[\[[^\[\]]+\]\]|\[#[^\[\]]+\])[ \t]*$`)

// labelsAbove returns the number of lines from the first label of a heading to the heading. Between them are only
// labels and blank lines. Only lines with a number above previousLine are examined. Labels belong to the end of the
// previous block, but are indexed with the heading.
func labelsAbove(lines *markup.Lines, heading, previousLine int) int {
	top := heading
	for n := heading - 1; n > previousLine; n-- {
		switch line := lines.Line(n); {
		case len(line) > 0 && bytes.IndexByte([]byte(".["), line[0]) >= 0 && label.MatchString(string(line)):
			top = n
		case len(bytes.TrimSpace(line)) > 0:
			return heading - top
		}
	}
	return heading - top
}

// deprecated matches headings about deprecated features.
var deprecated = lazyregexp.New(`(?i)\bdeprecated\b`)

// changes matches paths of change logs, upgrade guides, proposals and similar documents. Such documents use the words
// of the manual, but seldom answer questions.
var changes = lazyregexp.New(`(?i)(^|[/_-])(change-?logs?|changes|history|news|release-?notes|rel-?notes|deprecat\w*|` +
	`migrat\w*|upgrad\w*|rfcs?|proposals?|adrs?|blog)\b`)

// contents matches a line of a table of contents: a link to a section of the same page.
var contents = lazyregexp.New(`^\s*([-*+]|\d+[.)])\s+\[.*\]\(#[^()]*\)\s*$`)

// body returns the text of lines without imports and tables of contents. The words of imports and tables of contents
// would lead to the wrong section.
func body(parsed markup.Outline, lines *markup.Lines, r Range) []byte {
	text := withoutModules(parsed, lines, r)
	if !bytes.Contains(text, []byte("](#")) {
		return text
	}
	var kept []byte
	for line := range bytes.Lines(text) {
		if !bytes.Contains(line, []byte("](#")) || !contents.MatchString(string(line)) {
			kept = append(kept, line...)
		}
	}
	return kept
}

// withoutModules returns the text of lines without imports and exports.
func withoutModules(parsed markup.Outline, lines *markup.Lines, r Range) []byte {
	i := sort.Search(len(parsed.Modules), func(i int) bool { return parsed.Modules[i].To >= r.From })
	var kept []byte
	for ; i < len(parsed.Modules) && parsed.Modules[i].From <= r.To; i++ {
		kept = append(kept, lines.Text(r.From, parsed.Modules[i].From-1)...)
		r.From = parsed.Modules[i].To + 1
	}
	if kept == nil && r.From <= r.To {
		return lines.Text(r.From, r.To)
	}
	return append(kept, lines.Text(r.From, r.To)...)
}
