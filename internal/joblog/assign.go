package joblog

import (
	"github.com/blq-ci/blq/internal/github/payload"
)

// slack is the max number of seconds between the start of a step and its first line, if this line has the step's kind.
const slack = 2

// fit returns how well a mark fits as the beginning of a step. wanted is the kind of the step. A negative
// result means that the mark does not fit.
func fit(s payload.Step, wanted kind, m mark) int {
	began := s.StartedAt.Unix()
	switch {
	case wanted == first && m.kind == first:
		return 100
	case m.second < began, m.kind == first && wanted != first:
		return -1
	case m.kind == plain && !s.CompletedAt.IsZero() && m.second > s.CompletedAt.Unix(),
		m.kind != plain && m.second > began+slack:
		return -1
	case m.kind == plain && wanted == running:
		return 1
	case m.kind == plain:
		return 2
	case m.kind != wanted:
		return -1
	case m.title == s.Name:
		return 100
	}
	return 30
}

// assign returns the mark at which each step begins, or -1 for none. The marks are in the order of the steps and fit as
// well as possible. If several choices are equally good, assign selects the earliest marks.
func assign(steps []payload.Step, marks []mark) []int {
	// best[i][j] is the highest sum of the results of fit for the first i steps and the first j marks.
	best := make([][]int32, len(steps)+1)
	best[0] = make([]int32, len(marks)+1)
	kinds := kindsOf(steps)
	for i, s := range steps {
		best[i+1] = make([]int32, len(marks)+1)
		best[i+1][0] = best[i][0]
		for j, m := range marks {
			b := max(best[i+1][j], best[i][j+1])
			if f := fit(s, kinds[i], m); f > 0 {
				b = max(b, best[i][j]+int32(f))
			}
			best[i+1][j+1] = b
		}
	}
	at := make([]int, len(steps))
	j := len(marks)
	for i := len(steps) - 1; i >= 0; i-- {
		at[i] = -1
		for j > 0 && best[i+1][j-1] == best[i+1][j] {
			j--
		}
		if best[i+1][j] == best[i][j] {
			continue
		}
		at[i] = j - 1
		j--
	}
	return at
}
