package report_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/github/githubtest"
)

// TestNothingIsWaitedForBeyondTheInput checks that a report ends in time if GitHub or the server hangs, or asks for a
// much later retry.
func TestNothingIsWaitedForBeyondTheInput(t *testing.T) {
	t.Parallel()
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the handler notices that the client is gone
		<-r.Context().Done()
	}))
	t.Cleanup(func() { hanging.CloseClientConnections(); hanging.Close() })
	later := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "200")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(later.Close)
	for name, tt := range map[string]struct {
		begin  string // prefix of the paths of GitHub requests that fail, "" for none
		fault  http.Handler
		server string
		want   string
	}{
		"GitHub hangs":             {"", githubtest.Hang(), "", "nothing is reported: GitHub"},
		"GitHub wants a pause":     {"", githubtest.TooMany(25), "", "too many requests"},
		"the comment hangs":        {"POST ", githubtest.Hang(), "", "no comment: "},
		"the comment is limited":   {"POST ", githubtest.TooMany(25), "", "no comment: "},
		"the server hangs":         {"-", nil, hanging.URL, "the server does not answer"},
		"the server wants a pause": {"-", nil, later.URL, "the server does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pullRequest(t)
			p.left(artifact(t, "build", "build", 1, "'x' undeclared"))
			p.github.Fault(tt.begin, 1000, tt.fault)
			code := p.report("github-token", p.github.Job(shop, "pull-requests: write", "actions: read"), "server", tt.server,
				"token", "x", "wait", "12") // even a busy machine answers in that time
			if got := p.notes.String(); code != 0 || !strings.Contains(got, tt.want) {
				t.Errorf("exit code %d: %s", code, got)
			}
			if fallsBack := tt.server != ""; fallsBack != (len(p.github.Comments(shop, number)) == 1) {
				t.Errorf("%d comments: %s", len(p.github.Comments(shop, number)), p.notes.String())
			}
		})
	}
}
