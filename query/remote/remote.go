// Package remote carries questions over HTTP: Answer is the service's side,
// Client the command line's. What is printed from an answer is the same on
// either side, so answers are whole here, not cut to what an agent can take. It
// may import query, query/questions and store.
package remote

import (
	"context"
	"encoding/json"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// Path is where a service answers questions: POST Path/QUESTION, with a Request.
const Path = "/v1/ask"

// Request is the body of a question.
type Request struct {
	Repo   string          `json:"repo,omitempty"` // ask of this repository alone
	Params json.RawMessage `json:"params,omitempty"`
}

// Answer answers the question of a name with JSON. NotFound: the table has no
// such question, or the store not what it asks for. Invalid: wrong parameters.
func Answer(ctx context.Context, t questions.Table, a *query.Asker, name string, r Request) ([]byte, error) {
	row, found := t.Find(name)
	if !found || !row.IsQuestion() {
		err := store.Errorf(store.NotFound, "this server knows no question %.40q", name)
		return nil, store.Hint(err, "its release and that of blq differ: take the older one up")
	}
	a, err := within(ctx, a, r.Repo)
	if err != nil {
		return nil, err
	}
	return row.AnswerJSON(ctx, a, r.Params)
}

// within returns an asker of one repository, "" for all that the asker may see.
func within(ctx context.Context, a *query.Asker, repo string) (*query.Asker, error) {
	if repo == "" {
		return a, nil
	}
	if !store.IsRepoName(repo) {
		return nil, store.Errorf(store.Invalid, "%.100q is no repository: it has the form owner/name", repo)
	}
	narrow := *a
	narrow.Scope = store.Repos()
	if a.Scope.Has(repo) {
		narrow.Scope = store.Repos(repo)
	}
	runs, err := a.Store.Runs(ctx, narrow.Scope, store.RunFilter{Limit: 1})
	if err == nil && len(runs) == 0 {
		err = store.Next(store.Errorf(store.NotFound, "no runs of the repository %s", repo), store.NewCall("status", "asks of every repository", "repo", "all"))
	}
	return &narrow, err
}
