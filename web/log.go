package web

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

const (
	window      = 600     // number of lines on a page
	before      = 12      // number of lines before the requested line
	ending      = 100     // number of lines before the end of the log in a window at the end
	windowBytes = 2 << 20 // max bytes of text on a page
	maxMarks    = 5000    // max marked errors and warnings
	maxMarked   = 200     // max marked lines of an error or warning
)

// line is a line of a log.
type line struct {
	Number int    `json:"n"`
	Spans  []span `json:"s"`
	Mark   string `json:"-"` // severity of the event to which the line belongs: error or warning, "" for none
	Ref    string `json:"-"` // reference of the event
	At     bool   `json:"-"` // the line is the requested line
	ID     bool   `json:"-"` // links may point to the line
}

// logWindow is the part of a log that a page shows.
type logWindow struct {
	Ref      string
	Stream   string
	Streams  []string
	Total    int
	From, To int
	Lines    []line
	// Earlier is the first line of the window before this window, and Later is the first line of the window after it.
	// Each is 0 if there is no such window.
	Earlier, Later int
	End            int // a line near the end of the log
	// PreviousError and NextError are the nearest errors before and after the requested line. They may be in any
	// stream.
	PreviousError, NextError place
	At                       int  // the requested line
	Missing                  int  // requested line if it is after the end of the log, or 0
	Unmarked                 int  // number of errors and warnings that are not marked
	AtEnd                    bool // the script shows the end of the window
	Note                     string
}

// unpoint removes the mark of the requested line. It is called if the request names no line, and there is no error to
// show. If atEnd is true, the page scrolls to the end of the window.
func (w *logWindow) unpoint(atEnd bool) {
	w.At, w.AtEnd = 0, atEnd
	for i := range w.Lines {
		w.Lines[i].At = false
	}
}

// place is a line of a stream. The zero place means no line.
type place struct {
	Stream string
	Line   int
}

// String returns the place as people read it.
func (p place) String() string {
	if p.Stream == store.StreamCombined {
		return fmt.Sprintf("line %d of the log", p.Line)
	}
	return fmt.Sprintf("line %d of %s", p.Line, p.Stream)
}

// placeOf returns the first line of an event in the log.
func placeOf(e query.Event) place { return place{cmp.Or(e.Stream, store.StreamCombined), e.LogLine} }

// logPage is the page of a log.
type logPage struct {
	page
	Log    logWindow
	Search string
}

func showLog(q *request) error {
	at, err := q.number("line")
	if err != nil {
		return err
	}
	marks, more, err := marksOf(q.context(), q.by, q.ref())
	if err != nil {
		return err
	}
	log, err := q.window(q.ref(), q.r.FormValue("stream"), at, marks)
	if err != nil {
		return err
	}
	log.Unmarked = more
	if way := q.r.FormValue("new"); way != "" {
		to, err := q.newError(&log, way, marks)
		if err != nil {
			return err
		}
		if to.Line > 0 {
			http.Redirect(q.w, q.r, q.site.Base+logPath(q.ref(), to.Stream, to.Line), http.StatusSeeOther)
			return nil
		}
	}
	status := http.StatusOK
	if log.Missing > 0 {
		status = http.StatusNotFound
	}
	return q.site.write(q.w, status, logPage{page: q.page("Log of "+q.ref(), q.ref()), Log: log}.view())
}

// number returns a numeric parameter of the URL, or 0 if the parameter is missing.
func (q *request) number(name string) (int, error) {
	text := q.r.FormValue(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(text, "L"), 10, 32) // 32 bits, so that sums fit into an int
	if err != nil || n < 1 {
		return 0, store.Hint(store.Errorf(store.Invalid, "%s is %.40q, and has to be a number from 1 to %d", name, text,
			math.MaxInt32), "lines count from 1")
	}
	return int(n), nil
}

// marksOf returns the errors and warnings of a run in log order, at most maxMarks. unmarked is the number of errors and
// warnings beyond maxMarks. marksOf also leaves out events without a log line, but does not count these events.
func marksOf(ctx context.Context, by Source, ref string) (marks []query.Event, unmarked int, err error) {
	list, err := questions.Events.Ask(ctx, by, query.EventsParams{Ref: ref, Limit: maxMarks})
	if err != nil {
		return nil, 0, err
	}
	marks = slices.DeleteFunc(list.Events, func(e query.Event) bool { return e.LogLine == 0 })
	unmarked = list.Total - len(marks)
	sort.SliceStable(marks, func(i, j int) bool {
		return cmp.Or(cmp.Compare(streamOrder(marks[i]), streamOrder(marks[j])), marks[i].LogLine-marks[j].LogLine) < 0
	})
	return marks, unmarked, nil
}

// streamOrder returns the position of an event's stream. Answers list streams in the order of the positions.
func streamOrder(e query.Event) int {
	return slices.Index([]string{"", store.StreamStdout, store.StreamStderr}, e.Stream)
}

