package redact

import (
	"bytes"
	"slices"
)

// Stream is text on its way: what is written comes out without secrets. Of what
// may be the beginning of a secret nothing comes out before it is known, so
// nothing is lost by looking at the output at any time. Line ends stay where
// they are. A Stream is for one goroutine.
type Stream struct {
	r      *Redactor
	emit   func([]byte)
	deaf   bool
	text   []byte // not yet out
	kept   []byte // where text is between writes
	spans  []span // secret parts of text that are known already
	prev   byte   // what came before text
	masked bool   // the output ends with a mask that what follows may belong to
	out    []byte
}

// Stream returns a stream that gives its output to emit, which must not keep it.
func (r *Redactor) Stream(emit func(text []byte)) *Stream {
	return &Stream{r: r, emit: emit, prev: '\n'}
}

// Write takes text. It never fails.
func (s *Stream) Write(text []byte) (int, error) {
	if len(s.text) > 0 {
		s.kept = append(s.kept, text...)
		s.text = s.kept
	} else {
		s.text = text
	}
	s.advance(false)
	s.kept = append(s.kept[:0], s.text...)
	s.text = s.kept
	return len(text), nil
}

// Close gives out what is left. The stream may be used for another text then.
func (s *Stream) Close() {
	s.advance(true)
	s.prev, s.masked = '\n', false
}

// Held returns how many bytes wait for what follows them.
func (s *Stream) Held() int { return len(s.text) }

// advance gives out what is settled.
func (s *Stream) advance(final bool) {
	for len(s.text) > 0 {
		set := s.r.set.Load()
		if set.closed {
			s.spans = append(s.spans[:0], span{0, 0, len(s.text)})
			s.release(len(s.text))
			return
		}
		found := scan{set: set, text: s.text, prev: s.prev, final: final, deaf: s.deaf, spans: s.spans}
		settled := found.run()
		s.spans = found.spans
		s.release(settled)
		s.r.Add(found.masks...)
		if len(found.masks) == 0 {
			return
		}
	}
}

// release gives out the first n bytes of the text.
func (s *Stream) release(n int) {
	if n > 0 {
		out := s.replaced(n)
		if len(out) > 0 {
			s.emit(out)
		}
		s.prev = s.text[n-1]
	}
	s.spans = keepBehind(s.spans, n)
	s.text = s.text[n:]
}

// keepBehind returns what of the spans lies behind n, of those that were found
// before it: the others are found again.
func keepBehind(spans []span, n int) []span {
	kept := spans[:0]
	for _, p := range spans {
		if p.origin < n && p.to > n {
			kept = append(kept, span{-1, max(0, p.from-n), p.to - n})
		}
	}
	return kept
}

// replaced returns the first n bytes of the text without secrets.
func (s *Stream) replaced(n int) []byte {
	if len(s.spans) == 0 {
		s.masked = false
		return s.text[:n]
	}
	s.out = s.out[:0]
	slices.SortFunc(s.spans, func(a, b span) int { return a.from - b.from })
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

// hide puts a mask in the place of each line of a secret.
func (s *Stream) hide(text []byte) {
	for len(text) > 0 {
		if text[0] == '\n' || text[0] == '\r' {
			s.plain(text[:1])
			text = text[1:]
			continue
		}
		if !s.masked {
			s.out = append(s.out, Mask...)
			s.masked = true
		}
		end := bytes.IndexAny(text, "\r\n")
		if end < 0 {
			return
		}
		text = text[end:]
	}
}
