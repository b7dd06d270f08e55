package web

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/blq-ci/blq/query"
)

// striper is implemented by sources that know which runs had an error. A remote service cannot be such a source.
type striper interface {
	Strips(ctx context.Context, ref string, n int, fingerprints []string) (map[string]query.Strip, error)
}

// strips returns a strip for each fingerprint. A strip shows which of the last runs had the error. strips returns nil
// if the source does not know which runs had an error.
func (q *request) strips(ref string, fingerprints []string) (map[string]query.Strip, error) {
	by, ok := q.by.(striper)
	if !ok {
		return nil, nil
	}
	return by.Strips(q.context(), ref, sparkRuns, fingerprints)
}

// square is a run in a strip.
type square struct {
	ref   string
	class string // CSS class, which determines the colour
	word  string // the meaning of the colour
}

// squaresOf draws a square for each run, oldest first. about is the text after the strip. The label of the drawing
// says in words what the squares mean, because not everybody sees colours.
func squaresOf(list []square, about string) g.Node {
	shapes := make(g.Group, len(list))
	for i, s := range list {
		shapes[i] = g.El("rect", h.Class(s.class), g.Attr("x", strconv.Itoa(sparkStep*i)), g.Attr("y", "0"),
			h.Width(strconv.Itoa(barWidth)), h.Height("12"), g.El("title", g.Text(s.ref+": "+s.word)))
	}
	return g.Group{h.SVG(h.Class("spark"), sized(sparkStep*len(list), 12), h.Role("img"),
		h.Aria("label", inWords(list)), shapes), h.Small(g.Text(" " + about))}
}

// inWords describes a strip. It joins consecutive runs with the same meaning.
func inWords(list []square) string {
	var parts []string
	for from, to := 0, 0; from < len(list); from = to {
		for to = from + 1; to < len(list) && list[to].word == list[from].word; to++ {
		}
		runs := list[from].ref
		if to-from > 1 {
			runs += " to " + list[to-1].ref
		}
		parts = append(parts, runs+": "+list[from].word)
	}
	return strings.Join(parts, "; ")
}

// stripView draws a strip. It draws nothing for fewer than two runs.
func stripView(s query.Strip) g.Node {
	if len(s) < 2 {
		return nil
	}
	in, could := 0, 0
	squares := make([]square, len(s))
	for i, r := range s {
		class, word := "ok", "not there"
		switch {
		case r.Has:
			class, word = "bad", "there"
			in++
			could++
		case r.Silent:
			class, word = "silent", "ended too early to show it"
		default:
			could++
		}
		squares[i] = square{r.RunRef, class, word}
	}
	about := fmt.Sprintf("in %d of the last %s that could have it", in, count(could, "run"))
	if in == 1 && could == 1 {
		about = "in the only run that could have it"
	}
	return squaresOf(squares, about)
}

// turned shows the two runs between which an error appeared or disappeared. The parameter word says
// which of the two happened.
func turned(word string, t *query.Turn) g.Node {
	if t == nil {
		return nil
	}
	before := ", did not have it. "
	if t.Before.Has {
		before = ", had it. "
	}
	return h.P(g.Text("It "+word+" with "), runLink(t.After.RunRef), at(t.After),
		g.Text("; the run before it on the branch, "), runLink(t.Before.RunRef), at(t.Before), g.Text(before),
		link(refPath("compare", t.After.RunRef)+"?"+parameterOf("with", t.Before.RunRef), "What changed"))
}

// at shows the commit of a run.
func at(r query.StripRun) g.Node {
	return g.If(r.Commit != "", g.Group{g.Text(" at "), code(short(r.Commit)),
		g.If(r.Dirty, g.Text(" with uncommitted changes"))})
}
