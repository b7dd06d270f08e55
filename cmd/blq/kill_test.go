//go:build unix

package main

import (
	"fmt"
	"net/http"
	"os/exec"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/blq-ci/blq/store"
)

// A push may be killed at any of its requests. The next push sends the rest, so that the service has each event once.
func TestAKilledPushIsMadeUpFor(t *testing.T) {
	t.Parallel()
	const script = `i=0; while [ $i -lt 2500 ]; do i=$((i+1)); echo "f.c:$i:1: error: no $i"; done; exit 1`
	for at := int64(1); at <= 6; at++ {
		t.Run(fmt.Sprint("at request ", at), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			printed(t, blq(dir, "run", "-q", "-n", "build", "--", "sh", "-c", script))
			var victim atomic.Pointer[exec.Cmd]
			var n atomic.Int64
			far := newService(t, func(_ http.ResponseWriter, r *http.Request) bool {
				cmd := victim.Load()
				if cmd == nil || n.Add(1) < at {
					return false
				}
				cmd.Process.Signal(syscall.SIGKILL) // it is random whether this request is served
				return at%2 == 0
			})
			cmd := to(blq(dir, "push"), far.URL)
			victim.Store(cmd)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			if cmd.ProcessState.Success() {
				t.Fatal("it was not killed")
			}
			for _, r := range far.runs(t) {
				if r.State == store.StateCompleted && r.Errors != 2500 {
					t.Errorf("a run that is not whole counts as completed: %+v", r)
				}
			}
			victim.Store(nil)
			if out, code := printed(t, to(blq(dir, "push"), far.URL)); code != 0 {
				t.Fatalf("exit %d: %s", code, out)
			}
			runs := far.runs(t)
			page, err := far.store.Events(t.Context(), store.Everything(), store.EventFilter{})
			if err != nil || len(runs) != 1 || runs[0].State != store.StateCompleted || runs[0].Errors != 2500 ||
				page.Total != 2500 || runs[0].Lines != 2500 {
				t.Errorf("%v: %d runs, %d events, %+v", err, len(runs), page.Total, runs)
			}
		})
	}
}

// If a recorder is killed, the next push sends the stored part of its run. The service has the run as running.
func TestAKilledRunIsPushedAsFarAsItCame(t *testing.T) {
	t.Parallel()
	far, dir := newService(t, nil), t.TempDir()
	cmd, _ := startPrinting(t, dir, `echo "a.c:3:1: error: too late"; read x`, "too late")
	waitForChunk(t, dir)
	cmd.Process.Signal(syscall.SIGKILL)
	cmd.Wait()
	if out, code := printed(t, to(blq(dir, "push"), far.URL)); code != 0 || out != "slow:1 → acme/app@slow:1\n" {
		t.Fatalf("exit %d: %s", code, out)
	}
	r := far.runs(t)[0]
	if r.State != store.StateRunning || r.Errors != 1 || r.Bytes == 0 {
		t.Errorf("there: %+v", r)
	}
}
