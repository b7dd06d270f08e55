package lexical

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// text is a block, with its text by field.
type text map[Field]string

// build returns the index of blocks. Blocks whose heading begins with "old" are minor.
func build(t testing.TB, blocks []text) *Index {
	t.Helper()
	b := NewBuilder()
	for i, fields := range blocks {
		b.Block(i, strings.HasPrefix(fields[Heading], "old"))
		for _, f := range []Field{Heading, Above, Place, Body} {
			b.Add(f, []byte(fields[f]))
		}
	}
	x, err := Open(bytes.Join(b.Finish(len(blocks), Reuse{}).Parts(), nil))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// found returns the numbers of the blocks that a query finds, best first.
func found(x *Index, q Query) []int {
	if q.Max == 0 {
		q.Max = 50
	}
	var all []int
	for _, m := range x.Search(q) {
		all = append(all, m.Block)
	}
	return all
}

func TestOrder(t *testing.T) {
	for name, c := range map[string]struct {
		query  string // a query that begins with ^ searches headings only
		blocks []text
		want   []int
	}{
		"more often":          {"a1", []text{{Body: "a1 x x"}, {Body: "a1 a1 x"}}, []int{1, 0}},
		"in a shorter text":   {"a1", []text{{Body: "a1 x x x x x"}, {Body: "a1 x"}}, []int{1, 0}},
		"the rarer word":      {"a1 b1", []text{{Body: "a1"}, {Body: "b1"}, {Body: "a1"}}, []int{1, 0, 2}},
		"more of the words":   {"a1 b1", []text{{Body: "a1 a1"}, {Body: "a1 b1"}, {Body: "b1 b1"}}, []int{1, 0, 2}},
		"in the heading":      {"a1", []text{{Body: "a1 x"}, {Body: "a1 x", Heading: "a1"}}, []int{1, 0}},
		"in a shorter one":    {"a1", []text{{Heading: "a1 x x x"}, {Heading: "a1"}}, []int{1, 0}},
		"above":               {"a1", []text{{Body: "x"}, {Above: "a1"}}, []int{1}},
		"below a heading":     {"a1", []text{{Above: "a1"}, {Heading: "a1"}}, []int{1, 0}},
		"the path":            {"a1", []text{{Body: "x"}, {Place: "docs/a1.md"}}, []int{1}},
		"minor":               {"a1", []text{{Body: "a1", Heading: "old"}, {Body: "a1", Heading: "new"}}, []int{1, 0}},
		"equal":               {"a1", []text{{Body: "a1"}, {Body: "a1"}, {Body: "a1"}}, []int{0, 1, 2}},
		"equal, and no more":  {"a1", []text{{Body: "a1"}, {Body: "x"}, {Body: "a1"}}, []int{0, 2}},
		"repeated words":      {"b1 a1 a1 a1", []text{{Body: "a1"}, {Body: "b1"}}, []int{0, 1}},
		"headings only":       {"^a1", []text{{Body: "a1"}, {Heading: "a1"}, {Place: "a1"}}, []int{1}},
		"headings above only": {"^a1", []text{{Above: "a1"}, {Heading: "a1"}}, []int{1, 0}},
		"another form": {"cached", []text{
			{Body: "x"}, {Body: "caching"}, {Body: "cached"}, {Body: "cache"},
		}, []int{2, 1, 3}},
		"no other form":      {`"cached"`, []text{{Body: "caching"}, {Body: "cached"}}, []int{1}},
		"the identifier":     {"max_age", []text{{Body: "age of max"}, {Body: "max_age"}}, []int{1, 0}},
		"a part":             {"age", []text{{Body: "x"}, {Body: "max_age"}, {Body: "maxAge"}}, []int{2, 1}},
		"the whole":          {"maxAge", []text{{Body: "max age"}, {Body: "maxAge"}}, []int{1, 0}},
		"filler":             {"how do I use a1", []text{{Body: "how do I do"}, {Body: "a1"}}, []int{1}},
		"filler alone":       {"how to", []text{{Body: "how to"}, {Body: "a1"}}, []int{0}},
		"phrase":             {`"a1 b1"`, []text{{Body: "b1 a1"}, {Body: "x a1, b1"}, {Body: "a1 x b1"}}, []int{1}},
		"phrase and word":    {`"a1 b1" c1`, []text{{Body: "c1"}, {Body: "a1 b1"}, {Body: "a1 b1 c1"}}, []int{2, 1}},
		"two phrases":        {`"a1 b1" "c1 d1"`, []text{{Body: "a1 b1"}, {Body: "c1 d1 a1 b1"}}, []int{1}},
		"phrase twice":       {`"a1 a1"`, []text{{Body: "a1 x a1"}, {Body: "x a1 a1"}}, []int{1}},
		"phrase with signs":  {`"c++ code"`, []text{{Body: "c code"}, {Body: "c++ code"}}, []int{1}},
		"phrase in headings": {`^"a1"`, []text{{Body: "a1"}, {Heading: "a1", Body: "a1"}}, []int{1}},
		"empty phrase":       {`"" a1`, []text{{Body: "a1"}}, []int{0}},
		"open quote":         {`a1 "b1`, []text{{Body: "b1"}, {Body: "a1 b1"}}, []int{1, 0}},
		"nothing":            {" ", []text{{Body: "a1"}}, nil},
		"unknown":            {"zz", []text{{Body: "a1"}}, nil},
		"no blocks":          {"a1", nil, nil},
	} {
		q, headings := strings.CutPrefix(c.query, "^")
		if diff := gocmp.Diff(c.want, found(build(t, c.blocks), Query{Text: q, HeadingsOnly: headings})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestNumberSign(t *testing.T) {
	x := build(t, []text{{Heading: "a1 b1", Above: "b1"}, {Body: "a1 b1"}, {Body: "#a1"}})
	plain := x.Search(Query{Text: "a1 b1", Max: 3})
	for query, boosts := range map[string]bool{
		"# a1 b1": true, "##\ta1 b1": true, "#\u00a0a1 b1": false, "a1 b1 #": false,
	} {
		matches := x.Search(Query{Text: query, Max: 3})
		if (matches[0].Score > plain[0].Score) != boosts || matches[1].Score != plain[1].Score {
			t.Errorf("%q: got %v, and without the sign %v", query, matches, plain)
		}
	}
	for query, want := range map[string][]int{"#a1": {2, 0, 1}, "#": nil, "# ": nil} {
		if diff := gocmp.Diff(want, found(x, Query{Text: query})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}

// TestScores compares scores of random texts with the formula: BM25, a loss for texts that lack words of the query, and
// a gain for two words that stand near each other.
func TestScores(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		blocks := make([]text, 1+r.IntN(60))
		words := 0
		for i := range blocks {
			n := 1 + r.IntN(30)
			words += n
			var s strings.Builder
			for range n {
				fmt.Fprintf(&s, "w%d ", r.IntN(1+r.IntN(40)))
			}
			blocks[i] = text{Body: s.String()}
		}
		query := []string{"w0", "w3"}
		want := map[int]float64{}
		total, share, rarest := 0.0, map[int]float64{}, math.Inf(1)
		for _, q := range query {
			tf := map[int]float64{}
			for i, b := range blocks {
				if n := strings.Count(b[Body], q+" "); n > 0 {
					tf[i] = float64(n)
				}
			}
			n := float64(len(blocks))
			idf := math.Log(1 + (n-float64(len(tf))+0.5)/(float64(len(tf))+0.5))
			total += idf
			rarest = min(rarest, idf)
			for i, tf := range tf {
				length := float64(len(strings.Fields(blocks[i][Body]))) / (float64(words) / n)
				want[i] += idf * tf * 2.2 / (tf + 1.2*(0.25+0.75*length))
				share[i] += idf
			}
		}
		matches := build(t, blocks).Search(Query{Text: strings.Join(query, " "), Max: 100})
		if len(matches) != len(want) {
			t.Fatalf("%d matches, want %d", len(matches), len(want))
		}
		for _, m := range matches {
			s := want[m.Block]*(0.3+0.7*share[m.Block]/total) + 1.5*rarest*nearness(blocks[m.Block][Body], query)
			if w := 100 * s / (s + 8); math.Abs(w-m.Score) > 1e-9 {
				t.Errorf("block %d scores %v, want %v", m.Block, m.Score, w)
			}
		}
	}
}

// nearness returns 1 if the second word directly follows the first, less if the words are near each other in another
// way, and 0 if they are not near.
func nearness(text string, pair []string) float64 {
	words := strings.Fields(text)
	best := 0.0
	for i, a := range words {
		for j, b := range words {
			if a == pair[0] && b == pair[1] {
				distance := j - i
				if distance < 0 {
					distance = 1 - distance
				}
				if distance <= 3 {
					best = max(best, 1/float64(distance))
				}
			}
		}
	}
	return best
}

// TestTogether checks that a block gains a fiftieth of the score of another matching block in its document.
func TestTogether(t *testing.T) {
	blocks := []text{{Body: "a1 x x"}, {Body: "a1"}, {Body: "a1 x x"}, {Body: "b1"}}
	x := build(t, blocks)
	alone := x.Search(Query{Text: "a1", Max: 4})
	got := x.Search(Query{Text: "a1", Max: 4, Document: func(block int) int { return min(block, 1) }})
	sum := func(score float64) float64 { return 8 * score / (100 - score) }
	want := []Match{
		{1, score(sum(alone[0].Score) + 0.02*sum(alone[2].Score))},
		{2, score(sum(alone[2].Score) + 0.02*sum(alone[0].Score))},
		{0, alone[1].Score},
	}
	if diff := gocmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSynonyms(t *testing.T) {
	x := build(t, []text{{Body: "x"}, {Body: "the directory"}, {Body: "the folders"}})
	if diff := gocmp.Diff([]int{2, 1}, found(x, Query{Text: "folder"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if words := Words("folder"); slices.Contains(words, "directory") {
		t.Errorf("previews look for %v", words)
	}
}

func TestMinorBlocksCountWhereTheyAreWanted(t *testing.T) {
	x := build(t, []text{{Heading: "old a1"}, {Body: "a1"}})
	half := x.Search(Query{Text: "a1", Max: 1})[0]
	if whole := x.Search(Query{Text: "a1", Max: 1, Minor: true})[0]; whole.Block != 0 || whole.Score <= half.Score {
		t.Errorf("%v, and as a minor block %v", whole, half)
	}
}

// TestHeapKeepsTheBest compares the best matches with a sorted list of all matches.
func TestHeapKeepsTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 200 {
		var all []Match
		var h heap
		limit := 1 + r.IntN(12)
		for block := range n {
			m := Match{block, float64(r.IntN(20))}
			all = append(all, m)
			h.add(m, limit)
		}
		slices.SortStableFunc(all, func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })
		slices.SortFunc(h, before)
		if diff := gocmp.Diff(all[:min(n, limit)], []Match(h)[:len(h):len(h)]); n > 0 && diff != "" {
			t.Fatalf("%d of %d (-want +got):\n%s", limit, n, diff)
		}
	}
}

func TestLogarithm(t *testing.T) {
	for _, v := range []float64{1, 1.0000001, 1.5, 2, math.E, 10, 12345.678, 1e9} {
		if got, want := ln(v), math.Log(v); math.Abs(got-want) > 1e-12*max(1, want) {
			t.Errorf("ln %v = %v, want %v", v, got, want)
		}
	}
}

func TestManyTermsAreFound(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "term%d ", i)
	}
	x := build(t, []text{{Body: b.String()}})
	for i := range 500 {
		for name, want := range map[string]bool{fmt.Sprintf("term%d", i): true, fmt.Sprintf("term%dx", i): false} {
			if _, ok := x.find([]byte(name)); ok != want {
				t.Errorf("%s is found: %v", name, ok)
			}
		}
	}
	for _, name := range []string{"", "a", "zz", "term"} {
		if _, ok := x.find([]byte(name)); ok {
			t.Errorf("%q is found", name)
		}
	}
}

func TestConcurrentSearches(t *testing.T) {
	x := build(t, []text{{Body: "a1 b1"}, {Body: "b1"}, {Body: "a1"}})
	done := make(chan []int)
	for range 8 {
		go func() {
			var got []int
			for range 200 {
				got = found(x, Query{Text: "a1 b1"})
			}
			done <- got
		}()
	}
	for range 8 {
		if diff := gocmp.Diff([]int{0, 1, 2}, <-done); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
