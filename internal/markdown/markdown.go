// Package markdown writes Markdown reports about runs, for pull requests, people and agents. It imports store and
// query. Text from logs, commands and branch names is untrusted, and is shown only as code.
package markdown

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Format is a format of reports.
type Format string

// These are the formats of a report.
const (
	Brief     Format = "brief"      // about ten lines
	Detailed  Format = "detailed"   // all important facts, with tables and log lines
	PRComment Format = "pr-comment" // the comment on a pull request
)

// formats lists the constants of type Format.
var formats = []Format{Brief, Detailed, PRComment}

// MaxBytes is the max size of a comment on GitHub. GitHub counts characters, blq counts bytes.
const MaxBytes = 65_536

// leastBytes is the min limit for the size of a pull request's report. Smaller limits count as this one.
const leastBytes = 600

// Params select the run and the form of a report.
type Params struct {
	Ref      string `json:"ref,omitempty" kind:"ref"` // the run, "" for the newest
	Source   string `json:"source,omitempty"`         // newest run of this source, if Ref is empty
	query.At        // place of the run
	Format   Format `json:"format,omitempty"`              // "" for PRComment
	Baseline string `json:"baseline,omitempty" kind:"ref"` // what to compare with, "" for the default baseline
	MaxBytes int    `json:"max_bytes,omitempty"`           // max bytes of Markdown, 0 for the constant MaxBytes
}

// Report is Markdown about a run.
type Report struct {
	RunRef   string `json:"run_ref" jsonschema:"the run"`
	Format   Format `json:"format" jsonschema:"as asked"`
	Markdown string `json:"markdown" jsonschema:"the report"`
}

// Line is a function that returns a call as a command line. Callers pass cmdline.Words. This package cannot import
// cmdline, because cmdline imports the table of questions, and the table imports this package.
type Line func(store.Call) string

// Write reports a run. Errors: invalid for a format or ref that is not valid, not_found when there
// is no such run or baseline.
func Write(ctx context.Context, a *query.Asker, line Line, p Params) (Report, error) {
	r, f, err := Prepare(ctx, a, line, p)
	if err == nil {
		r.Markdown = Render(f, r.Format, p.MaxBytes)
	}
	return r, err
}

// Prepare gathers the facts of a report, and Render writes the Markdown. Prepare returns the same errors as Write.
func Prepare(ctx context.Context, a *query.Asker, line Line, p Params) (Report, *Facts, error) {
	format, err := parseFormat(string(p.Format))
	if err != nil {
		return Report{}, nil, err
	}
	r, err := a.RunAt(ctx, p.At, cmp.Or(p.Ref, p.Source))
	if err != nil {
		return Report{}, nil, err
	}
	f, err := Gather(ctx, a, line, r, p.Baseline)
	if err != nil {
		return Report{}, nil, err
	}
	f.Place(ctx, a)
	if p.Ref == "" && p.Source == "" && r.Status() == store.StatusOK { // the user did not ask for this run only
		if f.Beside, err = a.Beside(ctx, r); err != nil {
			return Report{}, nil, err
		}
	}
	return Report{RunRef: r.Ref().String(), Format: format}, f, nil
}

// parseFormat returns the format with a name; "" means PRComment. The error is invalid if there is no such format.
func parseFormat(s string) (Format, error) {
	format := cmp.Or(Format(s), PRComment)
	if !slices.Contains(formats, format) {
		return "", store.Next(store.Errorf(store.Invalid, "no format %q; there are brief, detailed and pr-comment",
			clip(oneLine(s), 40)), store.NewCall("summarize", "", "format", "pr-comment"))
	}
	return format, nil
}

// Render writes a report of at most maxBytes bytes; 0 means MaxBytes. The limit is at least leastBytes. If the report
// is too long, it shows fewer log lines, known errors and new errors (see levels).
func Render(f *Facts, format Format, maxBytes int) string {
	write := map[Format]func(*Facts, limits) string{Brief: brief, Detailed: detailed}[format]
	if write == nil {
		write = comment
	}
	if maxBytes <= 0 || maxBytes > MaxBytes {
		maxBytes = MaxBytes
	}
	maxBytes = max(maxBytes, leastBytes)
	var text string
	for _, l := range levels {
		if text = write(f, l); len(text) <= maxBytes {
			return text
		}
	}
	return clip(headline(f), maxBytes-1) + "\n"
}

// limits determine how much a report shows.
type limits struct {
	groups int // max groups of new errors
	known  int // max groups of known errors
	lines  int // max log lines of each error
	width  int // max bytes of a line or message
	places int // max other places of a group
	files  int // max rows of a table
}

// levels are tried in order until the report fits.
var levels = []limits{
	{groups: 20, known: 20, lines: 12, width: 300, places: 8, files: 20},
	{groups: 20, known: 10, lines: 6, width: 200, places: 5, files: 15},
	{groups: 15, known: 5, lines: 3, width: 160, places: 3, files: 10},
	{groups: 10, known: 0, lines: 0, width: 160, places: 2, files: 8},
	{groups: 5, known: 0, lines: 0, width: 120, places: 0, files: 5},
	{groups: 3, known: 0, lines: 0, width: 80, places: 0, files: 3},
	{groups: 1, known: 0, lines: 0, width: 60, places: 0, files: 0},
}

// join joins paragraphs, and skips empty paragraphs.
func join(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" })
	for i := range parts {
		parts[i] = strings.TrimRight(parts[i], "\n")
	}
	return strings.Join(parts, "\n\n") + "\n"
}
