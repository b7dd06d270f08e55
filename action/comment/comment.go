// Package comment writes one comment on a pull request. It creates the comment with the first note, and edits the
// comment for later notes. The package may import internal/github and store.
package comment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/store"
)

// Forge is the part of GitHub's API that package comment needs.
type Forge interface {
	github.Commenter
	Pull(ctx context.Context, repo string, number int) (github.Pull, error)
	Login(ctx context.Context) (string, error)
	// Pause waits until a failed request may succeed. It returns false if a retry makes no sense.
	Pause(ctx context.Context, err error) bool
}

// Note is the content of a comment.
type Note struct {
	Repo   string
	PR     int
	Topic  string // distinguishes comments of this program on one pull request; "" if there is only one
	Commit string // commit of the note; if the pull request has a newer commit, Keep writes nothing
	Body   string // Markdown, at most MaxBody characters
	Order  Order  // decides which of two notes on the same commit is newer
	// Failed holds the IDs of workflow runs with failed jobs in which blq saw no failed step. A later note on the
	// commit must look at these workflow runs, too, so that it does not hide their failures.
	Failed []int64
	Seen   []int64 // IDs of the workflow runs that the note looks at
	// Quiet prevents Keep from creating a comment. An existing comment is still edited.
	Quiet bool
	// Settle waits until other jobs have certainly finished the writes that they began before the last write of Keep.
	// Then Keep reads the comment once more. Settle may be nil.
	Settle func(context.Context) error
}

// MaxBody is the max number of characters of Markdown in a comment, without the mark.
const MaxBody = github.MaxComment - 300

// Outcome is the result of Keep.
type Outcome string

// These are the outcomes of Keep.
const (
	Created    Outcome = "created"
	Edited     Outcome = "edited"
	Unchanged  Outcome = "unchanged"  // the comment already shows the note
	Superseded Outcome = "superseded" // the pull request has a newer commit or note, or is closed and has no comment
	NotNeeded  Outcome = "not needed" // the note is quiet and there is no comment
	// Incomplete means that the note must look at further workflow runs with failed jobs. Failed returns their IDs.
	// Keep wrote nothing, unless it found these workflow runs only after it had written the note.
	Incomplete Outcome = "incomplete"
)

// Keep writes a note into the comment on a pull request. It does not replace a newer note. Other jobs may write at the
// same time. So Keep reads the comment before and after it writes. It returns the outcome and the comment's URL. The
// URL is "" if there is no comment, or if the pull request already had a newer commit. The error is Forbidden if the
// token may not write comments, and Unavailable if GitHub does not answer before ctx ends.
func Keep(ctx context.Context, f Forge, n Note) (Outcome, string, error) {
	k := keeper{Forge: f, note: n, text: n.text()}
	var err error
	if k.login, err = f.Login(ctx); err != nil && store.CodeOf(err) != store.Forbidden {
		return "", "", err
	}
	outcome, url, err := k.try(ctx)
	for try := 1; try < maxTries && err == nil && (outcome == Created || outcome == Edited); try++ {
		if n.Settle != nil && n.Settle(ctx) != nil {
			break // the comment is written, but there is no time to read it again
		}
		again, _, err := k.try(ctx)
		if err != nil || again == Unchanged {
			break
		}
		if again == Superseded || again == Incomplete {
			return again, url, nil
		}
	}
	return outcome, url, err
}

// maxTries is the max number of times that Keep writes a note, and the max number of tries of each write.
const maxTries = 4

// keeper is the state of Keep for one note.
type keeper struct {
	Forge
	note  Note
	login string // login name of the token's user; "" for an app or a job
	text  string
	made  *github.Comment // the comment that Keep has created, nil for none
}

// try reads the comments, and writes the note if necessary. It returns the outcome and the URL of the comment. If a
// request fails and may succeed later, try waits, and then reads the comments again.
func (k *keeper) try(ctx context.Context) (Outcome, string, error) {
	for try := 1; ; try++ {
		outcome, url, err := k.once(ctx)
		if err == nil || try == maxTries || !k.Pause(ctx, err) {
			return outcome, url, err
		}
	}
}

