//go:build linux

package faults

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// watcher asks a server for its runs after each part that the server accepted. It notes two errors: a run that has
// ended but is incomplete, and a run that has disappeared.
type watcher struct {
	t    *testing.T
	of   *server
	mu   sync.Mutex
	want map[string]int // expected errors by source, -1 for any number
	seen map[string]int // serials of runs that had ended
	n    int            // number of answers
	stop chan struct{}
	over sync.WaitGroup
}

func watch(t *testing.T, of *server, took <-chan struct{}) *watcher {
	w := &watcher{t: t, of: of, want: map[string]int{}, seen: map[string]int{}, stop: make(chan struct{})}
	w.over.Go(func() {
		for {
			select {
			case <-w.stop:
				return
			case <-took:
				w.look()
			}
		}
	})
	return w
}

func (w *watcher) expect(of *work) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.want[of.name] = of.errors
	if of.choked {
		w.want[of.name] = -1
	}
}

// end stops the watcher, and returns the number of answers that were checked.
func (w *watcher) end() int {
	close(w.stop)
	w.over.Wait()
	return w.n
}

func (w *watcher) look() {
	w.of.mu.Lock() // not while the server is restarted
	url := "http://" + w.of.addr + "/v1/ask/history"
	w.of.mu.Unlock()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, url, strings.NewReader(`{"params": {"limit": 0}}`))
	check(w.t, err)
	r.Header.Set("Content-Type", "application/json")
	res, err := direct.RoundTrip(r)
	if err != nil {
		return // the server is down
	}
	defer res.Body.Close()
	var got query.History
	if res.StatusCode != http.StatusOK || json.NewDecoder(res.Body).Decode(&got) != nil {
		return
	}
	w.n++
	w.mu.Lock()
	defer w.mu.Unlock()
	ended := map[string]int{}
	for _, r := range got.Runs {
		if r.Status == store.StatusRunning || r.Status == store.StatusOrphaned {
			continue
		}
		ended[r.Source] = r.RunID
		if want, ok := w.want[r.Source]; r.Status != store.StatusFail || !ok || want >= 0 && r.Errors != want ||
			r.ExitCode == nil || *r.ExitCode != 3 {
			w.t.Errorf("%s is shown as %s with %d errors, want %d", r.Source, r.Status, r.Errors, w.want[r.Source])
		}
	}
	for source, serial := range w.seen {
		if ended[source] != serial {
			w.t.Errorf("%s had ended as number %d, and is now number %d", source, serial, ended[source])
		}
	}
	w.seen = ended
}
