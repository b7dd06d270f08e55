// Package remote carries questions over HTTP. Answer is the service's side, and Client is the command line's side.
// People see the same output from a service as from a local store. So answers are complete, and not shortened as for
// agents. The package may import query, query/questions, internal/cmdline and store.
package remote

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// Path is the path of questions. Clients post a Request to Path/NAME, where NAME is the name of the question.
const Path = "/v1/ask"

// Request is the body of a question.
type Request struct {
	Repo   string          `json:"repo,omitempty"` // ask only about this repository
	Params json.RawMessage `json:"params,omitempty"`

	others []string // keys that a Request does not have
}

// UnmarshalJSON reads a Request.
func (r *Request) UnmarshalJSON(text []byte) error {
	type plain Request
	if err := json.Unmarshal(text, (*plain)(r)); err != nil {
		return err
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	r.others = slices.Sorted(maps.Keys(given))
	r.others = slices.DeleteFunc(r.others, func(key string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { return strings.EqualFold(k, key) })
	})
	return nil
}

// keys lists the keys of a Request.
var keys = []string{"repo", "params"}

// Answer answers the question with the given name. The answer is JSON. NotFound: the table has no such question, or the
// store has no data for the answer. Invalid: the parameters are wrong, or the request has other keys.
func Answer(ctx context.Context, t questions.Table, a *query.Asker, name string, r Request) ([]byte, error) {
	row, found := t.Find(name)
	if !found || !row.IsQuestion() {
		err := store.Errorf(store.NotFound, "this server knows no question %.40q", name)
		return nil, store.Hint(err, "its release and that of blq differ: upgrade the older one")
	}
	if len(r.others) > 0 {
		err := questions.UnknownKey("the body of a question", "key", r.others[0], keys)
		return nil, store.Hint(err, `parameters stand in "params", such as {"params":{"limit":10}}`)
	}
	a, err := within(ctx, a, r.Repo, row.OfFacts())
	if err != nil {
		return nil, err
	}
	return row.AnswerJSON(ctx, questions.Local{Asker: a, Line: cmdline.Words}, r.Params)
}

// within returns an asker for one repository. If repo is "", it returns an asker for all repositories that the asker a
// may see. If ofFacts is true, the repository needs no runs, because it may have facts before it has runs.
func within(ctx context.Context, a *query.Asker, repo string, ofFacts bool) (*query.Asker, error) {
	if repo == "" {
		return a, nil
	}
	if !store.IsRepoName(repo) {
		return nil, store.Errorf(store.Invalid, "%.100q is not a repository: it has the form owner/name", repo)
	}
	narrow := *a
	narrow.Scope = store.Repos()
	if a.Scope.Has(repo) {
		narrow.Scope = store.Repos(repo)
	}
	if ofFacts {
		if !a.Scope.Has(repo) {
			return nil, store.Errorf(store.NotFound, "there is no repository %s", repo)
		}
		return &narrow, nil
	}
	runs, err := a.Store.Runs(ctx, narrow.Scope, store.RunFilter{Limit: 1})
	if err == nil && len(runs) == 0 {
		err = store.Next(store.Errorf(store.NotFound, "no runs of the repository %s", repo),
			store.NewCall("status", "asks of every repository", "repo", "all"))
	}
	return &narrow, err
}
