package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/deliveries"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/internal/queue"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// summaries posts reports on pull requests, for callers with the scope summary:write. It implements query.Summaries.
type summaries struct {
	work  *deliveries.Deliveries
	queue *queue.Queue
	rate  *httpserver.Rate // rate of reports by caller: each costs several requests to GitHub
	hide  *redact.Redactor
	log   *slog.Logger
}

// These limits bound how many reports a caller may ask for.
const (
	postsPerSecond = 0.2
	postsBurst     = 20
)

// newSummaries returns the summaries of the service, or nil if there is no GitHub App.
func (s *service) newSummaries() query.Summaries {
	if s.app == nil {
		return nil
	}
	return &summaries{work: s.deliveries, queue: s.queue, log: s.log,
		rate: httpserver.NewRate(postsPerSecond, postsBurst, time.Now),
		hide: redact.New(redact.Options{Values: s.config.secrets(), Shapes: true})}
}

// PostSummary implements query.Summaries.
func (s *summaries) PostSummary(ctx context.Context, p query.PullSummary) (query.SummaryPosted, error) {
	out := query.SummaryPosted{Repo: p.Repo, PR: p.PR}
	caller := auth.From(ctx)
	if err := auth.Allow(caller, auth.Scope(store.ScopeSummaryWrite)); err != nil {
		return out, err
	}
	if !caller.MayRead(p.Repo) {
		return out, query.NoPull(p.Repo, p.PR)
	}
	if after := s.rate.Take(caller.ID, 1); after > 0 {
		return out, store.Later(store.Errorf(store.RateLimited, "too many summaries were asked for"), after)
	}
	note := store.Note{Repo: p.Repo, PR: p.PR, Author: caller.ID, Text: s.hide.String(p.Note), Format: p.Format,
		Check: p.Check}
	if text := []rune(note.Text); len(text) > store.MaxNoteText {
		note.Text, note.Cut = string(text[:store.MaxNoteText]), len(text)-store.MaxNoteText
	}
	posted, err := s.work.Post(ctx, s.queue, note)
	if store.CodeOf(err) == store.NotFound {
		err = query.NoPull(p.Repo, p.PR)
	}
	if err != nil {
		return out, err
	}
	s.log.InfoContext(ctx, "summary asked for", "repo", p.Repo, "pull", p.PR, "caller", caller.ID, "state",
		string(posted.State), "why", posted.Why)
	out.State, out.URL, out.Why, out.Markdown, out.Cut = posted.State, posted.URL, posted.Why, posted.Markdown, note.Cut
	return out, refusedPost(p, posted.Posting)
}

// refusedPost returns the error for a report that cannot be posted. It returns nil if the report is posted or will be
// posted.
func refusedPost(p query.PullSummary, posted store.Posting) error {
	switch posted.State {
	case store.PostGone:
		return query.NoPull(p.Repo, p.PR)
	case store.PostLocked:
		return store.Hint(store.Errorf(store.Conflict, "pull request %d of %s is locked", p.PR, p.Repo),
			"somebody who maintains the repository may unlock it")
	case store.PostClosed:
		return store.Hint(store.Errorf(store.Conflict, "pull request %d of %s is closed", p.PR, p.Repo),
			"the comment is written if it is opened again")
	case store.PostRefused:
		return store.Hint(store.Errorf(store.Unavailable, "GitHub does not take the comment: %s", posted.Why),
			"ask the server's operator: its app needs pull requests: write and checks: write")
	}
	return nil
}
