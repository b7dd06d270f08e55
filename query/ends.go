package query

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/blq-ci/blq/store/chunk"
)

// LeftOut returns the line that an excerpt of a log shows in place of the lines from..to.
func LeftOut(from, to int) string { return fmt.Sprintf("… lines %d-%d are left out …\n", from, to) }

// ends collects the first lines and the last lines of a log. Between them it puts a line that says which lines are left
// out. If there is not enough room, it leaves out more lines in the middle.
func (c *content) ends(ctx context.Context, log *chunk.Reader) error {
	p := c.params
	if p.Head+p.Tail >= c.out.Total {
		c.params.Head, c.params.Tail = 0, 0
		return c.read(ctx, log)
	}
	mark := len(LeftOut(c.out.Total, c.out.Total))
	begin, end := *c.out, *c.out
	var text strings.Builder
	first, last := content{params: p, out: &begin, to: c.to}, content{params: p, out: &end, to: &text}
	first.params.Tail, last.params.Head = 0, 0
	if p.MaxBytes > 0 {
		first.params.MaxBytes = max(1, (p.MaxBytes-mark)/2)
	}
	if err := first.read(ctx, log); err != nil {
		return err
	}
	if p.MaxBytes > 0 {
		last.params.MaxBytes = max(1, p.MaxBytes-mark-first.size)
	}
	if err := last.read(ctx, log); err != nil {
		return err
	}
	from, to := first.last+1, last.first-1
	if _, err := io.WriteString(c.to, LeftOut(from, to)+text.String()); err != nil {
		return err
	}
	c.first, c.last = first.first, last.last
	c.out.Returned = begin.Returned + end.Returned
	c.out.CutLine = cmp.Or(begin.CutLine, end.CutLine)
	if begin.RestFrom > 0 || end.RestFrom > 0 {
		c.out.RestFrom, c.out.RestTo = from, to
	}
	return nil
}
