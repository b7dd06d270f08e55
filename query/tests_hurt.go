package query

import "github.com/blq-ci/blq/store"

// pull is a pull request.
type pull struct {
	repo   string
	number int
}

// hurtPulls holds, for each test, the pull requests in which the test failed. If the last attempt of the test in a run
// passed, the run does not count.
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
