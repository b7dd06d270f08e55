package comment

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Order decides which of two notes on the same commit is newer. The fields are compared one after another. So a field
// counts only if all fields before it are equal.
type Order struct {
	Run     int64     // ID of the note's workflow run, 0 if the note is about the whole commit
	Attempt int       // attempt of the workflow run
	Seen    int       // higher if the writer of the note has seen more starts and ends of runs
	At      time.Time // when Seen was read
}

func (o Order) String() string {
	return fmt.Sprintf(" run=%d.%d seen=%d at=%d", o.Run, o.Attempt, o.Seen, o.At.UnixMilli())
}

// after reports whether a note with the order o is newer than a note with the order p.
func (o Order) after(p Order) bool {
	return cmp.Or(cmp.Compare(o.Run, p.Run), cmp.Compare(o.Attempt, p.Attempt), cmp.Compare(o.Seen, p.Seen),
		o.At.Compare(p.At)) > 0
}

// known returns the order without the time.
func (o Order) known() Order {
	o.At = time.Time{}
	return o
}

// orderOf returns the order in the text of a comment on this topic. sameCommit reports whether the
// comment is about the same commit as the note.
func (n Note) orderOf(body string) (o Order, sameCommit bool) {
	head, _, _ := strings.Cut(strings.TrimPrefix(body, n.mark()), " -->")
	commit, rest, _ := strings.Cut(head, " ")
	var at int64
	if _, err := fmt.Sscanf(rest, "run=%d.%d seen=%d at=%d", &o.Run, &o.Attempt, &o.Seen, &at); err != nil {
		o, at = Order{}, 0 // an earlier version wrote the comment
	}
	o.At = time.UnixMilli(at)
	return o, strings.EqualFold(commit, n.Commit)
}
