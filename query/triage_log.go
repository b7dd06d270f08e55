package query

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// extent is the max size of a log excerpt.
type extent struct{ lines, width, bytes int }

// extents returns the max size of the log lines of group i. The first group is the most important, so it gets the most
// lines.
func extents(i int) extent {
	switch {
	case i == 0:
		return extent{16, 240, 1600}
	case i < 3:
		return extent{8, 200, 700}
	}
	return extent{4, 160, 360}
}

const (
	longestReport = 800 // lines of an event that are searched for useful lines
	tailLooked    = 400 // lines at the end of a log that are searched for useful lines
)

// logLine is a line of an excerpt.
type logLine struct {
	number int
	text   string
	weight int
}

// These are the weights of lines. Noise is never shown. Of the other lines, those with the lowest weights are the first
// to be left out of an excerpt.
const (
	noise    = 0
	plain    = 10
	nearby   = 20
	telltale = 70
)

// logText returns a log line for an excerpt: cleaned, without the prefix of the CI system, and cut to a max width.
func logText(s string, width int) string {
	s = strings.TrimRight(s, "\r")
	if i := strings.LastIndexByte(s, '\r'); i >= 0 { // drop text that the terminal has overwritten
		s = s[i+1:]
	}
	return clipRight(strings.TrimPrefix(parse.CutTimestamp(Clean(s)), "##[error]"), width)
}

func clipRight(s string, n int) string {
	s = strings.TrimRight(s, " \t")
	if len(s) <= n {
		return s
	}
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// excerpt returns the most useful log lines of an event in group i, up to the size that extents allows. From a long
// report it prefers the first line, the last line, and the lines about the failure. It leaves out noise.
func (s *sorter) excerpt(ctx context.Context, e store.Event, i int) (string, error) {
	if e.LogLine == 0 {
		return "", nil
	}
	if err := s.beside(ctx, e); err != nil {
		return "", err
	}
	x := extents(i)
	last := min(max(e.LogLine, e.LogLineEnd), e.LogLine+longestReport)
	var list []logLine
	quoted := false // the line before was a Python frame of library code, so this line is its source
	for l, err := range s.log(s.run, e.Stream).Scan(ctx, max(1, e.LogLine-2), last+2) {
		if err != nil {
			return "", err
		}
		line := logLine{l.Number, logText(l.Text, x.width), noise}
		switch {
		case quoted && !parse.SpeaksOfFailure(line.text):
		case l.Number >= e.LogLine && l.Number <= last:
			line.weight = weigh(line.text, e)
		case belongs(e, l.Number, last) && !s.lines[l.Number] && !parse.IsRoutine(line.text):
			line.weight = nearby
		}
		quoted = strings.Contains(line.text, `  File "`) && line.weight == noise
		list = append(list, line)
	}
	quieten(list)
	emphasize(list, e.LogLine, last, last-e.LogLine < 8)
	return render(heaviest(list, x)), nil
}

// beside records on which log lines the errors near e begin. It does nothing if all errors of the run were read,
// because these lines are then known.
func (s *sorter) beside(ctx context.Context, e store.Event) error {
	if !s.bySample {
		return nil
	}
	const near = 3 // max number of errors to read before e and after e
	f := ofErrors(s.run)
	f.After, f.Limit = max(0, e.ID-near-1), 2*near+1
	page, err := s.Store.Events(ctx, s.Scope, f)
	for _, other := range page.Events {
		s.lines[other.LogLine] = true
	}
	return err
}

// belongs reports whether a line outside the log lines of an error belongs to the error's report. Such lines come
// before a short report, or after a report of one line. Reports of linters and type checkers have no such lines.
func belongs(e store.Event, line, last int) bool {
	switch {
	case e.Category == store.CategoryLint || e.Category == store.CategoryType:
		return false
	case line < e.LogLine:
		return last-e.LogLine < 3
	}
	return last == e.LogLine
}

// weigh returns the weight of a line in a report. A line that explains the failure better has a higher weight.
func weigh(text string, e store.Event) int {
	switch {
	case parse.IsRoutine(text):
		return noise
	case e.File != "" && e.Line > 0 && strings.Contains(text, path.Base(e.File)+":"+itoa(e.Line)):
		return telltale + 5
	case parse.IsRunnerMark(text):
		return telltale + 15
	case parse.IsFrame(text):
		if parse.IsForeignFrame(text) {
			return noise
		}
		if e.File != "" && strings.Contains(text, path.Base(e.File)) {
			return telltale
		}
		return plain + 5
	case parse.SpeaksOfFailure(text):
		return telltale
	}
	return plain
}

// quieten lowers the weight of unmarked lines with words such as "failed" if a test runner has marked the lines about
// the failure. An unmarked line may be source code that did not run.
func quieten(list []logLine) {
	if !slices.ContainsFunc(list, func(l logLine) bool { return l.weight == telltale+15 }) {
		return
	}
	for i, l := range list {
		if l.weight == telltale {
			list[i].weight = plain + 5
		}
	}
}

// emphasize raises the weights of the first line of a report, and of its last line that is not noise. In a short report
// it raises the weights of all lines that are not noise.
func emphasize(list []logLine, first, last int, short bool) {
	for i, l := range list {
		switch {
		case l.number == first:
			list[i].weight = telltale + 30
		case short && l.number > first && l.number <= last && l.weight > noise:
			list[i].weight = max(l.weight, telltale)
		}
	}
	for i := len(list) - 1; i >= 0; i-- {
		if l := list[i]; l.number <= last && l.number >= first && l.weight > noise {
			list[i].weight = max(l.weight, telltale)
			return
		}
	}
}

// heaviest returns the lines with the highest weights that fit into an excerpt, in log order. If weights are equal, it
// prefers later lines, because the failure is at the end of a report.
func heaviest(list []logLine, x extent) []logLine {
	byWeight := slices.DeleteFunc(slices.Clone(list), func(l logLine) bool { return l.weight == noise })
	sort.Slice(byWeight, func(i, j int) bool {
		p, q := byWeight[i], byWeight[j]
		return cmp.Or(cmp.Compare(q.weight, p.weight), cmp.Compare(q.number, p.number)) < 0
	})
	var keep []logLine
	size := 0
	for _, l := range byWeight {
		if size += len(l.text) + 12; len(keep) == x.lines || size > x.bytes && len(keep) > 0 {
			break
		}
		keep = append(keep, l)
	}
	sort.Slice(keep, func(i, j int) bool { return keep[i].number < keep[j].number })
	return keep
}

// render returns the lines as text with line numbers. It puts >>> before the most useful lines, and … in place of lines
// that are left out.
func render(list []logLine) string {
	if len(list) == 0 {
		return ""
	}
	width := len(itoa(list[len(list)-1].number))
	var b strings.Builder
	for i, l := range list {
		if i > 0 && l.number > list[i-1].number+1 {
			b.WriteString("    …\n")
		}
		mark := "   "
		if l.weight >= telltale {
			mark = ">>>"
		}
		fmt.Fprintf(&b, "%s %*d | %s\n", mark, width, l.number, l.text)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