// window reads the lines around the line with the number requested. If requested is 0, window reads the first lines.
// If the log has no such line, window reads the lines around the last line.
func (q *request) window(ref, stream string, requested int, marks []query.Event) (logWindow, error) {
	from := max(1, requested-before)
	out, err := q.by.Output(q.context(), query.OutputParams{
		Ref: ref, Stream: stream, From: from, To: from + window - 1, MaxBytes: windowBytes, Printed: true,
	})
	if err != nil {
		return logWindow{}, err
	}
	if requested > out.Total && out.Total > 0 {
		w, err := q.window(ref, stream, out.Total, marks)
		w.Missing = requested
		return w, err
	}
	w := logWindow{Ref: ref, Stream: out.Stream, Streams: out.Streams, Total: out.Total, From: from, At: requested}
	for text := range strings.Lines(out.Content) {
		w.Lines = append(w.Lines, line{Number: from + len(w.Lines), Spans: spans(text), At: from+len(w.Lines) == requested,
			ID: true})
	}
	w.To = from + len(w.Lines) - 1
	if from > 1 {
		w.Earlier = max(1, from-window+2*before)
	}
	if w.To < w.Total {
		w.Later = w.To + 1
	}
	w.End = max(1, w.Total-ending)
	w.mark(marks)
	return w, nil
}

// mark marks the lines of errors and warnings. It also finds the nearest errors before and after the requested line.
func (w *logWindow) mark(marks []query.Event) {
	here := slices.Index(w.Streams, w.Stream)
	for _, m := range marks {
		at := placeOf(m)
		stream := slices.Index(w.Streams, at.Stream)
		if stream == here {
			markLines(w.Lines, w.From, m)
		}
		if m.Severity != store.SeverityError || stream < 0 {
			continue
		}
		switch order := w.order(at); {
		case order < 0:
			w.PreviousError = at
		case order > 0 && w.NextError == place{}:
			w.NextError = at
		}
	}
}

// order returns a negative number if a place comes before the requested line, and a positive number if it comes after
// that line. Otherwise it returns 0.
func (w *logWindow) order(at place) int {
	return cmp.Or(slices.Index(w.Streams, at.Stream)-slices.Index(w.Streams, w.Stream), at.Line-w.At)
}

// markLines marks the given lines that belong to an event, up to maxMarked lines of the event. It keeps the marks of
// errors. The given lines are consecutive. The parameter from is the number of the first line.
func markLines(lines []line, from int, m query.Event) {
	to := from + len(lines) - 1
	last := max(m.LogLine, min(m.LogLineEnd, m.LogLine+maxMarked-1))
	for n := max(m.LogLine, from); n <= min(last, to); n++ {
		if l := &lines[n-from]; l.Mark != string(store.SeverityError) {
			l.Mark, l.Ref = string(m.Severity), m.Ref
		}
	}
}

// after sends lines of a running log as JSON to the script of the page. The script requests the last line of the page
// again, because that line may have been incomplete, and the lines after that line.
func after(q *request) error {
	last, err := q.number("line")
	if err != nil {
		return err
	}
	out, err := q.by.Output(q.context(), query.OutputParams{
		Ref: q.ref(), Stream: q.r.FormValue("stream"), From: max(1, last), To: last + window, MaxBytes: windowBytes,
		Printed: true,
	})
	if err != nil {
		return err
	}
	info, err := questions.Info.Ask(q.context(), q.by, query.InfoParams{Ref: q.ref()})
	if err != nil {
		return err
	}
	answer := struct {
		Lines   []line `json:"lines"`
		Total   int    `json:"total"`
		Running bool   `json:"running"`
	}{[]line{}, out.Total, info.IsRunning}
	if out.Returned > 0 {
		styled := 0
		for text := range strings.Lines(out.Content) {
			parts := spans(text)
			if styled += len(parts); styled > maxStyled {
				parts = plain(parts)
			}
			answer.Lines = append(answer.Lines, line{Number: max(1, last) + len(answer.Lines), Spans: parts})
		}
	}
	httpserver.WriteJSON(q.w, http.StatusOK, answer)
	return nil
}

// rawBytes is the number of bytes of memory that one request for a raw log needs. The memory holds the text of a chunk,
// the chunk's stored object and a decoder. A slow client keeps this memory in use for a long time.
const rawBytes = 3 << 20

// raw writes the bytes of a log. Browsers always show them as plain text.
func raw(q *request) error {
	if err := httpserver.Hold(q.context(), rawBytes); err != nil {
		return err
	}
	q.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	q.w.Header().Set("Content-Disposition", "inline; filename=log.txt")
	return q.by.RawOutput(q.context(), q.ref(), q.r.FormValue("stream"), q.w)
}
