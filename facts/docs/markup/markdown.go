package markup

import "bytes"

// parseMarkdown finds headings by CommonMark's rules for blocks. It tracks only the state that decides where a heading
// can begin: open quotes, list items, paragraphs, code and HTML.
func parseMarkdown(lines *Lines, mdx bool) Outline {
	title, first := frontMatter(lines)
	s := blockScanner{lines: lines, mdx: mdx}
	left := 4*len(lines.text) + 1<<16 // budget for JavaScript in bytes, because broken code is read repeatedly
	for n := first; n <= lines.Len(); n++ {
		if mdx && s.idle() {
			if h, end := mdxHeading(lines, n); end > 0 {
				s.headings, n = append(s.headings, h), end
				continue
			}
			if end := skipMDX(lines, n, &left); end > 0 {
				if isModule(lines.Line(n)) {
					s.modules = append(s.modules, Module{n, end})
				}
				n, s.leaf = end, noLeaf
				continue
			}
		}
		s.next(n)
	}
	return Outline{Title: inlineText([]byte(title)), First: first, Headings: s.headings, Modules: s.modules}
}

// leaf is the kind of the innermost open block that holds text.
type leaf int

const (
	noLeaf leaf = iota
	paragraph
	fencedCode
	indentedCode
	htmlBlock
)

// container is an open quote or list item.
type container struct {
	item  bool
	width int  // width of an item's marker with the spaces around it
	empty bool // an item without any text yet
}

// maxOpen is the max depth of nested quotes and list items. Deeper quotes and items are read as text.
const maxOpen = 100

// blockScanner reads the lines of a document in order. The field line is the current line, and the field offset is
// the position of the cursor in it. The field column is the same position in columns, where a tab is up to four
// columns wide.
type blockScanner struct {
	lines    *Lines
	mdx      bool
	headings []Heading
	modules  []Module

	open []container
	leaf leaf

	fence       byte // the byte of the open fence
	fenceLength int
	html        int // the kind of HTML block, 1 to 7
	inHTML      htmlHeadings

	paraLine int      // first line of the paragraph
	para     [][]byte // lines of the paragraph

	line   []byte
	number int
	offset int
	column int

	text   int // offset of the first byte that is not a space or tab
	indent int // columns before text
	blank  bool
}

// idle reports whether no block is open.
func (s *blockScanner) idle() bool { return len(s.open) == 0 && s.leaf == noLeaf }

// next reads a line.
func (s *blockScanner) next(n int) {
	s.line, s.number, s.offset, s.column = s.lines.Line(n), n, 0, 0
	matched, leafMatched := s.continued()
	s.begin(matched, leafMatched)
}

// continued matches the line with the open blocks. It returns the number of containers that the line continues, and
// reports whether the line continues the leaf, too.
func (s *blockScanner) continued() (int, bool) {
	for i := range s.open {
		s.find()
		if c := &s.open[i]; c.item {
			switch {
			case s.blank && c.empty:
				return i, false
			case s.blank:
				s.skipBlanks()
			case s.indent >= c.width:
				s.advance(c.width)
			default:
				return i, false
			}
		} else if !s.quoteMarker() {
			return i, false
		}
	}
	s.find()
	return len(s.open), s.leafContinued()
}

func (s *blockScanner) leafContinued() bool {
	switch s.leaf {
	case paragraph:
		return !s.blank
	case fencedCode:
		return true
	case indentedCode:
		return s.blank || s.indent >= 4
	case htmlBlock:
		return !s.blank || s.html < 6
	}
	return false
}

// begin opens the blocks that begin in the line. It adds the remaining text of the line to the innermost block.
func (s *blockScanner) begin(matched int, leafMatched bool) {
	if leafMatched && s.leaf != paragraph {
		s.inLeaf()
		return
	}
	// In a lazy continuation, text continues a paragraph without the markers of its containers.
	lazy := s.leaf == paragraph && !leafMatched
	inParagraph := leafMatched
	for {
		s.find()
		if s.blank || !s.indented() && !special(s.line[s.text]) {
			break
		}
		opened, ends := s.start(matched, inParagraph, lazy)
		if ends {
			return
		}
		if !opened {
			break
		}
		matched, inParagraph, lazy = len(s.open), false, false
	}
	switch {
	case !s.blank && s.leaf == paragraph && (lazy || inParagraph):
		s.para = append(s.para, s.line[s.text:])
	case s.blank:
		s.close(matched)
	default:
		s.close(matched)
		s.leaf, s.paraLine, s.para = paragraph, s.number, append(s.para[:0], s.line[s.text:])
		s.fill()
	}
}

