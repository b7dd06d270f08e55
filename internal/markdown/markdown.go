// Package markdown writes Markdown about runs: for pull requests, for people and
// for agents. It imports store and query. What logs, commands and names of
// branches say is written by strangers, and only ever becomes code in it.
package markdown

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Format is a form of a report.
type Format string

// The formats.
const (
	Brief     Format = "brief"      // about ten lines
	Detailed  Format = "detailed"   // all that matters, with tables and the log's words
	PRComment Format = "pr-comment" // what the author of a pull request needs
)

// Formats are all formats.
var Formats = []Format{Brief, Detailed, PRComment}

// MaxBytes is how large a comment may be for GitHub, which counts characters
// where we count bytes.
const MaxBytes = 65_536

// leastBytes hold the shortest report there is.
const leastBytes = 600

// Params say what to report, and how.
type Params struct {
	Ref      string `json:"ref,omitempty" kind:"ref"` // the run, "" for the newest
	Source   string `json:"source,omitempty"`         // without Ref: the newest run of this source
	query.At        // where the run happened
	Format   Format `json:"format,omitempty"`              // "" for PRComment
	Baseline string `json:"baseline,omitempty" kind:"ref"` // what to compare with, "" for what the run's place says
	MaxBytes int    `json:"max_bytes,omitempty"`           // of Markdown, 0 for MaxBytes
}

// Report is the Markdown about a run.
type Report struct {
	RunRef   string `json:"run_ref" jsonschema:"the run"`
	Format   Format `json:"format" jsonschema:"as asked"`
	Markdown string `json:"markdown" jsonschema:"the report"`
}

// Write reports on a run. Invalid: no such format, or bad references.
// NotFound: no such run or baseline.
func Write(ctx context.Context, a *query.Asker, p Params) (Report, error) {
	r, f, err := Prepare(ctx, a, p)
	if err == nil {
		r.Markdown = Render(f, r.Format, p.MaxBytes)
	}
	return r, err
}

// Prepare gathers what a report is written from, and leaves its Markdown to
// Render. Errors are those of Write.
func Prepare(ctx context.Context, a *query.Asker, p Params) (Report, *Facts, error) {
	format, err := ParseFormat(string(p.Format))
	if err != nil {
		return Report{}, nil, err
	}
	r, err := a.RunAt(ctx, p.At, cmp.Or(p.Ref, p.Source))
	if err != nil {
		return Report{}, nil, err
	}
	f, err := Gather(ctx, a, r, p.Baseline)
	if err != nil {
		return Report{}, nil, err
	}
	return Report{RunRef: r.Ref().String(), Format: format}, f, nil
}

// ParseFormat reads the name of a format, "" for PRComment. Invalid: there is
// none of that name.
func ParseFormat(s string) (Format, error) {
	format := cmp.Or(Format(s), PRComment)
	if !slices.Contains(Formats, format) {
		return "", store.Hint(store.Errorf(store.Invalid, "no format %q; there are brief, detailed and pr-comment", clip(oneLine(s), 40)), "blq report --format pr-comment")
	}
	return format, nil
}

// Render writes the facts in a format, within so many bytes, 0 for MaxBytes.
// What does not fit is cut whole, what is missed least first: log lines, then
// errors that are known, then new ones.
func Render(f *Facts, format Format, most int) string {
	write := map[Format]func(*Facts, limits) string{Brief: brief, Detailed: detailed}[format]
	if write == nil {
		write = comment
	}
	if most <= 0 || most > MaxBytes {
		most = MaxBytes
	}
	most = max(most, leastBytes)
	var text string
	for _, l := range levels {
		if text = write(f, l); len(text) <= most {
			return text
		}
	}
	return clip(headline(f), most-1) + "\n"
}

// limits say how much a report shows.
type limits struct {
	groups int // of new errors
	known  int // groups of errors that are not new
	lines  int // of the log for each error
	width  int // bytes of a line or message
	places int // further places of look-alikes
	files  int // rows of a table
}

// levels are tried until a report fits.
var levels = []limits{
	{groups: 20, known: 20, lines: 12, width: 300, places: 8, files: 20},
	{groups: 20, known: 10, lines: 6, width: 200, places: 5, files: 15},
	{groups: 15, known: 5, lines: 3, width: 160, places: 3, files: 10},
	{groups: 10, known: 0, lines: 0, width: 160, places: 2, files: 8},
	{groups: 5, known: 0, lines: 0, width: 120, places: 0, files: 5},
	{groups: 3, known: 0, lines: 0, width: 80, places: 0, files: 3},
	{groups: 1, known: 0, lines: 0, width: 60, places: 0, files: 0},
}

// join puts paragraphs together, leaving out empty ones.
func join(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" })
	for i := range parts {
		parts[i] = strings.TrimRight(parts[i], "\n")
	}
	return strings.Join(parts, "\n\n") + "\n"
}
