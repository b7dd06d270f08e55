package comment_test

import (
	"slices"
	"testing"

	"github.com/blq-ci/blq/action/comment"
)

// about returns a note by a workflow run. seen has the workflow runs that the note looks at. failed has workflow runs
// with failed jobs.
func about(seen []int64, failed ...int64) comment.Note {
	n := note("note")
	n.Seen, n.Failed = seen, failed
	return n
}

func TestNoNoteHidesFailedJobsOfAnother(t *testing.T) {
	t.Parallel()
	g := newShop(t)
	c := client(t, g, g.Job(shop, writes))
	named := func(want ...int64) {
		t.Helper()
		if got, err := comment.Failed(t.Context(), c, note("")); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
	}
	named()
	keep(t, c, about([]int64{78}), comment.Created)
	keep(t, c, about([]int64{77}, 77), comment.Edited)
	named(77)
	keep(t, c, about([]int64{78}), comment.Incomplete)
	keep(t, c, about([]int64{78}, 78), comment.Incomplete)
	keep(t, c, about([]int64{78, 77}, 77, 78), comment.Edited)
	named(77, 78)
	keep(t, c, about([]int64{77, 78}, 77, 78), comment.Unchanged)
	keep(t, c, about([]int64{77, 78}), comment.Edited)
	named()
	other := note("of another commit")
	other.Commit = head[1:] + "b"
	g.Push(shop, number, other.Commit)
	keep(t, c, other, comment.Edited)
}

// A note is not written if the comment shows a newer note. If only the older note knows a failed job, the outcome is
// Incomplete.
func TestALateNoteKeepsItsFailedJobs(t *testing.T) {
	t.Parallel()
	g := newShop(t)
	c := client(t, g, g.Job(shop, writes))
	newer, late := about([]int64{78}), about([]int64{77}, 77)
	newer.Order.Seen, late.Order.Seen = 2, 1
	keep(t, c, newer, comment.Created)
	keep(t, c, late, comment.Incomplete)
	late.Failed = nil
	keep(t, c, late, comment.Superseded)
}
