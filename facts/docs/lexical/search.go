package lexical

import (
	"cmp"
	"math"
	"sort"
	"sync"
)

// Match is a block that a query found.
type Match struct {
	Block int
	Score float64 // 0 to 100; see score
}

// These are the parameters of BM25, the ranking function.
const (
	k1 = 1.2
	b  = 0.75
)

// These are the parameters of BM25 for headings. A heading usually has meanHeading words.
const (
	headingK1   = 0.5
	headingB    = 0.75
	meanHeading = 4
)

// halfScore is the sum of BM25 that gives a score of 50.
const halfScore = 8

// weights are the weights of fields relative to the body.
var weights = [fields]float64{Body: 1, Heading: 1.5, Above: 0.4, Place: 0.6}

// score maps a sum s of BM25 to 100·s/(s+halfScore). The score grows with s and does not depend on other matches.
func score(s float64) float64 { return 100 * s / (s + halfScore) }

// scratch is the working memory of a search.
type scratch struct {
	sums    []float64 // sum of BM25 by block
	covered []float64 // weight of the matched words by block
	last    []int32   // last counted concept by block, from 1
	has     []int32   // number of matched words by block
	touched []int
}

type scratchPool struct{ pool sync.Pool }

func (p *scratchPool) get(blocks int) *scratch {
	s, _ := p.pool.Get().(*scratch)
	if s == nil {
		s = &scratch{sums: make([]float64, blocks), covered: make([]float64, blocks), last: make([]int32, blocks),
			has: make([]int32, blocks)}
	}
	return s
}

func (p *scratchPool) put(s *scratch) {
	for _, block := range s.touched {
		s.sums[block], s.covered[block], s.last[block], s.has[block] = 0, 0, 0, 0
	}
	s.touched = s.touched[:0]
	p.pool.Put(s)
}

// Search returns the best matches, best first. Equal matches are in the order of their blocks. Each floating-point
// operation is rounded separately, so that all processors give the same result.
func (x *Index) Search(q Query) []Match {
	p := parse(q.Text)
	if len(p.concepts) == 0 || q.Max < 1 {
		return nil
	}
	within, ok := x.phrases(p.phrases, q.HeadingsOnly)
	if !ok {
		return nil
	}
	s := x.scratch.get(x.blocks)
	defer x.scratch.put(s)
	w := weights
	w[Heading], w[Above] = w[Heading]*p.boost, w[Above]*p.boost
	if q.HeadingsOnly {
		w[Body], w[Place] = 0, 0
	}
	total, all := 0.0, 0
	idfs := make([]float64, len(p.concepts))
	for i, c := range p.concepts {
		var terms []term
		blocks := 0
		for _, t := range c.terms {
			found, _ := x.find([]byte(t.name))
			terms = append(terms, found)
			blocks = min(blocks+found.blocks, x.blocks)
		}
		idf := x.idf(blocks)
		idfs[i] = idf
		total = float64(total + float64(idf*c.terms[0].weight))
		counts := int32(0)
		if c.terms[0].weight == 1 { // parts of identifiers have other weights, and are optional
			counts = 1
		}
		all += int(counts)
		for n, t := range terms {
			x.accumulate(s, t, float64(idf*c.terms[n].weight), int32(i+1), counts, w)
		}
	}
	if !q.All {
		all = 0
	}
	top := x.candidates(s, q, total, within, all)
	if !q.HeadingsOnly {
		x.near(top, p.concepts, idfs)
	}
	together(top, q.Document)
	top.sort()
	top = top[:min(len(top), q.Max)]
	for i := range top {
		top[i].Score = score(top[i].Score)
	}
	return top
}

// minCandidates is the min number of blocks that are compared more closely.
const minCandidates = 50

