package deliveries

import (
	"context"
	"slices"
	"strings"

	"github.com/blq-ci/blq/action/comment"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/store"
)

// maxComment is the max length of a comment in characters. It is less than GitHub's limit, because GitHub counts
// characters differently. maxNotes is the max length of the notes in the comment.
const (
	maxComment = 60_000
	maxNotes   = 20_000
)

// actionsBot is the author of comments that jobs write with their own tokens.
const actionsBot = "github-actions[bot]"

// forge adapts GitHub to the code that updates a comment. Its Login always returns an error, because an installation
// has no login.
type forge struct{ *github.Client }

// Login implements comment.Forge.
func (forge) Login(context.Context) (string, error) {
	return "", store.Errorf(store.Forbidden, "an installation has no login")
}

// comment creates or updates the comment on the pull request, unless a job writes it.
func (d *Deliveries) comment(ctx context.Context, s *subject, p markdown.Pull) (posted store.Posting, err error) {
	if s.pr == 0 {
		return posted, nil
	}
	if !s.open {
		return store.Posting{State: store.PostClosed}, nil
	}
	all, err := s.client.Comments(ctx, s.known.Name, s.pr)
	if i := slices.IndexFunc(all, isOfJob); err == nil && i >= 0 {
		return store.Posting{State: store.PostLeft, URL: all[i].URL}, nil
	}
	outcome := comment.Outcome("")
	if err == nil {
		outcome, posted.URL, err = comment.Keep(ctx, forge{s.client}, s.note(p, d))
	}
	_, again := store.RetryAfter(err) // somebody has just deleted the comment
	switch code := store.CodeOf(err); {
	case code == store.NotFound && !again:
		posted.State, err = store.PostGone, nil
	case code == store.Forbidden && strings.Contains(err.Error(), "locked"):
		posted.State, err = store.PostLocked, nil
	case err != nil:
		return posted, err
	case outcome == comment.Superseded && len(s.notes) > 0: // the pull request already has a newer commit or report
		return posted, store.Later(store.Errorf(store.Unavailable, "the pull request has a newer commit or report"), 0)
	default:
		posted.State = store.PostDone
	}
	d.Log.InfoContext(ctx, "comment", "repo", s.known.Name, "pull", s.pr, "outcome", string(outcome), "state",
		string(posted.State))
	return posted, nil
}

// isOfJob reports whether a job maintains a comment.
func isOfJob(c github.Comment) bool {
	return c.Author == actionsBot && strings.HasPrefix(c.Body, comment.Mark)
}

// note returns the comment to post. Its order grows with each run and with each note of an agent, so that a newer
// comment replaces an older one.
func (s *subject) note(p markdown.Pull, d *Deliveries) comment.Note {
	order := comment.Order{Seen: p.Seen, At: d.Now()}
	if n := len(s.notes); n > 0 {
		order.Seen += int(s.notes[n-1].Rev)
	}
	return comment.Note{Repo: s.known.Name, PR: s.pr, Topic: "service", Commit: s.sha, Body: p.Markdown, Order: order,
		Quiet: p.Counts.Failed == 0 && p.Passed && len(s.notes) == 0}
}
