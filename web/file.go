package web

import (
	"context"
	"crypto/sha256"
	_ "embed" // for the variable css
	"encoding/base64"
	"io"
	"slices"
	"strings"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// These limits apply to the page that WriteFile writes. The page contains the log lines around errors and the end of
// the log. A short log is shown in full.
const (
	fileBefore = 10       // max lines before an error in an excerpt
	fileAfter  = 14       // max lines after the first line of an error in an excerpt
	fileEnd    = 40       // number of lines at the end of the log
	fileShort  = 48 << 10 // max size in bytes of a complete log with its markup
	fileShare  = 50       // of a longer log, the file has 1/fileShare, but at least fileShort
	fileMax    = 1 << 20  // max size in bytes of all lines with their markup
	fileMarkup = 80       // approximate size in bytes of a line's markup
)

// filePage is the page of a run that WriteFile writes.
type filePage struct {
	runPage
	Total    int // number of lines of the log
	Stream   string
	Excerpts []excerpt
	// Outside is the number of errors whose log lines are not in the written file.
	Outside  int
	WholeLog string // see FileParams.WholeLog
}

// excerpt is a part of a log.
type excerpt struct {
	From, To int // first and last line of the excerpt
	Lines    []line
	Errors   []int // lines where errors begin
}

// FileParams select the run and the baseline of the page.
type FileParams struct {
	Ref      string
	Baseline string // run, branch or commit to compare with, "" for the default
	// WholeLog is a command that prints the whole log. The page shows this command. If WholeLog is "", the page shows a
	// blq command.
	WholeLog string
}

// WriteFile writes the page of a run as one file. The file needs no server, loads nothing and runs no script. From a
// long log, it contains only the important parts, at most a megabyte of lines.
func WriteFile(ctx context.Context, by Source, file FileParams, w io.Writer) error {
	p, marks, err := aboutRun(ctx, by, file.Ref, file.Baseline)
	if err != nil {
		return err
	}
	p.page = page{Site: "blq", Title: p.Info.RunRef, Ref: p.Info.RunRef}
	f := filePage{runPage: p, WholeLog: file.WholeLog}
	if err := f.read(ctx, by, marks); err != nil {
		return err
	}
	return f.render(w)
}

// read reads the parts of the log for the file.
func (f *filePage) read(ctx context.Context, by Source, marks []query.Event) error {
	log, err := by.Output(ctx, query.OutputParams{Ref: f.Ref, Stream: f.opened(), Tail: 1})
	if store.CodeOf(err) == store.NotFound { // the log of this stream is lost
		log, err = by.Output(ctx, query.OutputParams{Ref: f.Ref, Tail: 1})
	}
	if err != nil {
		return err
	}
	f.Total, f.Stream = log.Total, log.Stream
	marks = slices.DeleteFunc(marks, func(e query.Event) bool { return placeOf(e).Stream != f.Stream })
	room := fileMax
	for _, part := range f.choose(marks, log) {
		out, err := by.Output(ctx, query.OutputParams{
			Ref: f.Ref, Stream: log.Stream, From: part.From, To: part.To, MaxBytes: room, Printed: true,
		})
		if err != nil {
			return err
		}
		for text := range strings.Lines(out.Content) {
			if room -= min(len(text), maxLine) + fileMarkup; room < 0 {
				break
			}
			part.Lines = append(part.Lines, line{Number: part.From + len(part.Lines), Spans: spans(text), ID: true})
		}
		if part.To = part.From + len(part.Lines) - 1; len(part.Lines) > 0 {
			f.Excerpts = append(f.Excerpts, part)
		}
		if room < fileMarkup {
			break
		}
	}
	f.mark(marks)
	return nil
}

// choose returns the parts of a log that the file shows, in log order. It returns a short log as one part. Otherwise it
// selects parts while there is room: first parts with new errors, then the end of the log, and then parts with other
// errors. For a run without errors, it selects the end of the log, and then parts with warnings.
func (f *filePage) choose(marks []query.Event, log query.Output) []excerpt {
	if log.Total == 0 {
		return nil
	}
	size := int(log.Bytes) + fileMarkup*log.Total
	if size <= fileShort {
		return []excerpt{{From: 1, To: log.Total}}
	}
	room := min(max(int(log.Bytes)/fileShare, fileShort), fileMax)
	lines := max(1, room*log.Total/size)
	end := excerpt{From: max(1, log.Total-fileEnd+1), To: log.Total}
	var parts []excerpt
	for _, g := range f.Groups {
		if g.Kind == f.Groups[0].Kind && g.At.Line > 0 && g.At.Stream == f.Stream {
			parts = append(parts, around(g.At.Line, log.Total))
		}
	}
	parts = append(parts, end)
	for _, m := range marks {
		if m.Severity == store.SeverityError || f.Info.Errors == 0 {
			parts = append(parts, around(m.LogLine, log.Total))
		}
	}
	taken := map[int]bool{}
	for _, part := range parts {
		for n := part.From; n <= part.To && len(taken) < lines; n++ {
			taken[n] = true
		}
	}
	return runsOf(taken)
}

// around returns the lines around the log line of an event. total is the length of the log in lines.
func around(number, total int) excerpt {
	return excerpt{From: max(1, number-fileBefore), To: min(number+fileAfter, total)}
}

// runsOf returns an excerpt for each series of consecutive line numbers in chosen.
func runsOf(chosen map[int]bool) []excerpt {
	var list []excerpt
	numbers := make([]int, 0, len(chosen))
	for n := range chosen {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		if last := len(list) - 1; last >= 0 && list[last].To+1 == n {
			list[last].To = n
			continue
		}
		list = append(list, excerpt{From: n, To: n})
	}
	return list
}

// mark marks the lines of errors and warnings. It counts the errors whose log lines are not in the file.
func (f *filePage) mark(marks []query.Event) {
	f.Outside = f.Info.Errors
	for _, m := range marks {
		i := slices.IndexFunc(f.Excerpts, func(e excerpt) bool { return m.LogLine >= e.From && m.LogLine <= e.To })
		if i < 0 {
			continue
		}
		e := &f.Excerpts[i]
		markLines(e.Lines, e.From, m)
		if m.Severity != store.SeverityError {
			continue
		}
		f.Outside--
		if !slices.Contains(e.Errors, m.LogLine) {
			e.Errors = append(e.Errors, m.LogLine)
		}
	}
}

// opened returns the stream that the file shows if stdout and stderr were recorded separately. This is the stream of
// the first error that has a log line, or "" if there is none.
func (f *filePage) opened() string {
	for _, g := range f.Groups {
		if g.At.Line > 0 {
			return g.At.Stream
		}
	}
	return ""
}

// has reports whether the file contains a line of the log.
func (f *filePage) has(at place) bool {
	number := at.Line
	return at.Stream == f.Stream && slices.ContainsFunc(f.Excerpts, func(e excerpt) bool {
		return number >= e.From && number <= e.To
	})
}

// css is the style sheet. It is embedded alone, because the program for jobs does not need the other static files.
//
//go:embed static/blq.css
var css string

// policy returns a Content-Security-Policy that allows only the style sheet in css.
func policy() string {
	sum := sha256.Sum256([]byte(css))
	return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
