//go:build e2e

package actions

import (
	"strings"
	"testing"
)

// change is a change of an example that breaks it.
type change struct{ example, file, old, text, headline, names string }

var changes = []change{
	{"make", "sum.c", "total += values[i];", "total += value[i];", "1 failed: 1 new", "sum.c"},
}

// TestExamples: each passes on main, and tells a pull request that breaks it
// what is new, in one comment.
func TestExamples(t *testing.T) {
	for _, c := range changes {
		t.Run(c.example, func(t *testing.T) {
			w := newWorld(t, example(c.example))
			if h := w.act(w.push()); h.code != 0 {
				t.Errorf("a push ended with %d", h.code)
			}
			w.git("checkout", "-q", "-b", "feature")
			w.edit(c.file, c.old, c.text)
			w.commit()
			if h := w.act(w.pull(repoName)); h.code == 0 {
				t.Error("the pull request passed")
			}
			w.comment(c.headline, c.names)
		})
	}
}

// comment checks that there is one comment, that its headline is that, and that
// it has some texts. It returns the comment.
func (w *world) comment(headline string, texts ...string) string {
	w.Helper()
	all := w.github.Comments(repoName, number)
	if len(all) != 1 {
		w.Fatalf("%d comments: %+v", len(all), all)
	}
	body := all[0].Body
	w.Logf("the comment:\n%s", body)
	for _, want := range append(texts, headline) {
		if !strings.Contains(body, want) {
			w.Errorf("the comment has no %q", want)
		}
	}
	return body
}
