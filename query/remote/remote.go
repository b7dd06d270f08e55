// Package remote carries questions over HTTP: Answer is the service's side,
// Client the command line's. What is printed from an answer is the same on
// either side, so answers are whole here, not cut to what an agent can take. It
// may import query, internal/markdown and store.
package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Path is where a service answers questions: POST Path/QUESTION, with a Request.
const Path = "/v1/ask"

// Request is the body of a question.
type Request struct {
	Repo   string          `json:"repo,omitempty"` // ask of this repository alone
	Params json.RawMessage `json:"params,omitempty"`
}

// question is something that can be asked.
type question struct {
	name   string
	tool   string // the agents' tool that tells as much: who may use it may ask this
	answer func(ctx context.Context, a *query.Asker, params json.RawMessage) (any, error)
}

// questions returns all questions. It is a function so that a program that only
// asks links none of them.
func questions() []question {
	return []question{
		newQuestion("triage", "triage", (*query.Asker).Triage),
		newQuestion("events", "events", (*query.Asker).Events),
		newQuestion("event", "inspect", func(a *query.Asker, ctx context.Context, p eventParams) (query.EventDetails, error) {
			return a.EventDetails(ctx, p.Ref)
		}),
		newQuestion("context", "inspect", func(a *query.Asker, ctx context.Context, p eventParams) (query.Context, error) {
			return a.Context(ctx, p.Ref, min(p.Lines, mostLines))
		}),
		newQuestion("inspect", "inspect", func(a *query.Asker, ctx context.Context, p eventParams) (query.Inspection, error) {
			p.InspectParams.Lines = min(p.InspectParams.Lines, mostLines)
			return a.Inspect(ctx, p.Ref, p.InspectParams)
		}),
		newQuestion("info", "info", (*query.Asker).Info),
		newQuestion("brief", "info", func(a *query.Asker, ctx context.Context, p query.InfoParams) (query.Briefing, error) {
			p.Context = min(p.Context, mostLines)
			return a.Brief(ctx, p)
		}),
		newQuestion("output", "output", output),
		newQuestion("raw", "output", (*query.Asker).Raw),
		newQuestion("growth", "output", (*query.Asker).Growth),
		newQuestion("status", "status", (*query.Asker).Status),
		newQuestion("history", "history", (*query.Asker).History),
		newQuestion("diff", "diff", func(a *query.Asker, ctx context.Context, p query.DiffParams) (wholeDiff, error) {
			d, err := a.Diff(ctx, p)
			return packDiff(d), err
		}),
		newQuestion("query", "query", func(a *query.Asker, ctx context.Context, p query.QueryParams) (wholeTable, error) {
			t, err := a.Query(ctx, p)
			return wholeTable{t, t.More}, err
		}),
		newQuestion("check", "diff", (*query.Asker).Check),
		newQuestion("report", "triage", func(a *query.Asker, ctx context.Context, p markdown.Params) (markdown.Report, error) {
			return markdown.Write(ctx, a, p)
		}),
		newQuestion("pull", "triage", func(a *query.Asker, ctx context.Context, p markdown.PullParams) (markdown.Pull, error) {
			return markdown.WritePull(ctx, a, p)
		}),
	}
}

// mostLines is how many lines of context there are at most.
const mostLines = 1000

func newQuestion[P, A any](name, tool string, ask func(*query.Asker, context.Context, P) (A, error)) question {
	return question{name, tool, askerOf(ask)}
}

func askerOf[P, A any](do func(*query.Asker, context.Context, P) (A, error)) func(context.Context, *query.Asker, json.RawMessage) (any, error) {
	return func(ctx context.Context, a *query.Asker, params json.RawMessage) (any, error) {
		var p P
		if len(params) > 0 {
			if err := json.Unmarshal(params, &p); err != nil {
				return nil, store.Errorf(store.Invalid, "params: %w", err)
			}
		}
		return do(a, ctx, p)
	}
}

// Questions returns the names of all questions.
func Questions() []string {
	names := make([]string, len(questions()))
	for i, q := range questions() {
		names[i] = q.name
	}
	return names
}

// Tool returns the agents' tool that tells as much as a question: who may use it
// may ask. It is "" for what is no question.
func Tool(name string) string {
	for _, q := range questions() {
		if q.name == name {
			return q.tool
		}
	}
	return ""
}

// Answer answers a question with JSON. NotFound: there is no such question, or
// what it asks for. Invalid: wrong parameters.
func Answer(ctx context.Context, a *query.Asker, name string, r Request) ([]byte, error) {
	all := questions()
	i := slices.IndexFunc(all, func(q question) bool { return q.name == name })
	if i < 0 {
		return nil, store.Hint(store.Errorf(store.NotFound, "this server knows no question %.40q", name), "its release and that of blq differ: take the older one up")
	}
	a, err := within(ctx, a, r.Repo)
	if err != nil {
		return nil, err
	}
	out, err := all[i].answer(ctx, a, r.Params)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return nil, fmt.Errorf("write the answer to %s: %w", name, err)
	}
	return b.Bytes(), nil
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
		err = store.Hint(store.Errorf(store.NotFound, "no runs of the repository %s", repo), "blq status --repo all   # asks of every repository")
	}
	return &narrow, err
}
