package comment_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/action/comment"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/githubtest"
)

// ordered returns a note that is newer than all notes with a lower number.
func ordered(n int) comment.Note {
	c := note("note " + string(rune('0'+n)))
	c.Order = comment.Order{Seen: n}
	return c
}

// shows checks that there is one comment and that it has note n.
func shows(t *testing.T, g *githubtest.GitHub, n int) {
	t.Helper()
	if all := g.Comments(shop, number); len(all) != 1 || !strings.HasSuffix(all[0].Body, "-->\n"+ordered(n).Body) {
		t.Errorf("%+v", all)
	}
}

func TestANewerNoteStays(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_700_000_000_000)
	older := comment.Order{Run: 10, Attempt: 2, Seen: 5, At: at}
	for name, newer := range map[string]comment.Order{
		"another run":       {Run: 11, Attempt: 1, Seen: 1},
		"another attempt":   {Run: 10, Attempt: 3, Seen: 1},
		"more runs":         {Run: 10, Attempt: 2, Seen: 6},
		"asked later":       {Run: 10, Attempt: 2, Seen: 5, At: at.Add(time.Millisecond)},
		"of a fast's clock": {Run: 10, Attempt: 2, Seen: 6, At: at.Add(-time.Hour)},
	} {
		g := newShop(t)
		c := client(t, g, g.Job(shop, writes))
		first, second := note("older"), note("newer")
		first.Order, second.Order = older, newer
		keep(t, c, first, comment.Created)
		keep(t, c, second, comment.Edited)
		if keep(t, c, first, comment.Superseded); !strings.HasSuffix(g.Comments(shop, number)[0].Body, "newer") {
			t.Errorf("%s: %s", name, g.Comments(shop, number)[0].Body)
		}
	}
}

// A newer note with the same text still changes the order in the comment. Otherwise a late writer could replace the
// comment with an older note.
func TestTheSameNoteIsNewerToo(t *testing.T) {
	t.Parallel()
	g := newShop(t)
	c := client(t, g, g.Job(shop, writes))
	keep(t, c, ordered(1), comment.Created)
	third := ordered(1)
	third.Order.Seen = 3
	keep(t, c, third, comment.Edited)
	keep(t, c, third, comment.Unchanged)
	keep(t, c, ordered(2), comment.Superseded)
	shows(t, g, 1)
}

func TestAnotherCommitsNoteIsReplaced(t *testing.T) {
	t.Parallel()
	g := newShop(t)
	c := client(t, g, g.Job(shop, writes))
	keep(t, c, ordered(9), comment.Created)
	g.Push(shop, number, strings.Repeat("c", 40))
	n := ordered(1)
	n.Commit = strings.Repeat("c", 40)
	keep(t, c, n, comment.Edited)
	shows(t, g, 1)
}

// slow is the GitHub client of a slow writer. It calls before once, directly before it writes a comment.
type slow struct {
	*github.Client
	before func()
}

func (s *slow) wait() {
	if do := s.before; do != nil {
		s.before = nil
		do()
	}
}

func (s *slow) EditComment(ctx context.Context, repo string, id int64, body string) (github.Comment, error) {
	s.wait()
	return s.Client.EditComment(ctx, repo, id, body)
}

func (s *slow) CreateComment(ctx context.Context, repo string, number int, body string) (github.Comment, error) {
	s.wait()
	return s.Client.CreateComment(ctx, repo, number, body)
}

// TestWritersAtATime checks that the newer of two notes stays, whichever writer is slow. The slow writer reads the
// comment before the other writes, and writes after it.
func TestWritersAtATime(t *testing.T) {
	t.Parallel()
	for _, exists := range []bool{true, false} {
		for _, slowly := range []int{2, 3} { // the note of the slow writer
			g := newShop(t)
			c := client(t, g, g.Job(shop, writes))
			if exists {
				keep(t, c, ordered(1), comment.Created)
			}
			fast := ordered(5 - slowly)
			written, overtaken, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
			fast.Settle = func(context.Context) error {
				select {
				case <-written:
				default:
					close(written)
				}
				<-overtaken
				return nil
			}
			s := &slow{Client: c, before: func() {
				go func() {
					defer close(done)
					if _, _, err := comment.Keep(t.Context(), c, fast); err != nil {
						t.Error(err)
					}
				}()
				<-written
			}}
			n := ordered(slowly)
			n.Settle = func(context.Context) error {
				select {
				case <-overtaken:
				default:
					close(overtaken)
				}
				<-done
				return nil
			}
			if _, _, err := comment.Keep(t.Context(), s, n); err != nil {
				t.Error(err)
			}
			<-done
			shows(t, g, 3)
		}
	}
}

// After a failed write, the writer reads the comment again. It repeats the write only if the comment is still older
// than its note.
func TestARetryReadsAgain(t *testing.T) {
	t.Parallel()
	for _, meanwhile := range []int{1, 3} {
		g := newShop(t)
		job := g.Job(shop, writes)
		c := client(t, g, job)
		keep(t, c, ordered(0), comment.Created)
		patient, err := github.New(github.Config{API: g.URL, Token: job, Wait: func(context.Context, time.Duration) error {
			keep(t, c, ordered(meanwhile), comment.Edited)
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		g.Fault("PATCH ", 1, githubtest.Broken(502))
		want := comment.Edited
		if meanwhile > 2 {
			want = comment.Superseded
		}
		keep(t, patient, ordered(2), want)
		shows(t, g, max(2, meanwhile))
	}
}
