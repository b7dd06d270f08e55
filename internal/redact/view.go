package redact

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// A reader sees other text than the bytes of a log: terminals obey escape sequences, and viewers
// drop what they cannot show. So a secret that is split in the bytes may be whole on the screen.
// Lines with such bytes are searched once more as views: as the text that they show.

// view is text as a reader sees it, with the place of each of its bytes in the raw text.
type view struct {
	text     []byte
	pos, end []int32 // byte i stands for raw[pos[i]:end[i]]
}

// newView returns an empty view with room for n bytes.
func newView(n int) view {
	places := make([]int32, 2*n)
	return view{text: make([]byte, 0, n), pos: places[:0:n], end: places[n : n : 2*n]}
}

func (v *view) add(b byte, pos, end int) {
	v.text = append(v.text, b)
	v.pos = append(v.pos, int32(pos))
	v.end = append(v.end, int32(end))
}

func (v *view) addAll(text []byte, pos, end int) {
	for _, b := range text {
		v.add(b, pos, end)
	}
}

// erase removes the last character of the line.
func (v *view) erase() {
	n := len(v.text)
	if n == 0 || v.text[n-1] == '\n' {
		return
	}
	for n--; n > 0 && v.text[n]&0xc0 == 0x80; n-- {
	}
	v.text, v.pos, v.end = v.text[:n], v.pos[:n], v.end[:n]
}

const (
	// maxSequence is the max length in bytes of an escape sequence. A longer one is text.
	maxSequence = 4 << 10
	// maxString is the same for a string that a terminal obeys, such as an image, on one line.
	maxString = 60 << 10
)

// strip returns raw without what readers do not see. With erases, a backspace removes the character
// before it. held is where an incomplete sequence begins at the end of raw, len(raw) for none.
func strip(raw []byte, erases, final bool) (v view, held int) {
	v = newView(len(raw))
	for i := 0; i < len(raw); {
		c := raw[i]
		switch {
		case c >= ' ' && c < 0x7f || c == '\n' || c == '\t':
			v.add(c, i, i+1)
			i++
		case c == '\x1b':
			n, more := sequence(raw[i:], final)
			if more {
				return v, i
			}
			i += n
		case c < utf8.RuneSelf:
			if c == '\b' && erases {
				v.erase()
			}
			i++
		default:
			n, more := v.character(raw, i, final)
			if more {
				return v, i
			}
			i += n
		}
	}
	return v, len(raw)
}

// character adds the character beyond ASCII at raw[i], if it shows, and returns its length.
func (v *view) character(raw []byte, i int, final bool) (n int, more bool) {
	b := raw[i:]
	if r, n := overlong(b); n > 0 {
		v.add(r, i, i+n)
		return n, false
	}
	if !final && !utf8.FullRune(b) {
		return 0, true
	}
	r, n := utf8.DecodeRune(b)
	switch {
	case r == utf8.RuneError && n == 1, unseen(r):
		return n, false
	case r == '\u009b':
		skip, more := sequence(b, final)
		return skip, more
	}
	v.addAll(b[:n], i, i+n)
	return n, false
}

// overlong decodes an ASCII character that is written with more bytes than it needs.
func overlong(b []byte) (c byte, n int) {
	switch {
	case b[0]&0xfe == 0xc0:
		n = 2
	case b[0] == 0xe0 && len(b) > 1 && b[1] < 0xa0:
		n = 3
	case b[0] == 0xf0 && len(b) > 1 && b[1] < 0x90:
		n = 4
	}
	if n == 0 || len(b) < n {
		return 0, 0
	}
	r := 0
	for _, x := range b[1:n] {
		if x&0xc0 != 0x80 {
			return 0, 0
		}
		r = r<<6 | int(x&0x3f)
	}
	if n == 2 {
		r |= int(b[0]&1) << 6
	}
	return byte(r), map[bool]int{true: n}[r < utf8.RuneSelf]
}

// unseen reports whether a character shows nothing by itself: controls, marks on the character
// before it, and characters without width.
func unseen(r rune) bool {
	switch {
	case r < 0xa0:
		return r != '\u009b'
	case r < 0x300:
		return r == 0xad
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector) ||
		r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0
}

// sequence returns the length of the escape sequence that b begins with.
func sequence(b []byte, final bool) (n int, more bool) {
	const intro = 2   // bytes of ESC [ and of U+009B in UTF-8
	kind := byte('[') // what U+009B stands for
	if b[0] == '\x1b' {
		if len(b) < intro {
			return 1, !final
		}
		kind = b[1]
	}
	head := b[:min(len(b), maxSequence)]
	whole := final
	final = final || len(head) == maxSequence
	switch kind {
	case '[':
		for i := intro; i < len(head); i++ {
			if head[i] >= 0x40 && head[i] <= 0x7e {
				return i + 1, false
			}
			if head[i] < 0x20 {
				return i, false
			}
		}
		return len(head), !final
	case ']', '_', 'P', '^', 'X':
		return stringSequence(b, whole)
	case '(', ')', '*', '+', '#', '%':
		return min(3, len(b)), !final && len(b) < 3
	}
	return 2, false
}

