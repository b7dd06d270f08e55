package redact

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// The text that a reader sees may differ from the bytes of a log. Terminals execute escape sequences, and viewers
// drop invisible bytes. So a secret may be whole on the screen, although other bytes are between its bytes in the
// log. Lines with such bytes are also searched as views of the visible text.

// view is the visible or decoded form of a raw text, with the position of each byte in the raw text.
type view struct {
	text   []byte
	pieces []piece
}

// piece says which part of the raw text a part of a view represents. The part of the view begins at text[at] and ends
// before the next piece. If end is the constant copied, the part has the same bytes as the raw text from pos on.
// Otherwise the whole part represents raw[pos:end].
type piece struct{ at, pos, end int32 }

// copied marks a piece that has the same bytes as the raw text.
const copied = -1

// reset makes the view empty.
func (v *view) reset() { v.text, v.pieces = v.text[:0], v.pieces[:0] }

// copy adds a text that begins at index pos of the raw text.
func (v *view) copy(text []byte, pos int) {
	if len(text) == 0 {
		return
	}
	if n := len(v.pieces); n == 0 || v.pieces[n-1].end != copied ||
		int(v.pieces[n-1].pos)+len(v.text)-int(v.pieces[n-1].at) != pos {
		v.pieces = append(v.pieces, piece{int32(len(v.text)), int32(pos), copied})
	}
	v.text = append(v.text, text...)
}

func (v *view) add(b byte, pos, end int) {
	if end == pos+1 {
		v.copy([]byte{b}, pos)
		return
	}
	v.pieces = append(v.pieces, piece{int32(len(v.text)), int32(pos), int32(end)})
	v.text = append(v.text, b)
}

// addAll adds a text that represents raw[pos:end].
func (v *view) addAll(text []byte, pos, end int) {
	switch {
	case len(text) == 1:
		v.add(text[0], pos, end)
	case len(text) > 1:
		v.pieces = append(v.pieces, piece{int32(len(v.text)), int32(pos), int32(end)})
		v.text = append(v.text, text...)
	}
}

// piece returns the index of the piece that contains text[i].
func (v *view) piece(i int) int {
	return sort.Search(len(v.pieces), func(k int) bool { return int(v.pieces[k].at) > i }) - 1
}

// position returns the range of the raw text that text[i] represents.
func (v *view) position(i int) (pos, end int) { return v.pieces[v.piece(i)].position(i) }

func (p piece) position(i int) (pos, end int) {
	if p.end == copied {
		pos = int(p.pos) + i - int(p.at)
		return pos, pos + 1
	}
	return int(p.pos), int(p.end)
}

// behind returns the end of the range of the raw text that the last byte of the view represents.
func (v *view) behind() int {
	_, end := v.position(len(v.text) - 1)
	return end
}

// take adds text[from:to] of another view.
func (v *view) take(other *view, from, to int) {
	for k := other.piece(from); from < to; k++ {
		next := to
		if k+1 < len(other.pieces) {
			next = min(next, int(other.pieces[k+1].at))
		}
		pos, end := other.pieces[k].position(from)
		if other.pieces[k].end == copied {
			v.copy(other.text[from:next], pos)
		} else {
			v.addAll(other.text[from:next], pos, end)
		}
		from = next
	}
}

// shown fills the view with the visible text of another view. It returns false if the visible text is empty or the
// same. In this case, the caller must not use the view.
func (v *view) shown(other *view, final bool) bool {
	if !slices.ContainsFunc(other.text, func(c byte) bool { return !plainByte[c] }) {
		return false
	}
	var s view
	s.strip(other.text, false, final)
	v.reset()
	for k, p := range s.pieces {
		end := len(s.text)
		if k+1 < len(s.pieces) {
			end = int(s.pieces[k+1].at)
		}
		if p.end == copied {
			v.take(other, int(p.pos), int(p.pos)+end-int(p.at))
			continue
		}
		from, _ := other.position(int(p.pos))
		_, to := other.position(int(p.end) - 1)
		v.addAll(s.text[p.at:end], from, to)
	}
	return len(v.text) > 0 && !bytes.Equal(v.text, other.text)
}

// erase removes the last character of the view, unless it is a newline. A backspace does not go back to an earlier
// line.
func (v *view) erase() {
	n := len(v.text)
	if n == 0 || v.text[n-1] == '\n' {
		return
	}
	for n--; n > 0 && v.text[n]&0xc0 == 0x80; n-- {
	}
	v.text = v.text[:n]
	for k := len(v.pieces); k > 0 && int(v.pieces[k-1].at) >= n; k-- {
		v.pieces = v.pieces[:k-1]
	}
}

// views searches the lines whose visible text differs from their bytes. It returns how many bytes need not be
// searched again, at most the parameter settled.
func (s *scan) views(settled int) int {
	for i := s.hints.nextStrange(s.text, 0); i < len(s.text); {
		from, to := s.lineBefore(i), s.lineBehind(i)
		for i = s.hints.nextStrange(s.text, s.nextLine(i)); i < to && i < len(s.text); {
			to = s.lineBehind(i)
			i = s.hints.nextStrange(s.text, s.nextLine(i))
		}
		settled = min(settled, s.shown(from, to))
	}
	return settled
}

