package parse

import (
	"bytes"
	"slices"
	"sort"
)

// Document is a format that consists of one JSON or XML document.
type Document struct {
	// Roots are possible beginnings of the root element of an XML document of this format, such as "<pmd ". "<?xml" may
	// precede the root element.
	Roots []string
	// Sniff reports whether a document is of this format. head is the first 4 KiB of the document, or the whole
	// document if it is shorter. If Sniff is nil, head must contain one of Roots.
	Sniff func(head []byte) bool
	// Read adds the events of a whole document. If the document is of another format, it adds nothing and returns an
	// error.
	Read func(s *Scan, d *Text) error
	// Cut adds the events of the beginning of a document whose end is missing, because a program crashed or the
	// document is too long. It is nil if such a beginning says nothing.
	Cut func(s *Scan, d *Text)
}

// startsDocument reports whether a line may be the first line of a JSON document or of an XML document. An XML document
// begins with <?xml, or with a root element that a format reads.
func (t *triggers) startsDocument(line []byte) bool {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	if i == len(line) {
		return false
	}
	switch line[i] {
	case '{', '[':
		rest := bytes.TrimLeft(line[i+1:], " \t")
		return len(rest) == 0 || bytes.IndexByte([]byte(`"{[]}`), rest[0]) >= 0
	case '<':
		return bytes.HasPrefix(line[i:], []byte("<?xml")) || t.startsRoot(line[i:])
	}
	return false
}

func (t *triggers) startsRoot(text []byte) bool {
	for _, root := range t.roots {
		if len(text) >= len(root) && string(text[:len(root)]) == root {
			return true
		}
	}
	return false
}

// Text is a document that was found in a log.
type Text struct {
	Data  []byte
	lines []docLine // for each line of Data, its place in the log
}

type docLine struct{ offset, n int }

// Line returns the number of the log line that contains a byte of the document. The parameter offset is the position of
// this byte in the document.
func (t *Text) Line(offset int) int {
	i := sort.Search(len(t.lines), func(i int) bool { return t.lines[i].offset > offset })
	if i == 0 {
		return 1
	}
	return t.lines[i-1].n
}

// collector gathers the lines of a document until the document is complete.
type collector struct {
	text  Text
	json  jsonShape
	close []byte // closing tag of an XML document, empty until the root is known, nil for JSON
	lines []Line // lines of the document; they are offered to the formats if no Document reads the document
	shown bool   // a Document has received the text
}

// collect begins a document at line l. It reports whether it took the line. If no format reads the collected lines as a
// document, the lines after the first are offered to the formats later.
func (s *Scan) collect(l Line, full []byte) bool {
	c := s.newCollector()
	if bytes.HasPrefix(bytes.TrimLeft(full, " \t"), []byte("<")) {
		c.close = []byte{}
	}
	done, ok := c.add(l, full)
	switch {
	case !ok:
		s.tear(c, done)
		s.keep(c)
		return false
	case done:
		if s.read(c) {
			return true
		}
		s.keep(c)
		return false
	}
	s.doc = c
	return true
}

// newCollector returns an empty collector. It reuses the memory of a document that no format read, because most
// documents belong to no format.
func (s *Scan) newCollector() *collector {
	if c := s.spare; c != nil {
		s.spare = nil
		return c
	}
	return &collector{}
}

// keep stores a collector for the next document. It does not store a large collector, or a collector whose text a
// format has received.
func (s *Scan) keep(c *collector) {
	if c.shown || cap(c.text.Data) > maxKept {
		return
	}
	clear(c.lines)
	*c = collector{text: Text{c.text.Data[:0], c.text.lines[:0]}, lines: c.lines[:0],
		json: jsonShape{stack: c.json.stack[:0]}}
	s.spare = c
}

// continueDocument adds a line to the open document. It closes the document if the document is complete or invalid.
func (s *Scan) continueDocument(l Line, full []byte) {
	c := s.doc
	done, ok := c.add(l, full)
	switch {
	case !ok:
		s.doc = nil
		s.tear(c, done)
		s.again(c)
	case done:
		s.doc = nil
		if !s.read(c) {
			s.again(c)
		}
	}
}

// has reports whether a document that starts with head is of this format.
func (d *Document) has(head []byte) bool {
	if d.Sniff != nil {
		return d.Sniff(head)
	}
	return slices.ContainsFunc(d.Roots, func(root string) bool { return bytes.Contains(head, []byte(root)) })
}

// read passes a complete document to the formats to which it may belong, until one of them reads the document. It
// reports whether a format read the document.
func (s *Scan) read(c *collector) bool {
	head := c.text.Data[:min(len(c.text.Data), 4096)]
	tagged := bytes.IndexByte(head, '<') >= 0 // only such a head can contain one of Roots
	for _, i := range s.documentFormats {
		f := &s.formats[i]
		if f.Document.Sniff == nil && !tagged || !f.Document.has(head) {
			continue
		}
		s.format, c.shown = i, true
		s.documents++
		s.document = s.documents
		err := f.Document.Read(s, &c.text)
		s.document = 0
		if err == nil {
			return true
		}
	}
	return false
}

// again offers collected lines to the formats. The lines are not a document, or no format has read the document.
// again leaves out the first line, because the formats have already seen it.
func (s *Scan) again(c *collector) {
	defer s.keep(c)
	s.replay = true
	for _, l := range c.lines[1:] {
		s.now = l.N
		text := []byte(l.Text)
		var m mask
		s.triggers.scan(text, &m)
		if !m.empty() || s.cur.block != nil {
			s.offer(l, text, &m)
		}
		s.step.words(text, l.N)
	}
	s.replay = false
}

