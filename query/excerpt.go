package query

import (
	"context"

	"github.com/blq-ci/blq/store"
)

// Excerpt returns the most useful log lines of an event, up to limit, with … for lines that are left out. It selects
// the event's first and last line and the lines about the failure, without frames of libraries. For an event without a
// place in the log it returns no lines.
func (a *Asker) Excerpt(ctx context.Context, r store.Run, e store.Event, limit int) ([]string, error) {
	if e.LogLine == 0 {
		return nil, nil
	}
	last := min(max(e.LogLine, e.LogLineEnd), e.LogLine+longestReport)
	x := extent{limit, 300, 100 * limit}
	var list []logLine
	for l, err := range a.log(r, e.Stream).Scan(ctx, e.LogLine, last) {
		if err != nil {
			return nil, err
		}
		text := logText(l.Text, x.width)
		list = append(list, logLine{l.Number, text, weigh(text, e)})
	}
	quieten(list)
	emphasize(list, e.LogLine, last, false)
	var lines []string
	before := 0
	for _, l := range heaviest(list, x) {
		if before > 0 && l.number > before+1 {
			lines = append(lines, "…")
		}
		lines = append(lines, l.text)
		before = l.number
	}
	return lines, nil
}
