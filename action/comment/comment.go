// Package comment keeps one comment of ours on a pull request: made once, then
// edited. It may import internal/github and store.
package comment

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/store"
)

// Forge is what keeping a comment needs of GitHub.
type Forge interface {
	github.Commenter
	Pull(ctx context.Context, repo string, number int) (github.Pull, error)
	Login(ctx context.Context) (string, error)
}

// Note is what a comment should say.
type Note struct {
	Repo   string
	PR     int
	Topic  string // tells comments of ours apart, "" for the only one of a pull request
	Commit string // that it is about: it says nothing once the pull request has a newer one
	Body   string // Markdown, of at most MostBody characters
	// Quiet leaves a pull request without a comment when there is none yet.
	Quiet bool
}

// MostBody is how many characters of Markdown fit beside what marks a comment
// as ours.
const MostBody = github.MostComment - 200

// Outcome is what became of a note.
type Outcome string

// The outcomes.
const (
	Created    Outcome = "created"
	Edited     Outcome = "edited"
	Unchanged  Outcome = "unchanged"  // it says so already
	Superseded Outcome = "superseded" // the pull request has a newer commit, or was closed and has no comment
	NotNeeded  Outcome = "not needed" // there is nothing to say, and no comment that says otherwise
)

// Keep makes the comment of a pull request say what a note says. It returns the
// address of the comment, "" where there is none. Forbidden: the token may not
// write comments.
func Keep(ctx context.Context, f Forge, n Note) (Outcome, string, error) {
	pr, err := f.Pull(ctx, n.Repo, n.PR)
	if err != nil {
		return "", "", err
	}
	if !strings.EqualFold(pr.HeadSHA, n.Commit) {
		return Superseded, "", nil
	}
	k := keeper{Forge: f, note: n, text: n.text()}
	if k.login, err = f.Login(ctx); err != nil && store.CodeOf(err) != store.Forbidden {
		return "", "", err
	}
	ours, err := k.ours(ctx)
	switch {
	case err != nil:
		return "", "", err
	case len(ours) > 0:
		return k.edit(ctx, ours)
	case n.Quiet:
		return NotNeeded, "", nil
	case pr.State != "open":
		return Superseded, "", nil
	}
	return k.create(ctx)
}

// keeper keeps one comment.
type keeper struct {
	Forge
	note  Note
	login string // that the token writes as, "" for that of an app or a job, which cannot ask
	text  string
}

// create makes the comment. Another job may have done so meanwhile: then the
// older one stays.
func (k keeper) create(ctx context.Context) (Outcome, string, error) {
	made, err := k.CreateComment(ctx, k.note.Repo, k.note.PR, k.text)
	if err != nil {
		return "", "", err
	}
	ours, err := k.ours(ctx)
	if err != nil || len(ours) < 2 {
		return Created, made.URL, nil // the comment is there, whatever the list says
	}
	return k.edit(ctx, ours)
}

// edit makes the oldest comment say it, and removes the others.
func (k keeper) edit(ctx context.Context, ours []github.Comment) (Outcome, string, error) {
	outcome, url := Unchanged, ours[0].URL
	if !same(ours[0].Body, k.text) {
		edited, err := k.EditComment(ctx, k.note.Repo, ours[0].ID, k.text)
		if err != nil {
			return "", "", err
		}
		outcome, url = Edited, edited.URL
	}
	for _, double := range ours[1:] {
		if err := k.DeleteComment(ctx, k.note.Repo, double.ID); err != nil && store.CodeOf(err) != store.NotFound {
			return outcome, url, err
		}
	}
	return outcome, url, nil
}

// ours returns our comments of this topic, the oldest first. Others may quote
// one: only what we wrote counts, and begins with the mark.
func (k keeper) ours(ctx context.Context) ([]github.Comment, error) {
	all, err := k.Comments(ctx, k.note.Repo, k.note.PR)
	all = slices.DeleteFunc(all, func(c github.Comment) bool {
		return !strings.HasPrefix(c.Body, k.note.mark()) || !k.wrote(c)
	})
	slices.SortFunc(all, func(x, y github.Comment) int { return cmp.Compare(x.ID, y.ID) })
	return all, err
}

// wrote says whether a comment is by whom the token writes as. An app cannot
// ask who it is; no person can write as one.
func (k keeper) wrote(c github.Comment) bool {
	if k.login == "" {
		return c.Bot
	}
	return strings.EqualFold(c.Author, k.login)
}

// mark begins every comment of a topic. Nobody sees it.
func (n Note) mark() string {
	topic := sha256.Sum256([]byte(n.Topic))
	return fmt.Sprintf("<!-- blq:report:%s ", hex.EncodeToString(topic[:6]))
}

func (n Note) text() string { return n.mark() + n.Commit + " -->\n" + n.Body }

// same says whether two bodies are: GitHub changes how lines end, and takes
// blanks off the end.
func same(x, y string) bool {
	plain := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return plain(x) == plain(y)
}
