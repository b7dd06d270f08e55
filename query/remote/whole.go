package remote

import (
	"context"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// What people are shown has more than the JSON of some answers. It travels
// beside them.

// eventParams name an event.
type eventParams struct {
	Ref   string `json:"ref"`
	Lines int    `json:"context_lines,omitempty"`
	query.InspectParams
}

// wholeTable says also whether there were more rows.
type wholeTable struct {
	query.Table
	More bool `json:"more,omitempty"`
}

// wholeDiff has also the runs as references, and the lines of events.
type wholeDiff struct {
	query.Diff
	Base   store.Ref `json:"base"`
	Head   store.Ref `json:"head"`
	Before string    `json:"before,omitempty"`
	Lines  [3][]int  `json:"lines"` // of fixed, new and unchanged errors
}

func packDiff(d query.Diff) wholeDiff {
	w := wholeDiff{Diff: d, Base: d.Base, Head: d.Head, Before: d.Before}
	for i, list := range [][]query.DiffEvent{d.Fixed, d.New, d.Unchanged} {
		for _, e := range list {
			w.Lines[i] = append(w.Lines[i], e.Line)
		}
	}
	return w
}

func (w wholeDiff) unpack() query.Diff {
	d := w.Diff
	d.Base, d.Head, d.Before = w.Base, w.Head, w.Before
	for i, list := range [][]query.DiffEvent{d.Fixed, d.New, d.Unchanged} {
		for j := range list[:min(len(list), len(w.Lines[i]))] {
			list[j].Line = w.Lines[i][j]
		}
	}
	return d
}

// wholeOutput says also what did not fit.
type wholeOutput struct {
	query.Output
	RestFrom int `json:"rest_from,omitempty"`
	RestTo   int `json:"rest_to,omitempty"`
}

// How much text an answer may have: the rest is asked for in turn. What is
// searched for cannot be continued, and may be more.
const (
	outputBytes = 4 << 20
	grepBytes   = 64 << 20
)

func output(a *query.Asker, ctx context.Context, p query.OutputParams) (wholeOutput, error) {
	p.MaxBytes = outputBytes
	if p.Grep != "" {
		p.MaxBytes, p.Context = grepBytes, min(p.Context, mostLines)
	}
	o, err := a.Output(ctx, p)
	if err == nil && p.Grep != "" && o.RestFrom > 0 {
		err = store.Hint(store.Errorf(store.TooLarge, "more than %d MB of the log match", grepBytes>>20), "blq output %s --grep …   # for what is rarer", p.Ref)
	}
	return wholeOutput{o, o.RestFrom, o.RestTo}, err
}
