package store

import (
	"context"
	"encoding/json"
	"time"
	"unicode/utf8"
)

// Note is what somebody has added to the report on a pull request. An author has at most one on each.
type Note struct {
	Repo   string `json:"-"` // owner/name
	PR     int    `json:"-"`
	Author string `json:"-"` // who asked for it
	Rev    int64  `json:"-"` // grows with each note that is put on the pull request

	Text   string `json:"text,omitempty"`   // "" where only the report is wanted
	Cut    int    `json:"cut,omitempty"`    // characters that were left out at the end
	Format string `json:"format,omitempty"` // of the report
	Check  bool   `json:"check,omitempty"`  // a check run is wanted, too
	Commit string `json:"commit,omitempty"` // newest known one of the pull request when the note was put, "" for none

	At     time.Time `json:"-"`
	Posted Posting   `json:"-"` // zero until somebody has tried
}

// Posting says how the report with a note was posted.
type Posting struct {
	State PostState `json:"state"`
	URL   string    `json:"url,omitempty"` // of the comment
	Why   string    `json:"why,omitempty"` // it is not posted
}

// PostState is the state of a report that somebody wants to be posted.
type PostState string

// These are the states.
const (
	PostDone    PostState = "posted"
	PostWaiting PostState = "waiting"         // it is tried again
	PostLeft    PostState = "left to the job" // a job keeps the comment on this pull request
	PostLocked  PostState = "locked"          // nobody may comment on the pull request
	PostClosed  PostState = "closed"          // the pull request is, and has no comment
	PostGone    PostState = "gone"            // GitHub has no such pull request, or does not show it
	PostRefused PostState = "refused"         // GitHub does not take it
)

// These bound notes. The oldest ones are removed.
const (
	MaxNoteText  = 4000 // characters
	MaxPullNotes = 20   // of a pull request
	MaxNotes     = 5000 // of a repository
)

// Notes keeps the notes on pull requests.
type Notes interface {
	// PutNote puts a note in the place of the author's earlier one, and returns it as it is now. A note that says the
	// same as the earlier one changes nothing, unless GitHub has refused the earlier one. Invalid: it has no
	// repository, pull request, author or time, or a text that is too long.
	PutNote(ctx context.Context, n Note) (Note, error)

	// Notes returns the notes on a pull request, oldest first.
	Notes(ctx context.Context, sc Scope, repo string, pr int) ([]Note, error)

	// MarkNotes notes how the notes up to a revision were posted.
	MarkNotes(ctx context.Context, repo string, pr int, rev int64, p Posting) error
}

// Checked returns a note as engines store it. Invalid: see Notes.PutNote.
func (n Note) Checked() (Note, error) {
	const maxName = 4096
	if !IsRepoName(n.Repo) || n.PR <= 0 || n.Author == "" || n.At.IsZero() ||
		utf8.RuneCountInString(n.Text) > MaxNoteText || max(len(n.Author), len(n.Format), len(n.Commit)) > maxName {
		return n, Errorf(Invalid, "note of %.80q on pull request %d of %.80q", n.Author, n.PR, n.Repo)
	}
	n.At = n.At.UTC().Truncate(time.Microsecond)
	return n, nil
}

// Stays reports whether a note stays as it is when another note is put in its place.
func (n Note) Stays(other Note) bool {
	done := n.Posted.State == "" || n.Posted.State == PostDone || n.Posted.State == PostWaiting
	return done && n.Text == other.Text && n.Cut == other.Cut && n.Format == other.Format && n.Check == other.Check &&
		n.Commit == other.Commit
}

// Body returns what engines store of the note in one column.
func (n Note) Body() (string, error) {
	text, err := json.Marshal(n)
	return string(text), err
}

// ReadBodies reads what Body has returned, and a Posting as JSON.
func (n *Note) ReadBodies(body, posted string) error {
	if err := json.Unmarshal([]byte(body), n); err != nil {
		return err
	}
	return json.Unmarshal([]byte(posted), &n.Posted)
}
