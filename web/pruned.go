package web

import (
	"fmt"
	"net/http"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// prunedPage replaces the pages of a run that retention has removed. Comments and mails may still link to these pages.
type prunedPage struct {
	page
	Gone store.Ref
	Runs []query.RunFacts // the runs of the source that still exist
}

const prunedRuns = 10

// pruned answers a request for a run that was removed. The page shows the name of the run, and the newest runs of the
// same source.
func (q *request) pruned(gone store.Ref) error {
	left, err := questions.History.Ask(q.context(), q.by, query.HistoryParams{Limit: prunedRuns, Source: gone.Source,
		At: query.At{Repo: gone.Repo}})
	if err != nil {
		return err
	}
	for _, name := range []string{"Content-Type", "Content-Disposition"} { // these headers were set for the removed log
		q.w.Header().Del(name)
	}
	p := prunedPage{q.page(gone.String()+" is gone", ""), gone, left.Runs}
	p.Repo = q.site.named(gone.Repo)
	return q.site.write(q.w, http.StatusGone, p.view())
}

func (p prunedPage) view() g.Node {
	return p.layout(
		h.P(g.Text(fmt.Sprintf("Run %d of the source %s was here. Its errors and its log were removed, because only "+
			"newer runs are kept.", p.Gone.Serial, p.Gone.Source))),
		h.H2(g.Text("Runs of "+p.Gone.Source+" that are left")), runTable(p.Runs),
	)
}
