//go:build !job

package query

import (
	"context"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// PostSummaryParams name a pull request and the note to post on it.
type PostSummaryParams struct {
	PR     int    `json:"pr,omitempty" jsonschema:"pull request" min:"1"`
	Ref    string `json:"ref,omitempty" jsonschema:"or a run of it" kind:"ref"`
	Repo   string `json:"repo,omitempty" jsonschema:"owner/name" hosted:"true"`
	Note   string `json:"note,omitempty" jsonschema:"your finding, shown as plain text; without it yours is removed"`
	Format string `json:"format,omitempty" jsonschema:"its form" enum:"brief,detailed,pr-comment" default:"\"pr-comment\""`
	Check  bool   `json:"check,omitempty" jsonschema:"also write a check run"`
}

// PullSummary is a note for the report on a pull request.
type PullSummary struct {
	Repo, Note, Format string
	PR                 int
	Check              bool
}

// SummaryPosted is the result of posting the report on a pull request.
type SummaryPosted struct {
	Repo     string          `json:"repo" jsonschema:"owner/name"`
	PR       int             `json:"pr" jsonschema:"pull request"`
	State    store.PostState `json:"state" jsonschema:"posted, waiting, or left to the job that keeps the comment"`
	URL      string          `json:"url,omitempty" jsonschema:"of the comment"`
	Why      string          `json:"why,omitempty" jsonschema:"it waits"`
	Cut      int             `json:"cut,omitempty" jsonschema:"characters of the note that were left out"`
	Markdown string          `json:"markdown" jsonschema:"text of the comment, as far as this server knows"`
}

// Summaries posts comments on pull requests. A comment contains a report and notes. Each pull request has at most one
// such comment. If a job writes the comment, Summaries does not write it.
type Summaries interface {
	// PostSummary writes the report on a pull request. NotFound: the caller may not read the repository, or GitHub has
	// no such pull request. Conflict: the pull request is locked, or closed without a comment. Unavailable: the service
	// cannot write comments, or GitHub does not accept the comment. RateLimited: the caller posts too often.
	PostSummary(ctx context.Context, s PullSummary) (SummaryPosted, error)
}

// maxNote is the max size of a note, in bytes. PostSummary returns an error for a longer note.
const maxNote = 64 << 10

// PostSummary writes the comment on a pull request, with a note from the caller. Invalid: the parameters do not
// determine the pull request. TooLarge: the note is too long. Unavailable: only a server posts summaries. Other errors
// are errors of Summaries, or of the search for the run.
func (a *Asker) PostSummary(ctx context.Context, p PostSummaryParams) (SummaryPosted, error) {
	if a.Summaries == nil {
		return SummaryPosted{}, store.Next(store.Errorf(store.Unavailable,
			"summaries are posted by a server that has a GitHub App"),
			store.NewCall("post_summary", "asks one, with a token of the scope summary:write", "remote", true))
	}
	if len(p.Note) > maxNote {
		return SummaryPosted{}, store.Errorf(store.TooLarge, "a note has at most %d bytes, not %d", maxNote, len(p.Note))
	}
	repo, pr, err := a.pullOf(ctx, p)
	if err != nil {
		return SummaryPosted{}, err
	}
	posted, err := a.Summaries.PostSummary(ctx, PullSummary{Repo: repo, PR: pr, Note: strings.TrimSpace(Clean(p.Note)),
		Format: p.Format, Check: p.Check})
	posted.Why = Clean(posted.Why)
	return posted, err
}

// pullOf returns the repository and the number of the pull request that the parameters name. The error for a repository
// outside the caller's scope is the same as for a repository that does not exist.
func (a *Asker) pullOf(ctx context.Context, p PostSummaryParams) (repo string, pr int, err error) {
	at := At{PR: p.PR, Repo: p.Repo}
	if err := at.check(); err != nil {
		return "", 0, err
	}
	switch {
	case p.Ref == "" && p.PR == 0:
		return "", 0, store.Next(store.Errorf(store.Invalid, "which pull request is meant? name pr or ref"),
			store.NewCall("history", "shows where runs happened"))
	case p.Ref == "" && p.Repo != "":
		if !a.Scope.Has(p.Repo) {
			return "", 0, NoPull(p.Repo, p.PR)
		}
		return p.Repo, p.PR, nil
	case p.Ref != "":
		r, err := a.RunAt(ctx, At{Repo: p.Repo}, p.Ref)
		switch {
		case err != nil:
			return "", 0, err
		case r.CI == nil || r.CI.PR == 0 || p.PR != 0 && p.PR != r.CI.PR:
			return "", 0, store.Next(store.Errorf(store.Invalid, "%s is not a run of the pull request", r.Ref()),
				store.NewCall("info", "", "ref", r.Ref()))
		}
		return r.Repo, r.CI.PR, nil
	}
	runs, err := a.reader().Runs(ctx, a.Scope, store.RunFilter{PR: p.PR, Limit: knownBranches})
	if err != nil {
		return "", 0, err
	}
	var repos []string
	for _, r := range runs {
		repos = append(repos, r.Repo)
	}
	slices.Sort(repos)
	switch repos = slices.Compact(repos); len(repos) {
	case 0:
		return "", 0, unknownPlace("of the pull request %d", p.PR)
	case 1:
		return repos[0], p.PR, nil
	}
	return "", 0, store.Next(store.Errorf(store.Invalid, "%d repositories have a pull request %d: name repo", len(repos),
		p.PR), store.NewCall("history", "shows them", "pr", p.PR))
}

// NoPull returns the NotFound error for a pull request.
func NoPull(repo string, pr int) error {
	return store.Next(store.Errorf(store.NotFound, "no pull request %d of %s", pr, repo),
		store.NewCall("history", "shows where runs happened"))
}
