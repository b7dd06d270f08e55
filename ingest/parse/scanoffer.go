package parse

import (
	"math/bits"
	"strings"
)

// offer passes the line to the open block, and then to the formats of m, until one of them takes the line. If none
// does, the line may still begin a document. offer reports whether the line was taken.
func (s *Scan) offer(l Line, full []byte, m *mask) bool {
	if s.tests != nil && !s.inner && !m.empty() {
		s.outcomes(l, m)
	}
	if s.cur.block != nil && s.endsBlock(l, m) {
		s.cur.block = nil
	}
	if s.cur.block != nil && s.ask(l) {
		return true
	}
	for word, set := range m {
		for set &= s.readers[word]; set != 0; set &= set - 1 {
			i := word<<6 + bits.TrailingZeros64(set)
			if s.cur.matchers[i] == nil {
				s.cur.matchers[i] = s.formats[i].matcher()
			}
			s.format = i
			if s.cur.matchers[i](s, l) {
				return true
			}
		}
	}
	if !s.replay && s.triggers.startsDocument(full) {
		return s.collect(l, full)
	}
	return false
}

// endsBlock reports whether the line belongs to another format and ends the open block.
func (s *Scan) endsBlock(l Line, m *mask) bool {
	for _, i := range s.enders {
		if !m.has(i) || i == s.cur.owner {
			continue
		}
		text := l.Trim()
		for _, start := range s.formats[i].Ends {
			if strings.HasPrefix(text, start) {
				return true
			}
		}
	}
	return false
}

// ask passes the line to the open block. It reports whether the block took the line.
func (s *Scan) ask(l Line) bool {
	lane, opened := s.cur, s.cur.opened
	s.format = lane.owner
	verdict := lane.block(l)
	lane.taken++
	over := verdict == Last || verdict == Done || lane.taken >= MaxBlock
	if over && lane.opened == opened { // a block may open another block as it ends
		lane.block = nil
	}
	return verdict == Take || verdict == Last
}
