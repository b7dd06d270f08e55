//go:build linux

package faults

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const clients = 4

// scene is a server with its clients.
type scene struct {
	*testing.T
	server   *server
	recorder *recorder
	watcher  *watcher
	clients  []*client
}

func newScene(t *testing.T, env ...string) *scene {
	t.Helper()
	s := &scene{T: t, server: serve(t, env...)}
	s.recorder = record(t, s.server)
	s.watcher = watch(t, s.server, s.recorder.told)
	for i := range clients {
		s.clients = append(s.clients, newClient(t, fmt.Sprint("c", i), s.recorder))
	}
	return s
}

// uploads makes the clients send n runs, each with the fault that choose returns. It returns how many faults happened,
// by victim.
func (s *scene) uploads(n int, choose func(i int, w *work) *fault) map[victim]int {
	met := map[victim]int{}
	var mu sync.Mutex
	var next atomic.Int64
	var wg sync.WaitGroup
	for _, c := range s.clients {
		wg.Go(func() {
			for i := int(next.Add(1)); i <= n; i = int(next.Add(1)) {
				w := newWork(chance(s.T, uint64(i)), fmt.Sprint("u", i))
				f := choose(i, w)
				s.watcher.expect(w)
				c.upload(w, f)
				mu.Lock()
				if f.happened() {
					met[f.victim]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return met
}

// judge stops the server. It compares the server's data with what was sent and acknowledged.
func (s *scene) judge(open func() place) {
	s.Helper()
	looks := s.watcher.end()
	s.server.kill()
	far := open()
	counts := far.holds(s.recorder.acks)
	compare(s.T, far, s.clients)
	if looks == 0 {
		s.Error("nobody looked")
	}
	s.Logf("acknowledged and found: %v; answers by status: %v; %d looks at what is shown",
		counts, s.recorder.statuses, looks)
	for status, n := range s.recorder.statuses {
		if status >= 500 && status != 503 || status >= 400 && status < 500 && status != 400 && status != 499 {
			s.Errorf("%d answers were %d", n, status)
		}
	}
}

func TestKilledProcessesLoseNothing(t *testing.T) {
	t.Run("SQLite and files", func(t *testing.T) {
		t.Parallel()
		data := t.TempDir()
		s := newScene(t, "BLQ_DATA="+data)
		s.killing(*uploads - *uploads/2)
		s.judge(func() place { return onDisk(t, filepath.Join(data, "blq.db"), filepath.Join(data, "logs")) })
	})
	t.Run("PostgreSQL and a bucket", func(t *testing.T) {
		t.Parallel()
		c := newCloud(t)
		s := newScene(t, c.env()...)
		s.killing(*uploads / 2)
		s.judge(c.open)
	})
}

// killing sends runs while servers, clients and connections are killed.
func (s *scene) killing(n int) {
	s.Helper()
	chance(s.T, 0)
	began := time.Now()
	met := s.uploads(n, func(i int, w *work) *fault { return newFault(chance(s.T, uint64(1_000_000+i)), w.requests()) })
	s.Logf("%d uploads in %v: %d met the end of their server, %d their own, %d that of their connection; the server "+
		"was killed %d times",
		n, time.Since(began).Round(time.Second), met[theServer], met[theClient], met[theWire], s.server.ends)
	if 2*(met[theServer]+met[theClient]+met[theWire]) < n {
		s.Error("most uploads met nothing")
	}
}
