package query

import "github.com/blq-ci/blq/store"

// pull is a pull request.
type pull struct {
	repo   string
	number int
}

// failedPulls holds, for each test, the pull requests in which the test failed. A run does not count if the test
// passed in its last attempt.
type failedPulls map[int64]map[pull]bool

func (h failedPulls) add(r store.Run, t combinedResult) {
	if r.CI == nil || r.CI.PR == 0 || !t.outcome.Failed() {
		return
	}
	if h[t.id] == nil {
		h[t.id] = map[pull]bool{}
	}
	h[t.id][pull{r.Repo, r.CI.PR}] = true
}
