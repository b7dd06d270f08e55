//go:build e2e

package actions

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// TestCommandsOfTheStepAreTheRunners checks that workflow commands in a step's output reach the runner and also become
// events.
func TestCommandsOfTheStepAreTheRunners(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "testdata/commands")
	h := w.act(w.push())
	if h.code == 0 || !strings.Contains(h.log, "outputs: FAIL 2 acme/shop@build:1") {
		t.Errorf("act ended with %d", h.code)
	}
	for what, n := range map[string]int{"a license is missing": 1, "undeclared": 1} {
		if got := annotations(h.log, what); got != n {
			t.Errorf("%d annotations of %q", got, what)
		}
	}
	if log := w.blq("output", "build"); strings.Contains(log, "hidden-by") || !strings.Contains(log, "'***' undeclared") {
		t.Errorf("the service has %s", log)
	}
	if errors := w.blq("errors", "build"); !strings.Contains(errors, "lib.c:4") ||
		!strings.Contains(errors, "main.c:3:1") {
		t.Errorf("errors are %s", errors)
	}
}

// annotations counts the annotations that contain a text.
func annotations(log, what string) int {
	n := 0
	for line := range strings.Lines(log) {
		if strings.Contains(line, what) && (strings.Contains(line, "::error") || strings.Contains(line, "❗")) {
			n++
		}
	}
	return n
}

func TestHostileLogIsShownAsText(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "testdata/hostile")
	w.git("checkout", "-q", "-b", "feature")
	h := w.act(w.pull(repoName))
	if h.code == 0 || strings.Contains(h.log, "::warning title=blq") {
		t.Errorf("act ended with %d", h.code)
	}
	body := w.comment("### ❌ 30 failed\n", "src/file0.c:1:1")
	if len(body) > 65_000 || len(h.summary) > 1<<20 {
		t.Errorf("the comment has %d bytes, the summaries %d", len(body), len(h.summary))
	}
	for name, markdown := range map[string]string{"comment": body, "summary": h.summary} {
		for _, wrong := range active(markdown) {
			t.Errorf("in the %s: %q", name, wrong)
		}
	}
	if tail := w.blq("output", "build", "--tail", "1"); !strings.Contains(tail, "cc -O2 -c 149999") {
		t.Errorf("the log ends with %q", tail)
	}
}

// active returns the parts of Markdown that a hostile log must not add: HTML that blq does not write, images, URLs that
// become links, links whose URL contains "evil", and the mention @everyone. It skips code.
func active(markdown string) (found []string) {
	source := []byte(markdown)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	_ = ast.Walk(doc, func(n ast.Node, in bool) (ast.WalkStatus, error) {
		if !in {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan, *ast.FencedCodeBlock, *ast.CodeBlock:
			return ast.WalkSkipChildren, nil
		case *ast.Image:
			found = append(found, string(n.Destination))
		case *ast.Link:
			if strings.Contains(string(n.Destination), "evil") {
				found = append(found, string(n.Destination))
			}
		case *ast.AutoLink:
			found = append(found, string(n.URL(source)))
		case *ast.HTMLBlock:
			found = append(found, unexpected(string(n.Lines().Value(source)))...)
		case *ast.RawHTML:
			found = append(found, unexpected(string(n.Segments.Value(source)))...)
		case *ast.Text:
			if s := string(n.Value(source)); strings.Contains(s, "@everyone") {
				found = append(found, s)
			}
		}
		return ast.WalkContinue, nil
	})
	return found
}

// unexpected returns HTML that blq does not write.
func unexpected(html string) []string {
	ours := strings.NewReplacer("<details>", "", "</details>", "", "<summary>", "", "</summary>", "", "<br>", "")
	if rest := strings.TrimSpace(ours.Replace(html)); strings.HasPrefix(rest, "<!-- blq:") ||
		!strings.Contains(rest, "<") {
		return nil
	}
	return []string{html}
}