func (s *Scan) finishDocument() {
	if c := s.doc; c != nil {
		s.doc = nil
		s.readCut(&c.text, s.cutFormat(c))
		s.again(c)
	} else if t := s.torn; t.text != nil && t.text.lines[len(t.text.lines)-1].n == s.now {
		s.readCut(t.text, t.format)
	}
	s.torn = torn{}
}

// torn is a JSON document that ended in the middle of a string, and its format. If the log ends there, too, the end of
// the document is missing. Otherwise other output may have come between its lines.
type torn struct {
	text   *Text
	format int
}

// tear handles a document that cannot go on. complete is true if it is complete, but has other text behind it.
func (s *Scan) tear(c *collector, complete bool) {
	format := s.cutFormat(c)
	switch {
	case complete || format < 0:
	case c.close != nil: // it is too long
		s.readCut(&c.text, format)
	default:
		c.shown = true
		s.torn = torn{&Text{c.text.Data, c.text.lines}, format}
	}
}

// cutFormat returns the first format that reads the beginning of a document, and to which the document may belong. It
// returns -1 if there is none.
func (s *Scan) cutFormat(c *collector) int {
	head := c.text.Data[:min(len(c.text.Data), 4096)]
	for _, i := range s.documentFormats {
		if d := s.formats[i].Document; d.Cut != nil && d.has(head) {
			c.shown = true
			return i
		}
	}
	return -1
}

// readCut passes a document without an end to a format. It does nothing if the format is -1.
func (s *Scan) readCut(text *Text, format int) {
	if format < 0 {
		return
	}
	s.format = format
	s.documents++
	s.document = s.documents
	s.formats[format].Document.Cut(s, text)
	s.document = 0
}

// add takes one line. complete reports whether the document ends on this line. ok reports whether the lines can
// still be a document.
func (c *collector) add(l Line, full []byte) (complete, ok bool) {
	if len(c.text.Data)+len(full) > MaxDocument {
		c.lines = append(c.lines, l)
		return false, false
	}
	c.lines = append(c.lines, l)
	c.text.lines = append(c.text.lines, docLine{len(c.text.Data), l.N})
	c.text.Data = append(c.text.Data, full...)
	c.text.Data = append(c.text.Data, '\n')
	if c.close == nil {
		return c.json.feed(full)
	}
	return c.xml(full)
}

// xml finds the root element and waits for its closing tag.
func (c *collector) xml(line []byte) (done, ok bool) {
	if len(c.close) == 0 {
		name := rootName(c.text.Data)
		if name == nil {
			return false, len(c.lines) < 20
		}
		c.close = append([]byte("</"), name...)
	}
	if bytes.Contains(line, c.close) {
		return true, true
	}
	return bytes.HasSuffix(bytes.TrimSpace(line), []byte("/>")) && loneElement(c.text.Data), true
}

// loneElement reports whether data has at most one tag.
func loneElement(data []byte) bool {
	tags := 0
	for i, b := range data {
		if b == '<' && i+1 < len(data) && data[i+1] != '?' && data[i+1] != '!' {
			if tags++; tags > 1 {
				return false
			}
		}
	}
	return true
}

// rootName returns the name of the first XML element in a text. It returns nil if the text has no element.
func rootName(data []byte) []byte {
	for {
		i := bytes.IndexByte(data, '<')
		if i < 0 || i+1 >= len(data) {
			return nil
		}
		data = data[i+1:]
		if data[0] == '?' || data[0] == '!' {
			continue
		}
		return data[:len(data)-len(bytes.TrimLeftFunc(data, isNameRune))]
	}
}

func isNameRune(r rune) bool {
	return r == '-' || r == '_' || r == '.' || r == ':' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
}

// jsonShape keeps track of the open brackets and strings of a text. They show where a JSON value ends, and whether a
// text cannot be JSON.
type jsonShape struct {
	stack    []byte
	inString bool
	escaped  bool
}

const maxJSONDepth = 200

func (j *jsonShape) feed(line []byte) (done, ok bool) {
	for i, b := range line {
		if j.inString {
			switch {
			case j.escaped:
				j.escaped = false
			case b == '\\':
				j.escaped = true
			case b == '"':
				j.inString = false
			}
			continue
		}
		switch b {
		case '"':
			j.inString = true
		case '{', '[':
			if len(j.stack) >= maxJSONDepth {
				return false, false
			}
			j.stack = append(j.stack, b+2) // the closing bracket, in ASCII
		case '}', ']':
			if len(j.stack) == 0 || j.stack[len(j.stack)-1] != b {
				return false, false
			}
			j.stack = j.stack[:len(j.stack)-1]
			if len(j.stack) == 0 {
				return true, len(bytes.TrimSpace(line[i+1:])) == 0
			}
		default:
			if !isJSONByte(b) {
				return false, false
			}
		}
	}
	return false, !j.inString // a string cannot contain a line end
}

// isJSONByte reports whether b may be in JSON outside of strings. It does not check for quotes and brackets. Such bytes
// are blanks, separators, and the characters of numbers, true, false and null.
func isJSONByte(b byte) bool {
	return b == ' ' || b == '\t' || b == ',' || b == ':' || IsDigit(b) || bytes.IndexByte([]byte("-+.eEtrufalsn"), b) >= 0
}
