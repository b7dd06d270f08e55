package chunk_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// search returns the lines that a search finds. It also returns the line at which the search stopped early, or 0.
func search(t *testing.T, r *chunk.Reader, s chunk.Search) (found []string, from int) {
	t.Helper()
	for m, err := range r.Grep(t.Context(), s) {
		var stopped *chunk.Stopped
		switch {
		case errors.As(err, &stopped):
			return found, stopped.From
		case err != nil:
			t.Fatal(err)
		}
		found = append(found, fmt.Sprint(m.Number, " ", m.Text, " ", m.Found))
	}
	return found, 0
}

// byLine returns the result of a search, computed line by line.
func byLine(text string, s chunk.Search) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if s.To == 0 {
		s.To = len(lines)
	}
	var list []string
	for i := s.From; i <= min(s.To, len(lines)); i++ {
		near := false
		for j := max(s.From, i-s.Around); j <= min(s.To, len(lines), i+s.Around); j++ {
			near = near || s.Pattern.MatchString(lines[j-1])
		}
		if near {
			list = append(list, fmt.Sprint(i, " ", lines[i-1], " ", s.Pattern.MatchString(lines[i-1])))
		}
	}
	return list
}

func TestGrepFindsTheSameHoweverTheLogIsCutAndWhereverItStops(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		p := newPlace(t)
		var text strings.Builder
		for i := range 80 {
			word := "other"
			if r.IntN(6) == 0 {
				word = "match"
			}
			fmt.Fprintf(&text, "%s %d%s\n", word, i, strings.Repeat(".", r.IntN(4)))
		}
		log := strings.TrimSuffix(text.String(), strings.Repeat("\n", r.IntN(2)))
		var pieces []string
		for rest := log; rest != ""; {
			n := min(len(rest), 1+r.IntN(300))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		p.write(t, pieces...)
		s := chunk.Search{Pattern: regexp.MustCompile("^match"), Around: r.IntN(5), From: 1 + r.IntN(20)}
		if r.IntN(2) == 0 {
			s.To = s.From + r.IntN(70)
		}
		want := byLine(log, s)
		got, from := search(t, p.reader(""), s)
		if diff := cmp.Diff(want, got); diff != "" || from != 0 {
			t.Fatalf("%+v in %q: stopped at %d, -want +got:\n%s", s, pieces, from, diff)
		}
		s.MaxBytes = int64(1 + r.IntN(400))
		var parts []string
		for s.From > 0 {
			list, next := search(t, p.reader(""), s)
			if next != 0 && next <= s.From {
				t.Fatalf("from %d the search stops at %d", s.From, next)
			}
			parts, s.From = append(parts, list...), next
		}
		if diff := cmp.Diff(want, parts); diff != "" {
			t.Fatalf("%+v in %q, in parts: -want +got:\n%s", s, pieces, diff)
		}
	}
}

// A needle is a text in every line that an expression matches. A search with a needle finds the same lines as a search
// with the expression alone.
func TestGrepFindsTheSameWithANeedle(t *testing.T) {
	t.Parallel()
	words := []string{"match", "MATCH", "Match", "other", "mask", "ma\u017fk", "\u212aey", "key", "\xff", "\ufffd", "i",
		"\u0130",
		"12", strings.Repeat("y", chunk.MaxLine), ""}
	r := rand.New(rand.NewPCG(3, 4))
	for range 6 {
		p := newPlace(t)
		var text, read strings.Builder // the log, and what readers get
		for range 60 {
			line := ""
			for range r.IntN(4) {
				line += words[r.IntN(len(words))]
			}
			text.WriteString(line + "\n")
			read.WriteString(line[:min(len(line), chunk.MaxLine)] + "\n")
		}
		p.write(t, text.String())
		for _, of := range []string{"match", "(?i)match", "(?i)mask", "(?i)key", "(match)+", "(match)*o", "m.*k|other",
			"other(12|i)",
			"[Mm]atch", "\ufffd", "match\n", "(?s)match.other", "(?i)\u0130i", "^other", "other$", "", "(?:match){2}",
			"(?i)12i", "^$"} {
			s := chunk.Search{Pattern: regexp.MustCompile(of), From: 1 + r.IntN(5), Around: r.IntN(3)}
			if r.IntN(2) == 0 {
				s.To = s.From + r.IntN(70)
			}
			got, _ := search(t, p.reader(""), s)
			if diff := cmp.Diff(byLine(read.String(), s), got); diff != "" {
				t.Fatalf("%s from %d to %d: -want +got:\n%.2000s", of, s.From, s.To, diff)
			}
		}
	}
}

func TestGrepFindsNoLineAfterTheLast(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, "one\ntwo\nthree\n")
	if found, _ := search(t, p.reader(""), chunk.Search{Pattern: regexp.MustCompile("^$"), From: 1}); found != nil {
		t.Errorf("found %v", found)
	}
}

