package markdown_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// noted returns a note by an author.
func noted(author, text string) store.Note {
	return store.Note{Author: author, Text: text, At: epoch, Commit: topicSHA}
}

const aReport = "### ❌ 4 failed\n\n1. `x`\n\nCommit `2222`\n"

// Any note is shown as a code block under the headline.
func TestNotesAreOnlyCode(t *testing.T) {
	t.Parallel()
	want := parse(markdown.WithNotes(aReport, []store.Note{noted("token:t1", "plain")}, topicSHA)).shape
	for _, s := range hostile {
		if strings.TrimSpace(query.Clean(s)) == "" {
			continue
		}
		text := markdown.WithNotes(aReport, []store.Note{noted("token:t1", s)}, topicSHA)
		if diff := cmp.Diff(want, parse(text).shape); diff != "" {
			t.Errorf("%q: %s\n%s", s, diff, text)
		}
		by := markdown.WithNotes(aReport, []store.Note{noted(s, "plain")}, topicSHA)
		if diff := cmp.Diff(want, parse(by).shape); diff != "" {
			t.Errorf("author %q: %s\n%s", s, diff, by)
		}
	}
}

// A report shows the author and the time of each note. It shows the commit of a note only if there is a newer commit.
// The newest note comes first.
func TestNotesSayWhoseTheyAre(t *testing.T) {
	t.Parallel()
	old := noted("token:a", "  the cache\n\n   is cold\n")
	old.Commit, old.Cut = mainSHA, 7
	long := noted("token:b", strings.Repeat("word ", 30)+strings.Repeat("x", 150))
	got := markdown.WithNotes(aReport, []store.Note{old, noted("token:c", " "), long}, topicSHA)
	want := "### ❌ 4 failed\n\nNote of `token:b`, 2024-01-15 10:00:00 UTC:\n\n```text\n" +
		strings.TrimSpace(strings.Repeat("word ", 20)) + "\n" + strings.TrimSpace(strings.Repeat("word ", 10)) + "\n" +
		strings.Repeat("x", 100) + "\n" + strings.Repeat("x", 50) + "\n```\n\n" +
		"Note of `token:a`, 2024-01-15 10:00:00 UTC, at commit `111111111`:\n\n```text\nthe cache\n\n   is cold\n```\n\n" +
		"7 characters of this note were left out.\n\n1. `x`\n\nCommit `2222`\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The notes in a report have a max size. If notes are left out, the report says how many.
func TestNotesAreBounded(t *testing.T) {
	t.Parallel()
	var notes []store.Note
	for i := range store.MaxPullNotes {
		notes = append(notes, noted(fmt.Sprint("token:", i), strings.Repeat("ü", store.MaxNoteText)))
	}
	got := markdown.WithNotes(aReport, notes, topicSHA)
	if shown := strings.Count(got, "Note of"); shown == 0 || len(got) > 20_000 || !strings.Contains(got,
		fmt.Sprintf("and %d earlier notes", len(notes)-shown)) || !strings.Contains(got, "`token:19`") {
		t.Errorf("%d bytes, %d notes", len(got), shown)
	}
}

// A report on a pull request has three forms: brief, normal, and with details of failed runs.
func TestReportsOfPullRequestsHaveThreeForms(t *testing.T) {
	t.Parallel()
	f := failing(t)
	sizes := map[markdown.Format]int{}
	for _, format := range []markdown.Format{markdown.Brief, markdown.PRComment, markdown.Detailed, ""} {
		p, err := markdown.WritePullAs(t.Context(), f.Asker, markdown.Line(func(store.Call) string { return "blq" }), format,
			markdown.PullParams{PR: 12, Commit: topicSHA, MaxBytes: 40_000})
		check(t, err)
		if !strings.HasPrefix(p.Markdown, "### ") || !utf8.ValidString(p.Markdown) || len(p.Markdown) > 40_000 {
			t.Errorf("%s: %d bytes\n%.200s", format, len(p.Markdown), p.Markdown)
		}
		if detailed := strings.Contains(p.Markdown, "Errors by file"); detailed != (format == markdown.Detailed) {
			t.Errorf("%s: details are shown: %v", format, detailed)
		}
		sizes[format] = len(p.Markdown)
	}
	if sizes[markdown.Brief] > 1500 || sizes[markdown.Brief] > sizes[markdown.PRComment] ||
		sizes[markdown.PRComment] >= sizes[markdown.Detailed] || sizes[""] != sizes[markdown.PRComment] {
		t.Errorf("sizes are %v", sizes)
	}
	_, err := markdown.WritePullAs(t.Context(), f.Asker, nil, "long", markdown.PullParams{PR: 12, Commit: topicSHA})
	if store.CodeOf(err) != store.Invalid {
		t.Error(err)
	}
	if text := markdown.WithNotes(aReport, nil, topicSHA); text != aReport {
		t.Errorf("without notes: %q", text)
	}
}
