package markdown_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// documented returns a fixture with a pull request. It has an error for each code, and documentation for all of them.
func documented(t *testing.T, codes ...string) *fixture {
	f := empty(t)
	files := querytest.Files{"docs/other.md": "# Other\n\ntext\n"}
	var events []store.Event
	for i, code := range codes {
		name, line, _ := strings.Cut(code, " ")
		files["docs/"+name+".md"] = "# Errors\n\n## " + name + " " + line + "\n\nIt says why.\n"
		events = append(events, store.Event{Severity: store.SeverityError, File: "a.c", Line: i + 1, Code: name,
			Message: "failed by " + strings.Repeat("x", i), Tool: "gcc", Category: store.CategoryCompile})
	}
	f.add(t, ended{exit: 1, events: events}, inJob("build", "", 1), func(r *store.Run) {
		r.Git.Commit, r.CI.HeadSHA = querytest.Commit, querytest.Commit
	})
	f.Docs = querytest.Docs(t, f.Store.(store.Sources), files)
	f.Docs.Link = func(_, commit, path string, r docs.Range) string {
		return query.GitHubLink("", "acme/app", commit, path, r)
	}
	return f
}

func TestPullReportsNameDocumentation(t *testing.T) {
	t.Parallel()
	f := documented(t, "E1001 @everyone <img src=x> ![x](http://evil.example/x.png)", "E1002", "E1003")
	p := markdown.PullParams{PR: 12, Commit: querytest.Commit}
	without, err := markdown.WritePull(context.Background(), f.Asker, cmdline.Words, p)
	check(t, err)
	p.Docs = true
	got, err := markdown.WritePull(context.Background(), f.Asker, cmdline.Words, p)
	check(t, err)
	for code, heading := range map[string]string{"E1001": "E1001 @everyone x", "E1002": "E1002",
		"E1003": "E1003"} {
		want := fmt.Sprintf("\n   Documentation: [`docs@0123456789/docs/%s.md:3-5`](https://github.com/acme/app/"+
			"blob/%s/docs/%s.md?plain=1#L3-L5) `Errors > %s`\n", code, querytest.Commit, code, heading)
		if strings.Count(got.Markdown, want) != 1 {
			t.Errorf("no %q in\n%s", want, got.Markdown)
		}
	}
	if strings.Contains(without.Markdown, "Documentation") || strings.Count(got.Markdown, "Documentation") != 3 {
		t.Errorf("without: %s\nwith: %s", without.Markdown, got.Markdown)
	}
	p.MaxBytes = 1000 // documentation lines are left out together with log lines
	if small, err := markdown.WritePull(context.Background(), f.Asker, cmdline.Words, p); err != nil ||
		strings.Contains(small.Markdown, "Documentation") {
		t.Errorf("%v\n%s", err, small.Markdown)
	}
}

func TestPullReportsNameFewDocuments(t *testing.T) {
	t.Parallel()
	var codes []string
	for i := range 12 {
		codes = append(codes, fmt.Sprint("E", 2000+i))
	}
	f := documented(t, codes...)
	got, err := markdown.WritePull(context.Background(), f.Asker, cmdline.Words,
		markdown.PullParams{PR: 12, Commit: querytest.Commit, Docs: true})
	check(t, err)
	if n := strings.Count(got.Markdown, "Documentation: "); n != 5 {
		t.Errorf("%d lines in\n%s", n, got.Markdown)
	}
}

func TestWordsOfDocumentsStayCode(t *testing.T) {
	t.Parallel()
	for _, s := range hostile {
		s = "x" + s + "x"
		line := markdown.Mentioned(query.Mention{Ref: s, Heading: s, Word: s, URL: s})
		got, want := parse(line), parse(markdown.Mentioned(query.Mention{Ref: "r", Heading: "h", Word: "w", URL: "u"}))
		if !slices.Equal(got.shape, want.shape) || strings.Contains(line, "\n") || len(line) > 400 {
			t.Errorf("%q is alive: %s\n%s", s, line, strings.Join(got.shape, "\n"))
		}
	}
	commit := strings.Repeat("a", 40)
	for url, linked := range map[string]bool{
		"https://github.com/a/b/blob/" + commit + "/docs/x%20%28y%29.md?plain=1#L1-L2": true,
		"https://ghe.example:8443/a/b/blob/" + commit + "/x.md?plain=1#L1-L2":          true,
		"https://github.com/a/b/blob/main/x.md?plain=1#L1-L2":                          false,
		"https://github.com/a/b/blob/" + commit + "/x.md":                              false,
		"https://github.com/a/b/blob/" + commit + "/x)(y.md?plain=1#L1-L2":             false,
		"https://github.com/a/b/blob/" + commit + "/x y.md?plain=1#L1-L2":              false,
		"javascript:alert(1)": false,
		"http://github.com/a/b/blob/" + commit + "/x.md?plain=1#L1-L2":                             false,
		"https://docs.example/llms.txt":                                                            false,
		"https://a@github.com/a/b/blob/" + commit + "/x.md?plain=1#L1-L2":                          false,
		"https://github.com/a/b/blob/" + commit + "/" + strings.Repeat("x", 500) + "?plain=1#L1-2": false,
	} {
		line := markdown.Mentioned(query.Mention{Ref: "docs/x.md:1-2", URL: url})
		if strings.Contains(line, "](") != linked {
			t.Errorf("%s: %s", url, line)
		}
	}
	if line := markdown.Mentioned(query.Mention{}); line != "" {
		t.Errorf("nothing is %q", line)
	}
}
