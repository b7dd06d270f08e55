package web

import (
	"context"
	"fmt"
	"strconv"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/blq-ci/blq/query"
)

// striper knows in which runs errors were. Services of others do not tell.
type striper interface {
	Strips(ctx context.Context, ref string, n int, fingerprints []string) (map[string]query.Strip, error)
}

// strips returns the last runs of errors by fingerprint; none where they are not known.
func (q *request) strips(ref string, fingerprints []string) (map[string]query.Strip, error) {
	by, ok := q.by.(striper)
	if !ok {
		return nil, nil
	}
	return by.Strips(q.context(), ref, sparkRuns, fingerprints)
}

// stripView draws a square for each run. What they show stands in the label.
func stripView(s query.Strip) g.Node {
	if len(s) < 2 {
		return nil
	}
	in, could := 0, 0
	squares := make(g.Group, len(s))
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
		squares[i] = g.El("rect", h.Class(class), g.Attr("x", strconv.Itoa(sparkStep*i)), g.Attr("y", "0"),
			h.Width(strconv.Itoa(barWidth)), h.Height("12"), g.El("title", g.Text(r.RunRef+": "+word)))
	}
	label := fmt.Sprintf("in %d of the last %s that could have it", in, count(could, "run"))
	return g.Group{h.SVG(h.Class("spark"), h.Width(strconv.Itoa(sparkStep*len(s))), h.Height("12"), h.Role("img"),
		h.Aria("label", label), squares), h.Small(g.Text(" " + label))}
}

// appeared says between which commits an error appeared, as far as the strip shows it.
func appeared(s query.Strip) g.Node {
	for i := len(s) - 1; i > 0; i-- {
		now, earlier := s[i], s[i-1]
		if !now.Has || earlier.Has || earlier.Silent {
			continue
		}
		return h.P(g.Text("It came with "), runLink(now.RunRef), at(now.Commit), g.Text("; the run before, "),
			runLink(earlier.RunRef), at(earlier.Commit), g.Text(", did not have it. "),
			link(refPath("compare", now.RunRef)+"?"+parameterOf("with", earlier.RunRef), "What changed"))
	}
	return nil
}

func at(commit string) g.Node {
	return g.If(commit != "", g.Group{g.Text(" at "), code(short(commit))})
}
