//go:build linux

package faults

import (
	"bytes"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

// compare checks that a server has all work of its clients exactly once.
func compare(t *testing.T, far place, clients []*client) {
	t.Helper()
	runs := far.runs()
	serials := map[int]string{}
	for _, r := range runs {
		if other, taken := serials[r.Serial]; taken {
			t.Errorf("%s and %s have the same serial", other, r.Ref())
		}
		serials[r.Serial] = r.Ref().String()
	}
	expected := 0
	for _, c := range clients {
		if len(c.done) == 0 {
			continue
		}
		near := c.kept()
		byName := map[string]store.Run{}
		for _, r := range near.runs() {
			byName[r.Source] = r
		}
		for _, w := range c.done {
			expected++
			here, ok := byName[w.name]
			there, sent := runs[here.Attempt]
			if !ok || !sent {
				t.Errorf("%s: recorded %v, sent %v", w.name, ok, sent)
				continue
			}
			w.compare(t, near, here, far, there)
		}
		if len(byName) != len(c.done) {
			t.Errorf("%s recorded %d runs, not %d", c.name, len(byName), len(c.done))
		}
	}
	if len(runs) != expected {
		t.Errorf("%d runs are there, %d were sent", len(runs), expected)
	}
}

// compare checks that the server has a run as it was recorded, and that the record is complete. If the recorder was
// killed or the disk was full, the record must be complete up to that point.
func (w *work) compare(t *testing.T, near place, here store.Run, far place, there store.Run) {
	t.Helper()
	if here.State == store.StateCompleted {
		if there.State != store.StateCompleted || there.ExitCode == nil || *there.ExitCode != 3 || there.Lost != here.Lost {
			t.Errorf("%s ended there with %+v, here with %+v", w.name, there.Ending, here.Ending)
		}
		if !w.choked && (there.Errors != w.errors || there.Lost != "") {
			t.Errorf("%s has %d errors there, want %d, and lost %q", w.name, there.Errors, w.errors, there.Lost)
		}
	} else if !w.killed && !w.choked || there.State == store.StateCompleted {
		t.Errorf("%s is %s here, killed: %v, and %s there", w.name, here.State, w.killed, there.State)
	}
	log, kept := far.log(there), near.log(here)
	for stream, text := range w.log() {
		if !bytes.Equal(log[stream], kept[stream]) {
			t.Errorf("%s: the log has %d bytes there and %d here", w.name, len(log[stream]), len(kept[stream]))
		}
		if !bytes.HasPrefix(text, log[stream]) || here.State == store.StateCompleted && here.Lost == "" &&
			len(text) != len(log[stream]) {
			t.Errorf("%s: its log of %d bytes is there with %d bytes, a prefix: %v", w.name, len(text), len(log[stream]),
				bytes.HasPrefix(text, log[stream]))
		}
	}
	if got, want := far.chunks(there), near.chunks(here); !maps.Equal(got, want) {
		t.Errorf("%s: chunks (-here +there):\n%s", w.name, cmp.Diff(want, got))
	}
	got, want := far.events(there), near.events(here)
	if !maps.Equal(got, want) {
		t.Errorf("%s: events (-here +there):\n%.2000s", w.name, cmp.Diff(want, got))
	}
	if there.Errors != len(got) || there.Bytes != here.Bytes {
		t.Errorf("%s: %d errors and %d bytes are counted, want %d and %d", w.name, there.Errors, there.Bytes, len(got),
			here.Bytes)
	}
}
