// Package markup finds the headings of documents in Markdown, MDX, reStructuredText and AsciiDoc, with exact lines.
// The package accepts any bytes. A broken document has fewer headings and gives no error. The package imports no
// parser of a markup language.
package markup

import (
	"bytes"
	"path"
	"strings"
)

// Format is the markup language of a document.
type Format string

// These are the formats of documents that Parse reads.
const (
	Markdown         Format = "markdown"
	MDX              Format = "mdx" // Markdown with JSX, as documentation sites write it
	ReStructuredText Format = "rst"
	AsciiDoc         Format = "asciidoc"
	Plain            Format = "text" // without headings
)

// Heading is a heading of the document itself. Headings in quotes, lists, tables, comments and code do not count.
type Heading struct {
	Line  int    // first line, 1-based; for a title with an overline, the overline
	Level int    // 1 for the highest
	Text  string // without markup
}

// Outline is the structure of a document according to its markup.
type Outline struct {
	Title    string // from the front matter, "" for none
	First    int    // the first line after the front matter
	Headings []Heading
	Modules  []Module
}

// Module is a range of lines of MDX with imports and exports. These lines are not text of the document.
type Module struct{ From, To int }

var formats = map[string]Format{
	".md": Markdown, ".markdown": Markdown, ".mdown": Markdown, ".mkd": Markdown, ".mkdn": Markdown, ".mdwn": Markdown,
	".mdx": MDX,
	".rst": ReStructuredText, ".rest": ReStructuredText,
	".adoc": AsciiDoc, ".asciidoc": AsciiDoc, ".asc": AsciiDoc,
}

// FormatOf returns a document's format by its name, or by its text if the name does not show the format.
func FormatOf(name string, text []byte) Format {
	base := strings.ToLower(path.Base(name))
	if f, ok := formats[path.Ext(base)]; ok {
		return f
	}
	if path.Ext(base) == ".txt" && strings.HasPrefix(base, "llms") {
		return Markdown
	}
	switch {
	case hasDirective(text):
		return ReStructuredText // Sphinx manuals are often named .txt
	case looksLikeAsciiDoc(text):
		return AsciiDoc // Git's manuals are named .txt, too
	}
	return Plain
}

// hasDirective reports whether the beginning of a text looks like reStructuredText. It must contain the underline of a
// title, and a line that begins with ".. " and has a colon, such as a directive or a target.
func hasDirective(text []byte) bool {
	const enough = 32 << 10
	directive, underline := false, false
	for line := range bytes.Lines(text[:min(len(text), enough)]) {
		line = bytes.TrimRight(line, " \t\r\n")
		directive = directive || bytes.HasPrefix(line, []byte(".. ")) && bytes.Contains(line, []byte(":"))
		underline = underline || len(line) >= 3 && isRun(line)
		if directive && underline {
			return true
		}
	}
	return false
}

// Parse returns the outline of a document.
func Parse(format Format, lines *Lines) Outline {
	switch format {
	case Markdown, MDX:
		return parseMarkdown(lines, format == MDX)
	case ReStructuredText:
		return parseRST(lines)
	case AsciiDoc:
		return parseAsciiDoc(lines)
	}
	return Outline{First: 1}
}