func TestPatternsHaveTheLongestTextThatLinesNeed(t *testing.T) {
	t.Parallel()
	for of, want := range map[string]string{
		"no such text": "no such text whole", `main\.c:9`: "main.c:9 whole", "error: .* undeclared": " undeclared",
		"(?i)Undeclared": "undeclared fold", "(?i)no such text": "uch text fold", "no (such|other) text": " text",
		"[0-9]+[.]z": ".z", "(abc)+": "abc", "(abc)?d": "d", "a|b": "", "(?i)": "", "": "", "x{3,}y": "x",
	} {
		if got := chunk.Needle(regexp.MustCompile(of)); got != want {
			t.Errorf("%s: %q, not %q", of, got, want)
		}
	}
}

func TestGrepOnlyCountsMatchesAfterTheMax(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, strings.Repeat("match\nother\n", 10)+"mat", "ch\n"+strings.Repeat("match\n", 20), "other\nmatch")
	for _, s := range []chunk.Search{{From: 1}, {From: 2, To: 30}, {From: 1, After: 25}, {From: 1, Around: 1},
		{From: 1, MaxBytes: 60}} {
		s.Pattern = regexp.MustCompile("match")
		count := func() (n, lines, from int) {
			for m, err := range p.reader("").Grep(t.Context(), s) {
				var stopped *chunk.Stopped
				if errors.As(err, &stopped) {
					return n, lines, stopped.From
				}
				if err != nil {
					t.Fatal(err)
				}
				if n += m.More; m.Found {
					n, lines = n+1, lines+1
				}
			}
			return n, lines, 0
		}
		want, all, from := count()
		s.Max = 3
		if n, lines, stopped := count(); n != want || stopped != from || s.Around == 0 && lines > all/2 {
			t.Errorf("%+v: counted %d, not %d, %d of %d lines, stopped at %d, not %d", s, n, want, lines, all, stopped, from)
		}
	}
}

func TestGrepReadsNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, strings.Repeat("nothing to see on this line\n", 40*chunk.Size/28))
	p.gets.Store(0)
	found, from := search(t, p.reader(""),
		chunk.Search{Pattern: regexp.MustCompile("absent"), From: 1, MaxBytes: 3 << 20})
	if found != nil || from < 3<<20/28 || p.gets.Load() > 12 {
		t.Errorf("found %v, stopped at line %d after %d chunks", found, from, p.gets.Load())
	}
}

func TestGrepStopsWhenItHasWorkedForTooLong(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, strings.Repeat(strings.Repeat("x", 200)+"\n", 4*chunk.Size/201))
	slow := regexp.MustCompile("(x+x+)+y")
	from, parts := 1, 0
	for from > 0 {
		_, next := search(t, p.reader(""), chunk.Search{Pattern: slow, From: from, MaxWork: 1})
		if next != 0 && next <= from {
			t.Fatalf("from %d the search stops at %d", from, next)
		}
		if from = next; parts > 3 {
			return
		}
		parts++
	}
	t.Errorf("%d parts", parts)
}

// A large expression takes microseconds for each byte, so the search checks the time after a few long lines.
func TestGrepStopsAfterFewLongLines(t *testing.T) {
	t.Parallel()
	for _, length := range []int{4000, chunk.Size} { // the second length fills a chunk
		p := newPlace(t)
		p.write(t, strings.Repeat(strings.Repeat("x", length-1)+"\n", 8*chunk.Size/length))
		_, next := search(t, p.reader(""), chunk.Search{Pattern: regexp.MustCompile("(x+x+)+y"), From: 1, MaxWork: 1})
		if next < 2 || next > 10 || length == chunk.Size && next > 3 {
			t.Errorf("lines of %d bytes: the search stops before line %d", length, next)
		}
	}
}

func TestTailReadsNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, strings.Repeat(strings.Repeat("x", 99)+"\n", 8*chunk.Size/100))
	p.gets.Store(0)
	list, err := p.reader(store.StreamCombined).Tail(t.Context(), 1_000_000, 1<<20)
	if err != nil || len(list) < 1<<20/100 || len(list) > 3<<20/100 || p.gets.Load() > 3 {
		t.Errorf("%d lines of %d chunks, %v", len(list), p.gets.Load(), err)
	}
}

func TestTailShowsALongLastLine(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, "one\n"+strings.Repeat("y", 3*chunk.Size)+"\n", "end\n"+strings.Repeat("x", 3*chunk.Size))
	for n, want := range map[int]int{1: 1, 2: 1, 100: 1} {
		list, err := p.reader("").Tail(t.Context(), n, 100)
		if err != nil || len(list) < want || list[len(list)-1].Text[0] != 'x' {
			t.Errorf("tail %d: %d lines, %v", n, len(list), err)
		}
	}
}

// BenchmarkGrep searches a log for fixed texts and for expressions. Only one of them has matches.
func BenchmarkGrep(b *testing.B) {
	p := newPlace(b)
	var text strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&text, "[%d] cc -O2 -Wall -Iinclude -c src/module%d/file%d.c -o build/file%d.o\n", i, i%29, i%713, i%713)
	}
	p.write(b, text.String())
	for _, of := range []string{"no such text", "cc -O2", "no (such|other) text", "(?i)no such text", "[0-9]+[.]z"} {
		re := regexp.MustCompile(of)
		b.Run(of, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			for range b.N {
				for _, err := range p.reader("").Grep(b.Context(), chunk.Search{Pattern: re, From: 1}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