// stringSequence returns the length of a sequence with a string, which BEL or ESC \ ends.
func stringSequence(b []byte, final bool) (n int, more bool) {
	const intro = 2
	head := b[:min(len(b), maxString)]
	final = final || len(b) > maxString && len(head) == maxString
	if line := bytes.IndexByte(head, '\n'); line > maxSequence || line >= 0 && len(head) > maxSequence {
		head, final = head[:max(line, maxSequence)], true
	}
	for i := intro; i < len(head); i++ {
		if head[i] == '\a' {
			return i + 1, false
		}
		if head[i] == '\x1b' && i+1 < len(head) && head[i+1] == '\\' {
			return i + 2, false
		}
	}
	return intro, !final
}

// isStrange reports whether text begins with something that shows as something else.
func isStrange(text []byte) bool {
	switch c := text[0]; {
	case c == '\n' || c == '\t':
		return false
	case c == '\r':
		return len(text) < 2 || text[1] != '\n'
	case c == '%' || c == '&' || c == '\\':
		_, n, more := code(text, false)
		return n > 0 || more
	case c < utf8.RuneSelf:
		return true
	}
	r, _ := utf8.DecodeRune(text)
	return r == utf8.RuneError || r == '\u009b' || unseen(r)
}

// views searches the lines that show something else than their bytes, and returns how many bytes
// are settled: settled at most.
func (s *scan) views(settled int) int {
	for i := s.hints.nextStrange(s.text, 0); i < len(s.text); {
		from, to := s.lineBefore(i), s.lineBehind(i)
		for i = s.hints.nextStrange(s.text, i+1); i < to && i < len(s.text); i = s.hints.nextStrange(s.text, max(i+1, to)) {
			to = s.lineBehind(i)
		}
		settled = min(settled, s.shown(from, to))
	}
	return settled
}

// lineBefore returns the beginning of the line before the one that holds i: a secret may begin there.
func (s *scan) lineBefore(i int) int {
	line := bytes.LastIndexByte(s.text[:i], '\n')
	if line < 0 {
		return 0
	}
	return bytes.LastIndexByte(s.text[:line], '\n') + 1
}

// lineBehind returns the end of the line after the one that holds i.
func (s *scan) lineBehind(i int) int {
	for range 2 {
		n := bytes.IndexByte(s.text[i:], '\n')
		if n < 0 {
			return len(s.text)
		}
		i += n + 1
	}
	return i
}

// shown searches the views of text[from:to], and returns how many bytes of the text are settled.
func (s *scan) shown(from, to int) int {
	raw, final := s.text[from:to], s.final || to < len(s.text)
	v, settled := strip(raw, false, final)
	if len(v.text) < len(raw) {
		settled = min(settled, s.search(&v, from, final))
	}
	for range 2 { // what is encoded once or twice
		decoded, held, ok := v.decoded(final)
		if settled = min(settled, held); !ok {
			break
		}
		v = decoded
		settled = min(settled, s.search(&v, from, final))
	}
	if bytes.IndexByte(raw, '\b') >= 0 {
		v, _ = strip(raw, true, final)
		settled = min(settled, s.search(&v, from, final))
	}
	if moves(raw) {
		v = screen(raw, final)
		settled = min(settled, s.search(&v, from, final))
	}
	if hasShortEscape(raw) {
		v = printable(raw)
		settled = min(settled, s.search(&v, from, final))
	}
	if settled >= len(raw) {
		return len(s.text)
	}
	return from + settled
}

// hasShortEscape reports whether a text has an escape that takes the one character behind it away on a terminal, but
// not in a viewer that only drops what it cannot show.
func hasShortEscape(raw []byte) bool {
	for {
		i := bytes.IndexByte(raw, '\x1b')
		if i < 0 || i+1 == len(raw) {
			return false
		}
		if raw = raw[i+1:]; raw[0] > ' ' && bytes.IndexByte([]byte("[]_^PX()*+#%"), raw[0]) < 0 {
			return true
		}
	}
}

// printable returns raw without controls.
func printable(raw []byte) (v view) {
	for i, c := range raw {
		if c >= ' ' && c != 0x7f || c == '\n' || c == '\t' {
			v.add(c, i, i+1)
		}
	}
	return v
}

// search searches a view of the text from base on for secrets, and returns how many bytes from base
// on are settled.
func (s *scan) search(v *view, base int, final bool) int {
	sub := scan{set: s.set, text: v.text, past: s.before(base), final: final, deaf: true, viewed: true,
		command: s.command, label: s.label}
	return s.searchWith(&sub, v, base)
}

// searchWith takes what a search through a view of the text from base on finds.
func (s *scan) searchWith(sub *scan, v *view, base int) int {
	j := sub.run()
	for _, p := range sub.spans {
		s.spans = append(s.spans, v.raw(p, base)...)
	}
	settled := len(s.text) - base
	for _, p := range v.pos[min(j, len(v.pos)):] {
		settled = min(settled, int(p))
	}
	return settled
}

// raw returns the parts of the raw text that a span of the view stands for.
func (v *view) raw(p span, base int) []span {
	var list []span
	last := -1
	for i := p.from; i < p.to; i++ {
		from, to := base+int(v.pos[i]), base+int(v.end[i])
		if last >= 0 && from >= list[last].from {
			list[last].to = max(list[last].to, to)
			continue
		}
		list = append(list, span{from, from, to})
		last++
	}
	if len(list) == 1 && p.origin < p.from && p.origin >= 0 {
		list[0].origin = base + int(v.pos[p.origin])
	}
	return list
}
