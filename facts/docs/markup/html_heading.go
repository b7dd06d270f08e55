package markup

import (
	"bytes"
	"strings"
)

// htmlHeadings finds headings in HTML blocks, such as <h1 align="center">Name</h1> in a README. A heading must start
// at the beginning of a line.
type htmlHeadings struct {
	inside int // number of open lists, tables and quotes
	hidden int // number of open code elements and comments in the block

	level int // level of the open heading, 0 for none
	first int // first line of the open heading
	text  []byte
}

// maxHTMLHeading is the max number of bytes of a heading with its tags.
const maxHTMLHeading = 4 * maxHeading

// begin records that a block begins.
func (h *htmlHeadings) begin() { h.hidden, h.level = 0, 0 }

// line reads a line of a block. It returns the heading that ends in the line, and reports whether a heading with text
// ends there.
func (h *htmlHeadings) line(n int, line []byte) (Heading, bool) {
	text := bytes.TrimLeft(line, " \t")
	if h.level == 0 && h.inside == 0 && h.hidden == 0 {
		if level, rest := headingTag(text); level > 0 {
			h.level, h.first, h.text, text = level, n, h.text[:0], rest
		}
	}
	if h.level == 0 {
		h.nest(text)
		return Heading{}, false
	}
	end := bytes.Index(text, []byte{'<', '/', 'h', '0' + byte(h.level)})
	if end < 0 {
		end = bytes.Index(text, []byte{'<', '/', 'H', '0' + byte(h.level)})
	}
	if end < 0 {
		h.text = append(append(h.text, text...), '\n')
		if len(h.text) > maxHTMLHeading {
			h.level = 0
		}
		return Heading{}, false
	}
	found := Heading{Line: h.first, Level: h.level, Text: inlineText(append(h.text, text[:end]...))}
	h.level = 0
	h.nest(text[end:])
	return found, found.Text != ""
}

// headingTag reads the opening tag of a heading. It returns the level of the heading and the text after the tag. The
// level is 0 if the text does not begin with such a tag.
func headingTag(text []byte) (level int, rest []byte) {
	if len(text) < 4 || text[0] != '<' || text[1]|0x20 != 'h' || text[2] < '1' || text[2] > '6' {
		return 0, nil
	}
	end := 3 + attributes(text[3:])
	end += blanks(text[end:])
	if end >= len(text) || text[end] != '>' {
		return 0, nil
	}
	return int(text[2] - '0'), text[end+1:]
}

// nest counts the tags of a line that enclose something other than headings of the document: code, comments, lists,
// tables and quotes.
func (h *htmlHeadings) nest(line []byte) {
	if bytes.Contains(line, []byte("-->")) {
		h.hidden = 0
	}
	for at := bytes.IndexByte(line, '<'); at >= 0; at = bytes.IndexByte(line, '<') {
		line = line[at+1:]
		name, _ := tagName(bytes.TrimPrefix(line, []byte("/")))
		step := 1
		if bytes.HasPrefix(line, []byte("/")) {
			step = -1
		}
		switch {
		case strings.Contains(" table ul ol dl blockquote ", " "+name+" "):
			h.inside = max(0, h.inside+step)
		case name == "pre" || name == "code":
			h.hidden = max(0, h.hidden+step)
		case bytes.HasPrefix(line, []byte("!--")) && !bytes.Contains(line, []byte("-->")):
			h.hidden = 1
		}
	}
}

// mdxHeading returns the HTML heading that begins in a line of MDX, and the number of the heading's last line. The
// number is 0 if no heading begins there.
func mdxHeading(lines *Lines, n int) (Heading, int) {
	var h htmlHeadings
	for end := n; end <= lines.Len() && (end == n || h.level > 0); end++ {
		if heading, found := h.line(end, lines.Line(end)); found {
			return heading, end
		}
	}
	return Heading{}, 0
}
