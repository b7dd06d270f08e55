// Package comment keeps one comment on a pull request: it creates it once and then edits it. It may
// import internal/github and store.
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

// Forge is the part of GitHub's API that keeping a comment needs.
type Forge interface {
	github.Commenter
	Pull(ctx context.Context, repo string, number int) (github.Pull, error)
	Login(ctx context.Context) (string, error)
}

// Note is the content of a comment.
type Note struct {
	Repo   string
	PR     int
	Topic  string // distinguishes several comments on one pull request; "" if there is one
	Commit string // the commit it is about; once the pull request has a newer one, nothing is written
	Body   string // Markdown, max MaxBody characters
	// Quiet creates no comment when there is none yet.
	Quiet bool
}

// MaxBody is the max number of characters of Markdown beside the mark of the comment.
const MaxBody = github.MaxComment - 200

// Outcome says what Keep did.
type Outcome string

// The outcomes.
const (
	Created    Outcome = "created"
	Edited     Outcome = "edited"
	Unchanged  Outcome = "unchanged"  // the comment says it already
	Superseded Outcome = "superseded" // the pull request has a newer commit, or is closed and has no comment
	NotNeeded  Outcome = "not needed" // the note is quiet and there is no comment
)

// Keep makes the comment on a pull request show a note. It returns the URL of the comment, "" if
// there is none. Errors: forbidden when the token may not write comments.
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
	login string // login name of the token's user, "" for an app or a job, which have none
	text  string
}

// create creates the comment. If another job created one meanwhile, the older one stays.
func (k keeper) create(ctx context.Context) (Outcome, string, error) {
	made, err := k.CreateComment(ctx, k.note.Repo, k.note.PR, k.text)
	if err != nil {
		return "", "", err
	}
	ours, err := k.ours(ctx)
	if err != nil || len(ours) < 2 {
		return Created, made.URL, nil // the comment exists, even if listing fails
	}
	return k.edit(ctx, ours)
}

// edit changes the oldest comment and deletes the others.
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

// ours returns our comments on this topic, oldest first. A comment counts only if it begins with
// the mark and the token's owner wrote it, because others may quote one.
func (k keeper) ours(ctx context.Context) ([]github.Comment, error) {
	all, err := k.Comments(ctx, k.note.Repo, k.note.PR)
	all = slices.DeleteFunc(all, func(c github.Comment) bool {
		return !strings.HasPrefix(c.Body, k.note.mark()) || !k.wrote(c)
	})
	slices.SortFunc(all, func(x, y github.Comment) int { return cmp.Compare(x.ID, y.ID) })
	return all, err
}

// wrote reports whether the token's owner wrote a comment. An app cannot ask who it is, but no
// person can write as an app.
func (k keeper) wrote(c github.Comment) bool {
	if k.login == "" {
		return c.Bot
	}
	return strings.EqualFold(c.Author, k.login)
}

// mark returns the invisible first line of every comment on a topic.
func (n Note) mark() string {
	topic := sha256.Sum256([]byte(n.Topic))
	return fmt.Sprintf("<!-- blq:report:%s ", hex.EncodeToString(topic[:6]))
}

func (n Note) text() string { return n.mark() + n.Commit + " -->\n" + n.Body }

// same reports whether two bodies are equal for GitHub, which changes line ends and trims blanks at
// the end.
func same(x, y string) bool {
	plain := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return plain(x) == plain(y)
}
