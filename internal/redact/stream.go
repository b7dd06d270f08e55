package redact

import (
	"bytes"
	"sort"
)

// Stream replaces secrets in the text that is written to it. It holds back up to maxHeld bytes of text that may be the
// beginning of a secret. So the output has no part of a secret of at most maxHeld bytes. A Stream keeps line ends, also
// within secrets. It is not safe for concurrent use.
type Stream struct {
	r       *Redactor
	emit    func([]byte)
	deaf    bool
	text    []byte // held-back text
	unread  int    // bytes at the end of text that were never searched
	kept    []byte // memory for text between writes
	spans   []span // known secret parts of text
	past    []byte // end of the text before text, up to maxPast bytes
	line    bool   // the text is a command line
	label   bool   // values that are too short for an index are not replaced
	sized   bool   // a mask has one asterisk for each byte of the secret
	masked  bool   // the output ends with a mask; that mask may also cover a following secret
	out     []byte
	scratch *scratch
	stops   stops // state of stopped commands at the beginning of text
}

// Stream returns a stream that passes its output to emit. The function emit must not keep the slice.
func (r *Redactor) Stream(emit func(text []byte)) *Stream {
	return &Stream{r: r, emit: emit}
}

// Write replaces secrets in a text. It never fails.
func (s *Stream) Write(text []byte) (int, error) {
	rest := text
	if s.unread += len(text); s.unread < len(s.text)/maxAgain && bytes.IndexByte(text, '\n') < 0 {
		s.keep(text)
		return len(text), nil
	}
	if len(s.text) > 0 { // often the held-back text is only the beginning of a line, and the rest need not be copied
		line := bytes.IndexByte(rest, '\n') + 1
		s.keep(rest[:line])
		if line > 0 {
			s.search(false)
		}
		rest = rest[line:]
	}
	if len(s.text) > 0 {
		s.keep(rest)
	} else {
		s.text = rest
	}
	s.search(false)
	s.keep(nil)
	return len(text), nil
}

// maxAgain limits how often text is searched again. Text that is held back and has no new line end is searched again
// only after it has grown by 1/maxAgain. So a line that is written in small pieces takes little more time than the
// whole line.
const maxAgain = 8

// keep copies the held-back text to memory of the stream, and adds a text.
func (s *Stream) keep(text []byte) {
	s.kept = append(append(s.kept[:0], s.text...), text...)
	s.text = s.kept
}

// Close writes the held-back text. Afterwards the stream may be used for another text.
func (s *Stream) Close() {
	s.search(true)
	s.past, s.masked, s.stops = s.past[:0], false, stops{}
	if s.scratch != nil {
		scratches.Put(s.scratch)
		s.scratch = nil
	}
}

// search calls advance. If a bug makes advance panic, search replaces the whole text by a mask, so that the command
// whose output is written can continue.
func (s *Stream) search(final bool) {
	defer func() {
		if recover() != nil {
			s.spans = append(s.spans[:0], span{0, 0, len(s.text)})
			s.release(len(s.text))
		}
	}()
	s.advance(final)
}

// advance searches the text, and writes the bytes that need not be searched again.
func (s *Stream) advance(final bool) {
	s.unread = 0
	if s.scratch == nil {
		s.scratch = scratches.Get().(*scratch)
	}
	for len(s.text) > 0 {
		set := s.r.set.Load()
		if set.closed {
			s.spans = append(s.spans[:0], span{0, 0, len(s.text)})
			s.release(len(s.text))
			return
		}
		stops := s.stops.clone()
		stops.seen = false
		found := scan{set: set, text: s.text, past: s.past, final: final, deaf: s.deaf, command: s.line, label: s.label,
			spans: s.spans, stops: &stops, scratch: s.scratch}
		settled := max(found.run(), len(found.text)-maxHeld)
		s.spans, s.stops.seen = found.spans, stops.seen
		s.release(settled)
		s.r.Add(found.masks...)
		if len(found.masks) == 0 {
			return
		}
	}
}

// maxHeld is the max number of bytes that a Stream holds back. It writes earlier text even if that text may contain
// an incomplete secret.
const maxHeld = 64 << 10

// release writes the first n bytes of the text.
func (s *Stream) release(n int) {
	if n > 0 {
		if !s.deaf {
			s.stops.past(s.text[:n])
		}
		out := s.replaced(n)
		if len(out) > 0 {
			s.emit(out)
		}
		s.past = append(s.past[:copy(s.past, s.past[max(0, len(s.past)+min(n, maxPast)-maxPast):])],
			s.text[max(0, n-maxPast):n]...)
	}
	s.spans = keepBehind(s.spans, n)
	s.text = s.text[n:]
}

// keepBehind returns the parts of spans from index n on, with positions relative to n. It keeps only spans whose match
// begins before n, because a later search finds the others again.
func keepBehind(spans []span, n int) []span {
	kept := spans[:0]
	for _, p := range spans {
		if p.origin < n && p.to > n {
			kept = append(kept, span{-1, max(0, p.from-n), p.to - n})
		}
	}
	return kept
}

// replaced returns the first n bytes of the text, with a mask in place of each secret.
func (s *Stream) replaced(n int) []byte {
	if len(s.spans) == 0 {
		s.masked = false
		return s.text[:n]
	}
	s.out = s.out[:0]
	sort.Slice(s.spans, func(i, k int) bool { return s.spans[i].from < s.spans[k].from })
	at := 0
	for _, p := range s.spans {
		from, to := min(p.from, n), min(p.to, n)
		if from > at {
			s.plain(s.text[at:from])
			at = from
		}
		if to > at {
			s.hide(s.text[at:to])
			at = to
		}
	}
	s.plain(s.text[at:n])
	return s.out
}

func (s *Stream) plain(text []byte) {
	if len(text) > 0 {
		s.out = append(s.out, text...)
		s.masked = false
	}
}

// hide writes a mask for each line of a secret.
func (s *Stream) hide(text []byte) {
	for len(text) > 0 {
		if text[0] == '\n' || text[0] == '\r' {
			s.plain(text[:1])
			text = text[1:]
			continue
		}
		end := bytes.IndexAny(text, "\r\n")
		if end < 0 {
			end = len(text)
		}
		switch {
		case s.sized:
			s.out = append(s.out, bytes.Repeat([]byte("*"), end)...)
		case !s.masked:
			s.out = append(s.out, Mask...)
			s.masked = true
		}
		text = text[end:]
	}
}
