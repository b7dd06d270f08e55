//go:build !job

package markdown

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// These limit the notes in a report: the bytes of all notes, and the characters of a line.
const (
	maxNoteBytes = 16_000
	noteWidth    = 100
)

// WithNotes returns a report with notes below its headline, newest first. The text of notes is shown only as code.
func WithNotes(report string, notes []store.Note, commit string) string {
	head, rest, _ := strings.Cut(report, "\n\n")
	parts := []string{strings.TrimRight(head, "\n")}
	left, bytes := 0, 0
	for _, n := range slices.Backward(notes) {
		text := note(n, commit)
		if text == "" {
			continue
		}
		if bytes += len(text); bytes > maxNoteBytes {
			left++
			continue
		}
		parts = append(parts, text)
	}
	if left > 0 {
		parts = append(parts, "and "+Count(left, "earlier note"))
	}
	return join(append(parts, rest)...)
}

// note returns a note as Markdown, or "" for a note without text.
func note(n store.Note, commit string) string {
	if strings.TrimSpace(n.Text) == "" {
		return ""
	}
	about := "Note of " + Code(n.Author, nameBytes) + ", " + n.At.UTC().Format(time.DateTime) + " UTC"
	if n.Commit != "" && n.Commit != commit {
		about += ", at commit " + Code(shortCommit(n.Commit), 20)
	}
	var lines []string
	for _, l := range strings.Split(strings.TrimSpace(query.Clean(n.Text)), "\n") {
		lines = append(lines, wrap(l)...)
	}
	text := about + ":\n\n" + Fence(lines, 4*noteWidth+utf8.UTFMax, 0)
	if n.Cut > 0 {
		text += fmt.Sprintf("\n%s of this note were left out.\n", Count(n.Cut, "character"))
	}
	return text
}

// wrap splits a long line between words, because Markdown does not wrap code.
func wrap(line string) (lines []string) {
	for utf8.RuneCountInString(line) > noteWidth {
		runes := []rune(line)
		head := string(runes[:noteWidth])
		if at := strings.LastIndexByte(strings.TrimLeft(head, " "), ' '); at > 0 {
			head = head[:len(head)-len(strings.TrimLeft(head, " "))+at]
		}
		lines = append(lines, head)
		line = strings.TrimLeft(line[len(head):], " ")
	}
	return append(lines, line)
}

// WritePullAs is like WritePull, but supports all three formats. The format Detailed adds the detailed reports of runs
// that did not pass, as far as there is room.
func WritePullAs(ctx context.Context, a *query.Asker, line Line, format Format, p PullParams) (Pull, error) {
	format, err := parseFormat(string(format))
	if err != nil {
		return Pull{}, err
	}
	whole := cmp.Or(p.MaxBytes, MaxBytes)
	p.MaxBytes = map[Format]int{Brief: briefBytes, Detailed: whole / 2, PRComment: whole}[format]
	pull, err := WritePull(ctx, a, line, p)
	if err != nil || format != Detailed {
		return pull, err
	}
	left := 0
	for _, r := range pull.Runs {
		if r.Status == store.StatusOK {
			continue
		}
		room := whole - len(pull.Markdown) - len(detailsFrame)
		if room < 2*leastBytes {
			left++
			continue
		}
		report, err := Write(ctx, a, line, Params{Ref: r.RunRef, Format: Detailed, MaxBytes: min(room, detailBytes)})
		if err != nil {
			return pull, err
		}
		pull.Markdown += fmt.Sprintf(detailsFrame, report.Markdown)
	}
	if left > 0 {
		pull.Markdown += "\nwithout the details of " + Count(left, "more run") + "\n"
	}
	return pull, nil
}

// briefBytes is the max size of a brief report on a pull request. detailBytes is the max size of the details of a
// run.
const (
	briefBytes  = 1500
	detailBytes = 12_000
)

// detailsFrame folds the details of a run.
const detailsFrame = "\n<details>\n<summary>Details of a step</summary>\n\n%s\n</details>\n"
