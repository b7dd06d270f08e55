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

// TestServerInTroubleChangesNoOutcome: a job ends as without it, and is not kept
// for long. Each of its steps waits a second.
func TestServerInTroubleChangesNoOutcome(t *testing.T) {
	for name, tt := range map[string]struct {
		server   func(w *world) string
		runs     int // that the service has in the end
		warnings int // of the steps, and of what is tried after the last one
	}{
		"down": {func(w *world) string { return deadURL(w.T) }, 0, 4},
		"hangs": {func(w *world) string {
			return w.answering(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // only then is it noticed that the client has gone
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
			if h.took > 30*time.Second { // three steps of a second, and one after the job
				t.Errorf("it took %v", h.took)
			}
			w.server = well
			if got := w.runs(); got != tt.runs {
				t.Errorf("the service has %d runs", got)
			}
		})
	}
}

// comesBack is a way to the service that is there as soon as the job says so.
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

// deadURL is the address of a server that is not there.
func deadURL(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	check(t, l.Close())
	return "http://" + l.Addr().String()
}
