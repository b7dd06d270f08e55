package docs

import (
	"bytes"
	"strings"

	"github.com/blq-ci/blq/facts/docs/lexical"
	"github.com/blq-ci/blq/facts/docs/markup"
)

// A preview is about previewLength bytes long. Only the first maxPreviewed bytes of a block, and only the first
// maxShownLine bytes of each line, are searched.
const (
	previewLength = 200
	maxPreviewed  = 16 << 10
	maxShownLine  = 4 << 10
)

// preview returns an excerpt of a block with the line that has the most words of a query. It returns the heading only
// if the block has no other text.
func preview(lines *markup.Lines, b block, query string) string {
	words := lexical.Words(query)
	from := b.From
	if b.level > 0 && !b.continues() && b.To > b.From {
		from++
	}
	var all []string
	read, best, bestScore := 0, 0, -1
	for n := from; n <= b.To && read < maxPreviewed; n++ {
		line := lines.Line(n)
		read += len(line) + 1
		line = bytes.TrimSpace(line[:min(len(line), maxShownLine)])
		if len(line) == 0 || isRule(line) || b.level == 0 && isImport(line) {
			continue
		}
		if s := matching(line, words); s > bestScore {
			best, bestScore = len(all), s
		}
		all = append(all, strings.ToValidUTF8(string(line), "\ufffd"))
	}
	if len(all) == 0 {
		return b.heading
	}
	return excerpt(all, best, words)
}

// isRule reports whether a line has only punctuation: fences, rules, underlines.
func isRule(line []byte) bool {
	return !bytes.ContainsFunc(line, func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r >= 0x80
	})
}

// isImport reports whether a line is a JavaScript import. Pages in MDX have imports above the text.
func isImport(line []byte) bool {
	return bytes.HasPrefix(line, []byte("import ")) && bytes.IndexByte([]byte(`'";`), line[len(line)-1]) >= 0
}

// matching returns the number of the given words that a line contains.
func matching(line []byte, words []string) int {
	lower := bytes.ToLower(line)
	n := 0
	for _, w := range words {
		if bytes.Contains(lower, []byte(w)) {
			n++
		}
	}
	return n
}

// excerpt returns the text from a line on, with at most about previewLength bytes. If that text is short, excerpt adds
// lines before it. If the first line is long, the excerpt begins near the first occurrence of one of the words.
func excerpt(all []string, from int, words []string) string {
	length := 0
	for _, line := range all[from:] {
		length += len(line) + 1
	}
	for from > 0 && length+len(all[from-1]) < previewLength {
		from--
		length += len(all[from]) + 1
	}
	first := all[from]
	if at := firstMatch(first, words); at > previewLength/2 && len(first) > previewLength {
		start := at - previewLength/4
		for start > 0 && first[start]&0xc0 == 0x80 {
			start--
		}
		first = "…" + first[start:]
	}
	text := first
	for _, line := range all[from+1:] {
		if len(text) >= previewLength {
			break
		}
		text += " " + line
	}
	if len(text) <= previewLength {
		return text
	}
	text = cut(text, previewLength)
	if blank := strings.LastIndexByte(text, ' '); blank > previewLength*3/4 {
		text = text[:blank]
	}
	return text + "…"
}

func firstMatch(line string, words []string) int {
	lower := strings.ToLower(line)
	first := -1
	for _, w := range words {
		if at := strings.Index(lower, w); at >= 0 && (first < 0 || at < first) {
			first = min(at, len(line))
		}
	}
	return first
}
