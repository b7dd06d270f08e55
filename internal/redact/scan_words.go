package redact

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
)

// words searches for needles and shapes, and returns how many bytes of the text later text cannot
// affect.
func (s *scan) words() int {
	if s.source.view != nil {
		return s.wordsOfView()
	}
	keep, needles := !s.inDump, len(s.indexes) > 0
	if keep {
		s.room().places = s.room().places[:0]
	}
	settled := -1
	// cut is the next range of places at which the function skip may miss a needle, see nextCut.
	var cut span
	for at := 0; at+gramSize <= len(s.text); at += stride {
		if at >= cut.to {
			cut = s.nextCut(at)
		}
		next, places := s.filter.skip(s.text, at, cut.from)
		for at = next; places != 0; places &= places - 1 {
			i := at + bits.TrailingZeros8(places)
			if i+gramSize > len(s.text) {
				break
			}
			gram := binary.LittleEndian.Uint32(s.text[i : i+gramSize])
			needle, shape := needles && s.filter.needle(gram), s.filter.shape(gram)
			if !needle && !shape {
				continue
			}
			if keep {
				s.scratch.places = append(s.scratch.places, int32(i))
			}
			if settled < 0 && (needle && s.needles(i, gram) || shape && s.shapesAt(i, gram)) {
				if !keep {
					return i
				}
				settled = i // for views of the text, the search goes on after the first unsettled place
			}
		}
	}
	switch {
	case settled >= 0:
		return settled
	case s.final:
		return len(s.text)
	}
	return s.behind(s.text)
}

// behind returns the number of bytes before the first place where an incomplete gram may begin.
func (s *set) behind(text []byte) int {
	for i := max(0, len(text)-gramSize+1); i < len(text); i++ {
		if s.begins(text[i:]) {
			return i
		}
	}
	return len(text)
}

// mayBegin reports whether any needle or shape may begin in a text.
func (s *set) mayBegin(text []byte) bool {
	for i := 0; i+gramSize <= len(text); i++ {
		if gram := binary.LittleEndian.Uint32(text[i : i+gramSize]); s.filter.needle(gram) || s.filter.shape(gram) {
			return true
		}
	}
	return false
}

// source is the raw text of a view.
type source struct {
	view   *view
	base   int     // place of the view's first byte in the raw text
	places []int32 // places of the raw text at which a needle or a shape may begin
}

// wordsOfView is like words, for a view. Where bytes are adjacent in the raw text and in the view, the search of the
// raw text has already found the possible places. So wordsOfView examines these places, and all places where pieces
// meet.
func (s *scan) wordsOfView() int {
	tail := gramSize - 1 // max bytes at the end of a piece where the search of the raw text may miss a beginning
	if len(s.indexes) > 0 {
		tail = longNeedle - 1
	}
	var cut span
	pieces := s.source.view.pieces
	for k, p := range pieces {
		end := len(s.text)
		if k+1 < len(pieces) {
			end = int(pieces[k+1].at)
		}
		at := int(p.at)
		for p.end == copied && at < end-tail {
			if at >= cut.to {
				cut = s.nextCut(at)
			}
			if cut.from <= at {
				to := min(end-tail, cut.to)
				if i := s.everyPlace(at, to); i >= 0 {
					return i
				}
				at = to
				continue
			}
			to := min(end-tail, cut.from)
			if i := s.knownPlaces(at, to, p); i >= 0 {
				return i
			}
			at = to
		}
		if i := s.everyPlace(at, end); i >= 0 {
			return i
		}
	}
	if s.final {
		return len(s.text)
	}
	return s.behind(s.text)
}

// everyPlace searches for needles and shapes at all places of a range. It returns the first place that needs more text,
// or -1 for none.
func (s *scan) everyPlace(from, to int) int {
	for i := from; i < min(to, len(s.text)-gramSize+1); i++ {
		gram := binary.LittleEndian.Uint32(s.text[i : i+gramSize])
		if s.filter.needle(gram) && s.needles(i, gram) || s.filter.shape(gram) && s.shapesAt(i, gram) {
			return i
		}
	}
	return -1
}

// knownPlaces is like everyPlace, but examines only the places that the search of the raw text found in a piece.
func (s *scan) knownPlaces(from, to int, p piece) int {
	raw := s.source.base + int(p.pos) - int(p.at)
	places := s.source.places
	k, _ := slices.BinarySearch(places, int32(raw+from))
	for ; k < len(places) && int(places[k]) < raw+to; k++ {
		i := int(places[k]) - raw
		if j := s.everyPlace(i, i+1); j >= 0 {
			return j
		}
	}
	return -1
}

// nextCut returns the next range of places, at or after i, where the function skip may miss a long needle. In such a
// range, the end of the line or of the text cuts off the needle.
func (s *scan) nextCut(i int) span {
	if len(s.indexes) == 0 {
		return span{from: len(s.text), to: len(s.text)}
	}
	const longest = longNeedle - 1
	for {
		n := bytes.IndexByte(s.text[i:], '\n')
		if n < 0 {
			return span{from: max(0, len(s.text)-longest-gramSize) &^ (stride - 1), to: len(s.text)}
		}
		end, line := i+n, s.text[i:i+n]
		cut := s.filter.isCut(s.text[:end])
		for i = end + 1; len(line) > 0 && lineMark[line[len(line)-1]]; {
			line, end = line[:len(line)-1], end-1
			cut = cut || s.filter.isCut(s.text[:end])
		}
		if cut {
			return span{from: max(0, end-longest) &^ (stride - 1), to: i}
		}
	}
}
