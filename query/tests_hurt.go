package query

import "github.com/blq-ci/blq/store"

// pull is a pull request.
type pull struct {
	repo   string
	number int
}

// hurtPulls holds, for each test, the pull requests with a run in which the test failed. A run does not count if the
// last attempt of the test passed.
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
