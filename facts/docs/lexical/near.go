package lexical

// A block gets an extra score if query words are near each other in its text. maxDistance is the max distance of such
// words, and nearWeight is the weight of the extra score. Both were tuned with the questions in facts/docs/testdata.
const (
	maxDistance = 3 // in words
	nearWeight  = 1.5
)

// near raises the score of candidates that have neighbouring words of the query near each other.
func (x *Index) near(top []Match, concepts []concept, idfs []float64) {
	at := make(map[int]int, len(top))
	for i, m := range top {
		at[m.Block] = i
	}
	var before [][]int // positions of the previous word, by candidate
	for i, c := range concepts {
		if !c.single {
			break // only phrases and identifiers follow
		}
		if i+1 == len(concepts) && before == nil {
			return // the query has no other word
		}
		here := x.positionsIn(c.terms[0].name, at)
		for j := range top {
			if before == nil {
				break
			}
			if d := distance(before[j], here[j]); d <= maxDistance {
				gain := float64(min(idfs[i-1], idfs[i]) / float64(d))
				top[j].Score = float64(top[j].Score + float64(nearWeight*gain))
			}
		}
		before = here
	}
}

// positionsIn returns the positions of a term in each wanted block. The map at has the place of each wanted block in
// the result.
func (x *Index) positionsIn(name string, at map[int]int) [][]int {
	all := make([][]int, len(at))
	t, _ := x.find([]byte(name))
	for p := t.postings(); p.next(); {
		encoded := p.positionBytes()
		if i, wanted := at[p.posting.block]; wanted {
			all[i] = decodePositions(nil, encoded)
		}
	}
	return all
}

// distance returns the least distance between positions of two words. If the second word is before the first, the
// distance is one greater.
func distance(firsts, second []int) int {
	nearest := maxDistance + 1
	for i, j := 0, 0; i < len(firsts) && j < len(second); {
		switch d := second[j] - firsts[i]; {
		case d > 0:
			nearest = min(nearest, d)
			i++
		default:
			if d < 0 {
				nearest = min(nearest, 1-d)
			}
			j++
		}
	}
	return nearest
}

// A block gains togetherWeight times the best scores of other blocks in the same document. At most togetherMax scores
// are used.
const (
	togetherWeight = 0.1
	togetherMax    = 5
)

// together raises the score of candidates that share a document with other candidates. A document with several
// candidates is probably about the whole question.
func together(top heap, document func(block int) int) {
	if document == nil {
		return
	}
	top.sort()
	best := map[int][]float64{} // the best scores by document, at most togetherMax+1
	for _, m := range top {
		if d := document(m.Block); len(best[d]) <= togetherMax {
			best[d] = append(best[d], m.Score)
		}
	}
	place := map[int]int{} // the number of candidates seen, by document
	for i, m := range top {
		d := document(m.Block)
		others := 0.0
		for n, score := range best[d] {
			if n != min(place[d], togetherMax) {
				others = float64(others + score)
			}
		}
		place[d]++
		top[i].Score = float64(m.Score + float64(float64(togetherWeight*others)/togetherMax))
	}
}
