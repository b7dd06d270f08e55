package githubtest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/github/githubtest"
)

// noted is a testing.TB that records failures.
type noted struct {
	testing.TB
	why []string
}

func (n *noted) Errorf(format string, args ...any) {
	n.why = append(n.why, fmt.Sprintf(format, args...))
}

// inputs returns the members of an object with n inputs.
func inputs(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"i%d": "x"`, i)
	}
	return strings.Join(list, ", ")
}

func TestWhatGitHubWouldNotUnderstandFailsTheTest(t *testing.T) {
	for name, tt := range map[string]struct{ method, path, body, why string }{
		"no body":        {"POST", "/repos/acme/shop/issues/7/comments", `{"text": "x"}`, `property "body" is missing`},
		"wrong type":     {"POST", "/repos/acme/shop/issues/7/comments", `{"body": 1}`, "/body: value must be a string"},
		"wrong state":    {"GET", "/repos/acme/shop/pulls?state=merged", "", "not one of the allowed values"},
		"no such route":  {"GET", "/repos/acme/shop/comments/", "", "no matching operation"},
		"no such method": {"PUT", "/repos/acme/shop", `{}`, "method not allowed"},
		"too many inputs": {"POST", "/repos/acme/shop/actions/workflows/ci.yml/dispatches",
			`{"ref": "main", "inputs": {` + inputs(26) + `}}`, "must be at most 25 properties"},
	} {
		t.Run(name, func(t *testing.T) {
			n := &noted{TB: t}
			g := githubtest.New(n)
			g.Repo("acme/shop", 1)
			r, err := http.NewRequestWithContext(t.Context(), tt.method, g.URL+tt.path, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Bearer "+g.Job("acme/shop", "pull-requests: write"))
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusUnprocessableEntity || len(n.why) != 1 || !strings.Contains(n.why[0], tt.why) {
				t.Errorf("%s, said %q, want %q", resp.Status, n.why, tt.why)
			}
		})
	}
}
