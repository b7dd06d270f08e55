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

// watcher asks a server, whenever it took something, what it shows, and notes
// what nobody should see: a run that counts as ended and is not whole, or that
// is gone.
type watcher struct {
	t    *testing.T
	of   *server
	mu   sync.Mutex
	want map[string]int // errors of each source, -1 for any
	seen map[string]int // serials of runs that had ended
	n    int            // answers
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

// end returns how many answers were looked at.
func (w *watcher) end() int {
	close(w.stop)
	w.over.Wait()
	return w.n
}

func (w *watcher) look() {
	w.of.mu.Lock() // while it is started there is nobody to ask
	url := "http://" + w.of.addr + "/v1/ask/history"
	w.of.mu.Unlock()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, url, strings.NewReader(`{"limit": 0}`))
	check(w.t, err)
	r.Header.Set("Content-Type", "application/json")
	res, err := direct.RoundTrip(r)
	if err != nil {
		return // it is down
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
		if want, ok := w.want[r.Source]; r.Status != store.StatusFail || !ok || want >= 0 && r.Errors != want || r.ExitCode == nil || *r.ExitCode != 3 {
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
