//go:build e2e

package actions

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestServerInTroubleChangesNoOutcome checks that a job ends soon and with the same outcome as without a server. Each
// step waits at most a second for the server.
func TestServerInTroubleChangesNoOutcome(t *testing.T) {
	for name, tt := range map[string]struct {
		server   func(w *world) string
		runs     int // final number of runs on the service
		warnings int // warnings of the steps and of the post step
	}{
		"down": {func(w *world) string { return deadURL(w.T) }, 0, 4},
		"hangs": {func(w *world) string {
			return w.answering(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // only then the handler notices that the client is gone
				<-r.Context().Done()
			})
		}, 0, 4},
		"answers 500": {func(w *world) string {
			return w.answering(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(500) })
		}, 0, 4},
		"comes back": {(*world).comesBack, 3, 2},
		"is well":    {func(w *world) string { return w.server }, 3, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "testdata/faults")
			well := w.server
			w.server = tt.server(w)
			h := w.act(w.push())
			if h.code != 0 || !strings.Contains(h.log, "outcomes: success failure success; FAIL 1") {
				t.Errorf("act ended with %d", h.code)
			}
			if warned := strings.Count(h.log, "::warning title=blq::"); warned != tt.warnings {
				t.Errorf("%d warnings", warned)
			}
			if h.took > 30*time.Second { // three steps and a post step, with a second each
				t.Errorf("it took %v", h.took)
			}
			w.server = well
			if got := w.runs(); got != tt.runs {
				t.Errorf("the service has %d runs", got)
			}
		})
	}
}

// comesBack returns the URL of a proxy to the service. The proxy answers 502 until the job creates the file "up".
func (w *world) comesBack() string {
	to, err := url.Parse(w.server)
	check(w.T, err)
	proxy := httputil.NewSingleHostReverseProxy(to)
	return w.answering(func(rw http.ResponseWriter, r *http.Request) {
		if _, err := os.Stat(filepath.Join(w.kept, "up")); err != nil {
			rw.WriteHeader(http.StatusBadGateway)
			return
		}
		proxy.ServeHTTP(rw, r)
	})
}

func (w *world) answering(h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	w.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

// deadURL returns a URL without a listener.
func deadURL(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	check(t, l.Close())
	return "http://" + l.Addr().String()
}