// special reports whether a block other than a paragraph may begin with c.
func special(c byte) bool {
	return bytes.IndexByte([]byte("#>`~*+-=_<"), c) >= 0 || c >= '0' && c <= '9'
}

// start opens the block that begins at the cursor, if there is one. It reports whether the block is a container, and
// whether the whole line is used.
func (s *blockScanner) start(matched int, inParagraph, lazy bool) (opened, ends bool) {
	if s.indented() {
		if inParagraph || lazy {
			return false, false
		}
		s.openLeaf(matched, indentedCode)
		return false, true
	}
	rest := s.line[s.text:]
	switch rest[0] {
	case '>':
		if matched >= maxOpen {
			return false, false
		}
		s.close(matched)
		s.quoteMarker()
		s.fill()
		s.open = append(s.open, container{})
		return true, false
	case '#':
		if level, text, ok := atxHeading(rest); ok {
			s.openLeaf(matched, noLeaf)
			s.heading(s.number, level, text)
			return false, true
		}
	case '`', '~':
		if length := fenceLength(rest); length > 0 {
			s.openLeaf(matched, fencedCode)
			s.fence, s.fenceLength = rest[0], length
			return false, true
		}
	case '<':
		if kind := htmlStart(rest); kind > 0 && (kind < 7 || !inParagraph && !lazy) && (kind == 2 || !s.mdx) {
			s.openLeaf(matched, htmlBlock)
			s.html = kind
			s.inHTML.begin()
			s.readHTML()
			return false, true
		}
	}
	if inParagraph && s.setext(rest) {
		return false, true
	}
	if isThematicBreak(rest) {
		s.openLeaf(matched, noLeaf)
		return false, true
	}
	return s.item(matched, rest, inParagraph), false
}

// indented reports whether the line is indented as code. MDX has no such code.
func (s *blockScanner) indented() bool { return s.indent >= 4 && !s.mdx }

// openLeaf closes the blocks that the line does not continue, and then opens a leaf. With noLeaf, it opens no leaf.
func (s *blockScanner) openLeaf(matched int, l leaf) {
	s.close(matched)
	s.leaf = l
	s.fill()
}

// close closes the leaf, and all containers that the line does not continue.
func (s *blockScanner) close(matched int) {
	s.open = s.open[:matched]
	s.leaf = noLeaf
}

// fill records that the innermost list item has text.
func (s *blockScanner) fill() {
	if n := len(s.open); n > 0 {
		s.open[n-1].empty = false
	}
}

// inLeaf reads a line of code or HTML.
func (s *blockScanner) inLeaf() {
	switch s.leaf {
	case fencedCode:
		if !s.indented() && !s.blank && s.line[s.text] == s.fence && closesFence(s.line[s.text:], s.fence, s.fenceLength) {
			s.leaf = noLeaf
		}
	case htmlBlock:
		s.readHTML()
	}
}

// readHTML reads a line of an HTML block. The block may end in this line.
func (s *blockScanner) readHTML() {
	if s.html >= 6 && len(s.open) == 0 {
		if h, found := s.inHTML.line(s.number, s.line); found {
			s.headings = append(s.headings, h)
		}
	}
	if htmlEnds(s.html, s.line[s.offset:]) {
		s.leaf = noLeaf
	}
}

// heading adds a heading, unless it is in a container.
func (s *blockScanner) heading(line, level int, text []byte) {
	if len(s.open) == 0 {
		s.headings = append(s.headings, Heading{Line: line, Level: level, Text: inlineText(text)})
	}
}

// setext reports whether a line underlines the paragraph. If so, the paragraph becomes a heading.
func (s *blockScanner) setext(rest []byte) bool {
	rest = bytes.TrimRight(rest, " \t")
	if rest[0] != '=' && rest[0] != '-' || len(bytes.Trim(rest, string(rest[:1]))) > 0 {
		return false
	}
	used := referenceLines(s.para)
	if used == len(s.para) {
		return false // the paragraph has only link definitions, so there is nothing to underline
	}
	level := 1
	if rest[0] == '-' {
		level = 2
	}
	s.leaf = noLeaf
	s.heading(s.paraLine+used, level, bytes.Join(s.para[used:], []byte("\n")))
	return true
}

// item opens a list item, and reports whether the line begins an item.
func (s *blockScanner) item(matched int, rest []byte, inParagraph bool) bool {
	length := itemMarker(rest, inParagraph)
	if length == 0 || matched >= maxOpen {
		return false
	}
	before := s.indent
	s.close(matched)
	s.skipBlanks()
	s.advance(length)
	s.find()
	width := s.indent
	if blank := s.blank; blank || width > 4 {
		width = 1
	}
	s.advance(width)
	s.fill()
	s.open = append(s.open, container{item: true, width: before + length + width, empty: true})
	return true
}
