package store

import (
	"context"
	"encoding/json"
	"time"
	"unicode/utf8"
)

// Note is an addition to the report on a pull request. An author has at most one note on each pull request.
type Note struct {
	Repo   string `json:"-"` // owner/name
	PR     int    `json:"-"`
	Author string `json:"-"` // caller who asked for the note
	Rev    int64  `json:"-"` // revision of the note; a later note on the pull request has a higher revision

	Text   string `json:"text,omitempty"`   // "" to post only the report
	Cut    int    `json:"cut,omitempty"`    // number of characters that were cut at the end
	Format string `json:"format,omitempty"` // format of the report on the pull request
	Check  bool   `json:"check,omitempty"`  // whether to post a check run, too
	Commit string `json:"commit,omitempty"` // newest commit that was known when the note was written, "" for none

	At     time.Time `json:"-"`
	Posted Posting   `json:"-"` // zero until the first attempt to post
}

// Posting is the result of posting the report with a note.
type Posting struct {
	State PostState `json:"state"`
	URL   string    `json:"url,omitempty"` // URL of the comment
	Why   string    `json:"why,omitempty"` // reason why the report is not posted
}

// PostState says what happened to the report for which a note asked.
type PostState string

// These are the states of such a report.
const (
	PostDone    PostState = "posted"
	PostWaiting PostState = "waiting"         // the service will try to post it again
	PostLeft    PostState = "left to the job" // a job writes the comment on this pull request, so the service does not
	PostLocked  PostState = "locked"          // nobody may comment on the pull request
	PostClosed  PostState = "closed"          // the pull request is closed and has no comment
	PostGone    PostState = "gone"            // GitHub has no such pull request, or does not show it to the service
	PostRefused PostState = "refused"         // GitHub rejects the comment
)

// These limits bound notes. A longer text is refused. If there are more notes, the oldest notes are removed.
const (
	MaxNoteText  = 4000 // characters
	MaxPullNotes = 20   // notes per pull request
	MaxNotes     = 5000 // notes per repository
)

// Notes stores the notes on pull requests.
type Notes interface {
	// PutNote replaces the author's earlier note, and returns the stored note. If the new note is equal to the earlier
	// note, and the earlier note is posted or will be posted, PutNote changes nothing (see Note.Stays). The error is
	// Invalid if the repository, pull request, author or time is missing, or a text or name is too long.
	PutNote(ctx context.Context, n Note) (Note, error)

	// Notes returns the notes on a pull request, oldest first.
	Notes(ctx context.Context, sc Scope, repo string, pr int) ([]Note, error)

	// MarkNotes records the result of posting the notes up to a revision.
	MarkNotes(ctx context.Context, repo string, pr int, rev int64, p Posting) error
}

// Checked returns a note in the form that engines store. Invalid: see Notes.PutNote.
func (n Note) Checked() (Note, error) {
	const maxName = 4096
	if !IsRepoName(n.Repo) || n.PR <= 0 || n.Author == "" || n.At.IsZero() ||
		utf8.RuneCountInString(n.Text) > MaxNoteText || max(len(n.Author), len(n.Format), len(n.Commit)) > maxName {
		return n, Errorf(Invalid, "note of %.80q on pull request %d of %.80q", n.Author, n.PR, n.Repo)
	}
	n.At = n.At.UTC().Truncate(time.Microsecond)
	return n, nil
}

// Stays reports whether PutNote keeps the stored note n: it is equal to the note update, and it is posted or will be
// posted.
func (n Note) Stays(update Note) bool {
	done := n.Posted.State == "" || n.Posted.State == PostDone || n.Posted.State == PostWaiting
	return done && n.Text == update.Text && n.Cut == update.Cut && n.Format == update.Format && n.Check == update.Check &&
		n.Commit == update.Commit
}

// Body returns the part of the note that engines store in one column.
func (n Note) Body() (string, error) {
	text, err := json.Marshal(n)
	return string(text), err
}

// ReadBodies parses the result of Body, and a Posting in JSON.
func (n *Note) ReadBodies(body, posted string) error {
	if err := json.Unmarshal([]byte(body), n); err != nil {
		return err
	}
	return json.Unmarshal([]byte(posted), &n.Posted)
}
