package mcp

import (
	"context"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// maxCompletions is the max number of values that the protocol allows.
const maxCompletions = 100

// These are the max numbers of runs and branches that are read for the completion of an argument.
const (
	completionRuns     = 200
	completionBranches = 1000
)

// complete returns values for an argument of a prompt or resource template. It returns only values that the caller may
// see.
func (s *Server) complete(ctx context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	if err := s.mayAsk(ctx); err != nil {
		return nil, s.protocolError(ctx, "completion", err)
	}
	asker, err := s.config.Ask(ctx)
	if err != nil {
		return nil, s.protocolError(ctx, "completion", err)
	}
	a := r.Params.Argument
	values, err := valuesOf(ctx, asker, r.Params.Ref.URI, a)
	if err != nil {
		return nil, s.protocolError(ctx, "completion", err)
	}
	values = slices.DeleteFunc(
		values, func(v string) bool { return !strings.HasPrefix(strings.ToLower(v), strings.ToLower(a.Value)) })
	total := len(values)
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{
		Values: values[:min(total, maxCompletions)], Total: total, HasMore: total > maxCompletions,
	}}, nil
}

// valuesOf returns the values of an argument. Values from stored runs are ordered by run, newest first. For an unknown
// argument, valuesOf returns an empty list.
func valuesOf(ctx context.Context, a *query.Asker, uri string, arg sdk.CompleteParamsArgument) ([]string, error) {
	switch arg.Name {
	case "severity":
		return []string{"error", "warning", "error,warning", "info"}, nil
	case "status":
		return []string{string(store.StateCompleted), string(store.StateRunning), string(store.StateOrphaned)}, nil
	case "format":
		return []string{"brief", "detailed", "pr-comment"}, nil
	case "branch":
		return branches(ctx, a)
	case "source", "run_id", "good_run", "bad_run", "ref", "before", "commit":
	default:
		return []string{}, nil
	}
	runs, err := a.Store.Runs(ctx, a.Scope, store.RunFilter{Limit: completionRuns})
	if err != nil {
		return nil, err
	}
	if arg.Name == "ref" && (strings.Contains(uri, "//event/") || strings.Contains(uri, "//context/")) {
		return eventRefs(ctx, a, runs, arg.Value)
	}
	values := []string{}
	for _, r := range runs {
		for _, v := range runValues(r, arg.Name, arg.Value) {
			if v != "" && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
	}
	return values, nil
}

func branches(ctx context.Context, a *query.Asker) ([]string, error) {
	names, err := a.Store.Branches(ctx, a.Scope, "", completionBranches)
	values := make([]string, len(names))
	for i, name := range names {
		values[i] = query.Clean(name)
	}
	return values, err
}

// runValues returns the values that a run has for the argument with the given name. typed is the text that the user has
// typed so far.
func runValues(r store.Run, name, typed string) []string {
	switch name {
	case "source":
		return []string{r.Source}
	case "commit":
		return []string{r.Git.Commit}
	case "before":
		return []string{strconv.Itoa(r.Serial)}
	}
	if typed != "" && typed[0] >= '0' && typed[0] <= '9' {
		return []string{strconv.Itoa(r.Serial)}
	}
	return []string{r.Ref().String()}
}

// eventRefs returns references to events of the runs whose references match the text that the user has typed. It skips
// runs without errors and warnings. If the user has typed nothing, every run matches.
func eventRefs(ctx context.Context, a *query.Asker, runs []store.Run, typed string) ([]string, error) {
	short := typed != "" && typed[0] >= '0' && typed[0] <= '9'
	values := []string{}
	for _, r := range runs {
		ref := r.Ref().String()
		if short {
			ref = r.Ref().Short()
		}
		if r.Errors+r.Warnings == 0 || !strings.HasPrefix(typed, ref) && !strings.HasPrefix(ref, typed) {
			continue
		}
		page, err := a.Store.Events(
			ctx, a.Scope, store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.Attempt}}, Limit: maxCompletions})
		if err != nil {
			return nil, err
		}
		for _, e := range page.Events {
			values = append(values, ref+":"+strconv.Itoa(e.ID))
		}
		if len(values) >= maxCompletions {
			break
		}
	}
	return values, nil
}