func (k *keeper) once(ctx context.Context) (Outcome, string, error) {
	pr, err := k.Pull(ctx, k.note.Repo, k.note.PR)
	if err != nil {
		return "", "", err
	}
	if !strings.EqualFold(pr.HeadSHA, k.note.Commit) {
		return Superseded, "", nil
	}
	ours, err := k.ours(ctx)
	switch {
	case err != nil:
		return "", "", err
	case len(ours) > 0:
		return k.edit(ctx, ours)
	case k.made != nil: // GitHub's list may be older than the comment
		return Unchanged, k.made.URL, nil
	case k.note.Quiet:
		return NotNeeded, "", nil
	case pr.State != "open":
		return Superseded, "", nil
	}
	made, err := k.CreateComment(github.Once(ctx), k.note.Repo, k.note.PR, k.text)
	if err == nil {
		k.made = &made
	}
	return Created, made.URL, err
}

// edit writes the note into the oldest comment, unless this comment shows a newer note. It deletes the other comments,
// which jobs that began at the same time may have created. edit changes nothing if one of the other comments shows a
// newer note, because the writer of that note edits and deletes the comments. It also changes nothing if the note is
// incomplete. It returns the outcome and a comment's URL.
func (k keeper) edit(ctx context.Context, ours []github.Comment) (Outcome, string, error) {
	for i, c := range ours {
		order, on := k.note.orderOf(c.Body)
		newer := on && order.after(k.note.Order)
		switch {
		case k.note.lacks(c.Body), newer && k.note.exceeds(c.Body):
			return Incomplete, c.URL, nil
		case newer && i == 0:
			return Superseded, c.URL, k.remove(ctx, ours[1:])
		case newer:
			return Superseded, c.URL, nil
		}
	}
	outcome, url := Unchanged, ours[0].URL
	if order, on := k.note.orderOf(ours[0].Body); !on || order.known() != k.note.Order.known() ||
		!same(ours[0].Body, k.text) || !slices.Equal(k.note.failedIn(ours[0].Body), k.note.Failed) {
		edited, err := k.EditComment(github.Once(ctx), k.note.Repo, ours[0].ID, k.text)
		if store.CodeOf(err) == store.NotFound {
			err = store.Later(err, 0) // somebody has just deleted the comment
		}
		if err != nil {
			return "", "", err
		}
		outcome, url = Edited, edited.URL
	}
	return outcome, url, k.remove(ctx, ours[1:])
}

func (k keeper) remove(ctx context.Context, doubles []github.Comment) error {
	for _, double := range doubles {
		if err := k.DeleteComment(ctx, k.note.Repo, double.ID); err != nil && store.CodeOf(err) != store.NotFound {
			return err
		}
	}
	return nil
}

// ours returns the comments of this program on the note's topic, oldest first. Such a comment begins with the mark,
// and the owner of the token wrote it. The mark is not enough, because other users may quote the comment.
func (k keeper) ours(ctx context.Context) ([]github.Comment, error) {
	all, err := k.Comments(ctx, k.note.Repo, k.note.PR)
	all = slices.DeleteFunc(all, func(c github.Comment) bool {
		return !strings.HasPrefix(c.Body, k.note.mark()) || !k.wrote(c)
	})
	sort.Slice(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	return all, err
}

// wrote reports whether the owner of the token wrote a comment. If the owner is an app, k.login is "",
// because an app cannot ask for its own name. Then every comment of an app counts, because no person
// can write as an app.
func (k keeper) wrote(c github.Comment) bool {
	if k.login == "" {
		return c.Bot
	}
	return strings.EqualFold(c.Author, k.login)
}

// Mark begins the invisible first line of every comment, on any topic.
const Mark = "<!-- blq:report:"

// mark returns the beginning of the invisible first line of every comment on the note's topic.
func (n Note) mark() string {
	topic := sha256.Sum256([]byte(n.Topic))
	return fmt.Sprintf(Mark+"%s ", hex.EncodeToString(topic[:6]))
}

func (n Note) text() string {
	return n.mark() + n.Commit + n.Order.String() + n.failed() + " -->\n" + n.Body
}

// same reports whether two comments have equal bodies on GitHub. GitHub changes line ends and trims spaces at the end.
func same(x, y string) bool {
	plain := func(s string) string {
		_, body, _ := strings.Cut(s, "-->")
		return strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))
	}
	return plain(x) == plain(y)
}
