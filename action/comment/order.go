package comment

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Order says which of two notes on the same commit is newer. Numbers that the server or GitHub counts matter more than
// the time of a clock.
type Order struct {
	Run     int64     // workflow run that the note is about, 0 for all of the commit
	Attempt int       // of the workflow run
	Seen    int       // grows with each run that is known to have started or ended
	At      time.Time // when that was asked; only where all else is equal
}

func (o Order) String() string {
	return fmt.Sprintf(" run=%d.%d seen=%d at=%d", o.Run, o.Attempt, o.Seen, o.At.UnixMilli())
}

// after reports whether a note is newer than another one.
func (o Order) after(p Order) bool {
	return cmp.Or(cmp.Compare(o.Run, p.Run), cmp.Compare(o.Attempt, p.Attempt), cmp.Compare(o.Seen, p.Seen),
		o.At.Compare(p.At)) > 0
}

// known returns the order without the time.
func (o Order) known() Order {
	o.At = time.Time{}
	return o
}

// orderOf returns the order of a comment on this topic, and whether it is about this commit.
func (n Note) orderOf(body string) (o Order, on bool) {
	head, _, _ := strings.Cut(strings.TrimPrefix(body, n.mark()), " -->")
	commit, rest, _ := strings.Cut(head, " ")
	var at int64
	if _, err := fmt.Sscanf(rest, "run=%d.%d seen=%d at=%d", &o.Run, &o.Attempt, &o.Seen, &at); err != nil {
		o, at = Order{}, 0 // of an earlier version
	}
	o.At = time.UnixMilli(at)
	return o, strings.EqualFold(commit, n.Commit)
}
