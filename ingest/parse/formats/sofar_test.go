package formats

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// Calls of SoFar after each line do not change the result. They return most events before the end of the log.
func TestAskingForWhatIsKnownChangesNothing(t *testing.T) {
	known, all := 0, 0
	for _, g := range goldens(t) {
		want := parse.Bytes(g.input, g.exit, g.opts)
		fingerprints := map[string]bool{}
		for _, e := range want {
			fingerprints[e.Fingerprint] = true
		}
		var got, soFar []store.Event
		p := parse.New(g.opts, func(e store.Event) { got = append(got, e) })
		for line := range bytes.SplitAfterSeq(g.input, []byte("\n")) {
			p.Write(line)
			soFar = p.SoFar(1000)
			for i, e := range soFar {
				if e.ID != len(got)+i+1 {
					t.Fatalf("%s: event %d so far has the number %d after %d settled ones", g.file, i, e.ID, len(got))
				}
			}
		}
		for _, e := range append(soFar, got...) {
			if fingerprints[e.Fingerprint] {
				known++
			}
		}
		p.Finish(g.exit)
		all += len(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: events differ (-want +got):\n%s", g.file, diff)
		}
	}
	if known < all*3/4 {
		t.Errorf("%d of %d events are known before the end", known, all)
	}
}
