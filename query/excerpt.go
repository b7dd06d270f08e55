package query

import (
	"context"

	"github.com/blq-ci/blq/store"
)

// Excerpt returns the most useful log lines of an event, at most limit lines. A line … stands for lines that are left
// out. Excerpt selects the event's first line, its last line, and the lines about the failure, but no stack frames of
// libraries. It returns no lines for an event without a place in the log.
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
