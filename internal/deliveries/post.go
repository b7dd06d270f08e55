package deliveries

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/queue"
	"github.com/blq-ci/blq/internal/wait"
	"github.com/blq-ci/blq/store"
)

// These are the max time that Post waits, and the interval of its checks.
const (
	postPatience = 8 * time.Second
	postLook     = 100 * time.Millisecond
)

// Posted is the result of Post.
type Posted struct {
	store.Posting
	Markdown string // the report, as far as the service can write it without GitHub
}

// Post adds a note to a pull request and queues the report with the note. This replica or another replica writes the
// report. Post waits briefly for the report. Errors: not_found when the repository is not enrolled; unavailable when
// the service has no app, or when the app is not installed there; insufficient_storage when a quota is used up.
func (d *Deliveries) Post(ctx context.Context, q *queue.Queue, n store.Note) (Posted, error) {
	known, err := d.enrolled(ctx, n.Repo)
	if err != nil {
		return Posted{}, err
	}
	n.Repo, n.At = known.Name, d.Now()
	if n.Commit, err = d.newestCommit(ctx, n.Repo, n.PR); err != nil {
		return Posted{}, err
	}
	w, err := d.reportPull(known, n.PR)
	if err != nil {
		return Posted{}, err
	}
	stored, err := d.Claim(ctx, n.Repo, store.Claim{Bytes: w.StoredBytes()})
	if err != nil {
		return Posted{}, err
	}
	if n, err = d.Notes.PutNote(ctx, n); err == nil {
		_, err = q.Put(ctx, w)
	}
	stored()
	if err != nil {
		return Posted{}, err
	}
	out, err := d.preview(ctx, known, n)
	if err != nil {
		return out, err
	}
	out.Posting, err = d.await(ctx, n)
	return out, err
}

// enrolled returns an enrolled repository of the app.
func (d *Deliveries) enrolled(ctx context.Context, name string) (store.EnrolledRepo, error) {
	if d.App == nil || d.Notes == nil {
		return store.EnrolledRepo{}, store.Hint(store.Errorf(store.Unavailable, "this server has no GitHub App, so it posts "+
			"no summaries"), "ask its operator: blqd app create")
	}
	r, err := d.named(ctx, name)
	if err != nil {
		return r, err
	}
	if _, err := d.App.ForRepo(ctx, r.Name); store.CodeOf(err) == store.NotFound {
		return r, store.Errorf(store.Unavailable, "the GitHub App of this server is not installed on %s", r.Name)
	}
	return r, nil
}

// named returns an enrolled repository by its name. The error is NotFound if the repository is not enrolled.
func (d *Deliveries) named(ctx context.Context, name string) (store.EnrolledRepo, error) {
	all, err := d.Directory.EnrolledRepos(ctx)
	if err != nil {
		return store.EnrolledRepo{}, err
	}
	for _, r := range all {
		if r.Host == d.App.Host() && strings.EqualFold(r.Name, name) {
			return r, nil
		}
	}
	return store.EnrolledRepo{}, store.Errorf(store.NotFound, "%s is not a repository of this server", name)
}

// newestCommit returns the commit of a pull request's newest run, or "" if no run is known.
func (d *Deliveries) newestCommit(ctx context.Context, repo string, pr int) (string, error) {
	runs, err := d.Store.Runs(ctx, store.Repos(repo), store.RunFilter{Repo: repo, PR: pr, Limit: 1})
	if err != nil || len(runs) == 0 {
		return "", err
	}
	return runs[0].Git.Commit, nil
}

// preview writes the report without facts that need a request to GitHub.
func (d *Deliveries) preview(ctx context.Context, known store.EnrolledRepo, n store.Note) (out Posted, err error) {
	s := &subject{known: known, asker: d.Ask(known.Name), pr: n.PR, sha: n.Commit}
	if s.notes, err = d.Notes.Notes(ctx, store.Repos(n.Repo), n.Repo, n.PR); err != nil {
		return out, err
	}
	if s.runs, err = d.runsOf(ctx, n.Repo, n.PR, s.sha, ""); err != nil {
		return out, err
	}
	p, err := d.write(ctx, s, nil, 0)
	if store.CodeOf(err) == store.NotFound {
		err = nil
	}
	out.Markdown = p.Markdown
	return out, err
}

// await waits until somebody has tried to post a note. It gives up after postPatience, and returns PostWaiting.
func (d *Deliveries) await(ctx context.Context, n store.Note) (store.Posting, error) {
	for began := time.Now(); ; {
		list, err := d.Notes.Notes(ctx, store.Repos(n.Repo), n.Repo, n.PR)
		if err != nil {
			return store.Posting{}, err
		}
		for _, known := range list {
			if known.Author == n.Author && known.Rev >= n.Rev && known.Posted.State != "" {
				return known.Posted, nil
			}
		}
		if time.Since(began) > postPatience {
			return store.Posting{State: store.PostWaiting, Why: "other work comes first"}, nil
		}
		if err := wait.For(ctx, postLook); err != nil {
			return store.Posting{}, store.Errorf(store.Unavailable, "the request ended before the summary was posted")
		}
	}
}

// settle records the state of the posted notes, and returns the error for the queue.
func (d *Deliveries) settle(ctx context.Context, notes []store.Note, posted store.Posting, failed error) error {
	if len(notes) == 0 || ctx.Err() != nil {
		return failed
	}
	if failed != nil {
		posted.State, posted.Why = store.PostWaiting, short(failed)
		if _, again := store.RetryAfter(failed); !again && isRefusal(failed) {
			posted.State = store.PostRefused
		}
	}
	d.Posted(posted.State)
	last := notes[len(notes)-1]
	if err := d.Notes.MarkNotes(ctx, last.Repo, last.PR, last.Rev, posted); err != nil {
		return errors.Join(failed, err)
	}
	return failed
}

// isRefusal reports whether an error means that another try is useless.
func isRefusal(err error) bool {
	switch store.CodeOf(err) {
	case store.Forbidden, store.NotFound, store.Invalid, store.TooLarge:
		return true
	}
	return false
}

// short returns the text of an error, cut after 300 characters.
func short(err error) string {
	text := []rune(err.Error())
	return string(text[:min(300, len(text))])
}