// candidates returns the blocks with the best sums of BM25. A sum is reduced if the block lacks words of the query, or
// is of minor importance. If wanted is not nil, only blocks in that map are returned. needed is the min number of query
// words in a block.
func (x *Index) candidates(s *scratch, q Query, total float64, wanted map[int]bool, needed int) heap {
	var top heap
	for _, block := range s.touched {
		if wanted != nil && !wanted[block] || s.sums[block] == 0 || int(s.has[block]) < needed {
			continue
		}
		share := float64(s.covered[block] / total)
		sum := float64(s.sums[block] * float64(uncovered+float64((1-uncovered)*share)))
		if !q.Minor && x.lengths(block).minor {
			sum = float64(sum * minorWeight)
		}
		top.add(Match{block, sum}, max(q.Max, minCandidates))
	}
	return top
}

// minorWeight is the factor for the score of a minor block.
const minorWeight = 0.75

// uncovered is the factor for the score of a block that has none of the query's words. The factor grows to 1 with the
// words that the block has. A rare word counts more than a common word.
const uncovered = 0.3

// accumulate adds the scores of a term to the blocks that have the term.
func (x *Index) accumulate(s *scratch, t term, idf float64, concept, counts int32, w [fields]float64) {
	mean := float64(max(x.words, 1)) / float64(max(x.blocks, 1))
	for p := t.postings(); p.next() && p.posting.block < x.blocks; {
		n := x.lengths(p.posting.block)
		tf := float64(w[Body] * saturated(p.in[Body], float64(n.body)/mean, k1, b))
		tf = float64(tf + float64(w[Heading]*saturated(p.in[Heading], float64(n.heading)/meanHeading, headingK1, headingB)))
		tf = float64(tf + float64(w[Above]*saturated(p.in[Above], 1, k1, 0)))
		tf = float64(tf + float64(w[Place]*saturated(p.in[Place], 1, k1, 0)))
		if tf == 0 {
			continue
		}
		block := p.posting.block
		if s.last[block] == 0 {
			s.touched = append(s.touched, block)
		}
		if s.last[block] != concept {
			s.last[block] = concept
			s.has[block] += counts
			s.covered[block] = float64(s.covered[block] + idf)
		}
		s.sums[block] = float64(s.sums[block] + float64(idf*tf))
	}
}

// saturated returns BM25's saturation of a count. length is the length of the field relative to the usual length.
func saturated(count int, length, k1, b float64) float64 {
	if count == 0 {
		return 0
	}
	tf := float64(float64(count) / float64(1-b+float64(b*length)))
	return float64(float64(tf*(k1+1)) / float64(tf+k1))
}

// idf returns the weight of a term that occurs in the given number of blocks.
func (x *Index) idf(blocks int) float64 {
	n := float64(x.blocks)
	return ln(float64(1 + float64(float64(n-float64(blocks)+0.5)/float64(float64(blocks)+0.5))))
}

// ln returns the natural logarithm of a number, which must be at least 1. Unlike math.Log, ln gives the same bits on
// all processors.
func ln(v float64) float64 {
	const ln2 = 0.6931471805599453
	fraction, exponent := math.Frexp(v)
	y := float64((fraction - 1) / (fraction + 1))
	square, power, sum := float64(y*y), y, 0.0
	for i := 1; i < 40; i += 2 {
		sum = float64(sum + float64(power/float64(i)))
		power = float64(power * square)
	}
	return float64(float64(2*sum) + float64(float64(exponent)*ln2))
}

// heap keeps the best matches. The worst match is first.
type heap []Match

// before orders matches from best to worst.
func before(a, b Match) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Block, b.Block))
}

func (h heap) sort() { sort.Slice(h, func(i, j int) bool { return before(h[i], h[j]) < 0 }) }

func (h *heap) add(m Match, limit int) {
	if len(*h) < limit {
		*h = append(*h, m)
		if len(*h) == limit {
			for i := limit/2 - 1; i >= 0; i-- {
				h.down(i)
			}
		}
		return
	}
	if before(m, (*h)[0]) < 0 {
		(*h)[0] = m
		h.down(0)
	}
}

func (h *heap) down(i int) {
	all := *h
	for {
		worst := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < len(all) && before(all[child], all[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		all[i], all[worst] = all[worst], all[i]
		i = worst
	}
}
