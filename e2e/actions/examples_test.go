//go:build e2e

package actions

import (
	"strings"
	"testing"
)

// change is a change that breaks an example.
type change struct {
	example, file, old, text, headline string
	names                              []string
}

var changes = []change{
	{"make", "sum.c", "total += values[i];", "total += value[i];", "### ❌ 1 failed: 1 new\n",
		[]string{"sum.c:6", "did you mean ‘values’"}},
	{"pytest", "shop.py", "(100 - discount) / 100", "100 / 100", "### ❌ 1 failed: 1 new\n",
		[]string{"test_shop.py", "test_discount", "20.0 == 15.0"}},
	{"go", "words.go", "strings.ToLower(word)", "word", "### ❌ 1 failed: 1 new\n",
		[]string{"words_test.go:9", "TestCount"}},
	{"cargo", "src/lib.rs", `(40, "XL")`, `(40, "LX")`, "### ❌ 1 failed: 1 new\n",
		[]string{"src/lib.rs:", "tests::subtracts"}},
	{"npm", "slug.js", `/^-|-$/g`, `/-$/`, "### ❌ 1 failed: 1 new\n", []string{"trims the ends"}},
	{"matrix", "dates.py", `{d:02}.{m:02}.{y}`, `{d:02}.{m:02}.`, "### ❌ 2 failed: 2 new\n",
		[]string{"`test (de, 3.12)`", "`test (de, 3.13)`", "test_years_have_four_digits"}},
	{"monorepo", "api/price.go", "%d.%02d", "%d.%d", "### ❌ 1 failed: 1 new\n",
		[]string{"[`api/price_test.go:7`]", "want 19.05", "3 steps passed", "4 of 4 steps compared"}},
}

// TestExamples checks that each example passes on main. A pull request that breaks it must get one comment with the new
// errors.
func TestExamples(t *testing.T) {
	for _, c := range changes {
		t.Run(c.example, func(t *testing.T) {
			t.Parallel()
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
			w.comment(c.headline, c.names...)
		})
	}
}

// comment checks that there is exactly one comment, with this headline and these texts, and returns it.
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
