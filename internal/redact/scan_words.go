package redact

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
)

// words searches the text for secret values (needles) and for secrets with a known form (shapes). It returns how
// many bytes need not be searched again.
func (s *scan) words() int {
	if s.source.view != nil {
		return s.wordsOfView()
	}
	keep, needles := !s.inDump, len(s.indexes) > 0
	if keep {
		s.room().positions = s.room().positions[:0]
	}
	settled := -1
	// cut is the next range of positions at which the function skip may miss a needle, see nextCut.
	var cut span
	for at := 0; at+gramSize <= len(s.text); at += stride {
		if at >= cut.to {
			cut = s.nextCut(at)
		}
		next, positions := s.filter.skip(s.text, at, cut.from)
		for at = next; positions != 0; positions &= positions - 1 {
			i := at + bits.TrailingZeros8(positions)
			if i+gramSize > len(s.text) {
				break
			}
			gram := binary.LittleEndian.Uint32(s.text[i : i+gramSize])
			needle, shape := needles && s.filter.needle(gram), s.filter.shape(gram)
			if !needle && !shape {
				continue
			}
			if keep {
				s.scratch.positions = append(s.scratch.positions, int32(i))
			}
			if settled < 0 && (needle && s.needles(i, gram) || shape && s.shapesAt(i, gram)) {
				if !keep {
					return i
				}
				settled = i // for views of the text, the search goes on after the first unsettled position
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

// behind examines the last three bytes of the text, which are too few for a gram. It returns the first index at which a
// needle or a shape may begin, or the length of the text if there is none.
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

// source is the raw text of a view, which the view shows decoded.
type source struct {
	view      *view
	base      int     // position of the view's first byte in the raw text
	positions []int32 // positions of the raw text at which a needle or a shape may begin
}

// wordsOfView is like words, for a view. The raw text has been searched already. So in bytes that were copied from the
// raw text, only source.positions are examined. All positions are examined near the end of copied bytes, and in the
// ranges that nextCut returns.
func (s *scan) wordsOfView() int {
	// tail is the max number of bytes at the end of a piece in which the search of the raw text may miss the beginning
	// of a secret.
	tail := gramSize - 1
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
				if i := s.everyPosition(at, to); i >= 0 {
					return i
				}
				at = to
				continue
			}
			to := min(end-tail, cut.from)
			if i := s.knownPositions(at, to, p); i >= 0 {
				return i
			}
			at = to
		}
		if i := s.everyPosition(at, end); i >= 0 {
			return i
		}
	}
	if s.final {
		return len(s.text)
	}
	return s.behind(s.text)
}

// everyPosition searches for needles and shapes at all positions of a range. It returns the first position at which
// it needs more text, or -1.
func (s *scan) everyPosition(from, to int) int {
	for i := from; i < min(to, len(s.text)-gramSize+1); i++ {
		gram := binary.LittleEndian.Uint32(s.text[i : i+gramSize])
		if s.filter.needle(gram) && s.needles(i, gram) || s.filter.shape(gram) && s.shapesAt(i, gram) {
			return i
		}
	}
	return -1
}

// knownPositions is like everyPosition, but examines only the positions of the piece p at which a needle or a shape
// may begin in the raw text.
func (s *scan) knownPositions(from, to int, p piece) int {
	raw := s.source.base + int(p.pos) - int(p.at)
	positions := s.source.positions
	k, _ := slices.BinarySearch(positions, int32(raw+from))
	for ; k < len(positions) && int(positions[k]) < raw+to; k++ {
		i := int(positions[k]) - raw
		if j := s.everyPosition(i, i+1); j >= 0 {
			return j
		}
	}
	return -1
}

// nextCut returns the first range of positions that ends after i, and at which the method skip may miss a long needle
// because the line or the text ends within the needle.
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
