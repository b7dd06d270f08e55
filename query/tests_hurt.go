package query

import "github.com/blq-ci/blq/store"

// pull names a pull request.
type pull struct {
	repo   string
	number int
}

// hurtPulls are the pull requests of which a run failed with a test, by test. A run whose last attempt passed hurts none.
type hurtPulls map[int64]map[pull]bool

func (h hurtPulls) add(r store.Run, t testEnd) {
	if r.CI == nil || r.CI.PR == 0 || !t.outcome.Failed() {
		return
	}
	if h[t.id] == nil {
		h[t.id] = map[pull]bool{}
	}
	h[t.id][pull{r.Repo, r.CI.PR}] = true
}