// lineBefore returns the beginning of the line before the line that contains text[i].
func (s *scan) lineBefore(i int) int {
	line := bytes.LastIndexByte(s.text[:i], '\n')
	if line < 0 {
		return 0
	}
	return bytes.LastIndexByte(s.text[:line], '\n') + 1
}

// nextLine returns the beginning of the line after the line that contains text[i].
func (s *scan) nextLine(i int) int {
	if n := bytes.IndexByte(s.text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(s.text)
}

// lineBehind returns the end of the line after the line that contains text[i].
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

// shown searches the views of text[from:to]. It returns the index of the first byte of text[from:to] that must be
// searched again, or len(text) if there is none.
func (s *scan) shown(from, to int) int {
	raw, final := s.text[from:to], s.final || to < len(s.text)
	v, decoded := &s.room().views[0], &s.room().views[1]
	settled := v.strip(raw, false, final)
	if len(v.text) < len(raw) {
		settled = min(settled, s.search(v, from, final))
	}
	for range 2 { // text may be encoded twice
		held, ok := decoded.decode(v, final)
		if settled = min(settled, held); !ok {
			break
		}
		v, decoded = decoded, v
		settled = min(settled, s.search(v, from, final))
		if seen := &s.room().seen; seen.shown(v, final) {
			settled = min(settled, s.search(seen, from, final))
		}
	}
	if bytes.IndexByte(raw, '\b') >= 0 {
		v.strip(raw, true, final)
		settled = min(settled, s.search(v, from, final))
	}
	if moves(raw) {
		v.screen(raw, final, &s.room().screen)
		settled = min(settled, s.search(v, from, final))
	}
	if hasShortEscape(raw) {
		v.printable(raw)
		settled = min(settled, s.search(v, from, final))
	}
	if settled >= len(raw) {
		return len(s.text)
	}
	return from + settled
}

// hasShortEscape reports whether a text has an escape sequence of two characters. A terminal shows neither of them,
// but a viewer that only drops invisible bytes shows the second.
func hasShortEscape(raw []byte) bool {
	for {
		i := bytes.IndexByte(raw, '\x1b')
		if i < 0 || i+1 == len(raw) {
			return false
		}
		if raw = raw[i+1:]; raw[0] > ' ' && strings.IndexByte("[]_^PX()*+#%", raw[0]) < 0 {
			return true
		}
	}
}

// printable fills the view with a text without control characters.
func (v *view) printable(raw []byte) {
	v.reset()
	for i, c := range raw {
		if plainByte[c] || c >= utf8.RuneSelf {
			v.copy(raw[i:i+1], i)
		}
	}
}

// search searches a view of text[base:]. It returns how many bytes from base on need not be searched again.
func (s *scan) search(v *view, base int, final bool) int {
	sub := scan{set: s.set, text: v.text, past: s.before(base), final: final, deaf: true, viewed: true,
		command: s.command, label: s.label, scratch: s.scratch, depth: s.depth + 1,
		source: source{v, base, s.room().positions}}
	return s.searchWith(&sub, v, base)
}

// searchWith runs the scan sub over a view of text[base:], and adds the secrets that it finds to those of s. It returns
// how many bytes from base on need not be searched again.
func (s *scan) searchWith(sub *scan, v *view, base int) int {
	j := sub.run()
	for _, p := range sub.spans {
		s.spans = append(s.spans, v.raw(p, base)...)
	}
	return v.first(j, len(s.text)-base)
}

// first returns the smallest index in the raw text of the bytes that v.text[i:] represents. The result is at most
// limit. It is limit if i is at the end of the view.
func (v *view) first(i, limit int) int {
	if i >= len(v.text) {
		return limit
	}
	k := v.piece(i)
	first, _ := v.pieces[k].position(i)
	for _, p := range v.pieces[k+1:] {
		first = min(first, int(p.pos))
	}
	return min(first, limit)
}

// raw returns the ranges of the raw text that a span of the view represents. The view shows the raw text from base
// on.
func (v *view) raw(p span, base int) []span {
	var list []span
	last := -1
	for i, k := p.from, v.piece(p.from); i < p.to; k++ {
		next := p.to
		if k+1 < len(v.pieces) {
			next = min(next, int(v.pieces[k+1].at))
		}
		from, _ := v.pieces[k].position(i)
		_, to := v.pieces[k].position(next - 1)
		from, to, i = base+from, base+to, next
		if last >= 0 && from >= list[last].from {
			list[last].to = max(list[last].to, to)
			continue
		}
		list = append(list, span{from, from, to})
		last++
	}
	if len(list) == 1 && p.origin < p.from && p.origin >= 0 {
		origin, _ := v.position(p.origin)
		list[0].origin = base + origin
	}
	return list
}
