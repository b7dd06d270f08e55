package capture

import (
	"testing"
	"time"
)

func TestAReaderThatABusyMachineLetsWaitGoesOn(t *testing.T) {
	t.Parallel()
	at := func(ms int) time.Time { return time.Unix(1e9, 0).Add(time.Duration(ms) * time.Millisecond) }
	type look struct {
		ms    int
		reads int64
		busy  bool
		over  bool
	}
	for name, looks := range map[string][]look{
		"it waits for half a second": {{0, 5, false, false}, {200, 5, false, false}, {600, 5, false, false},
			{800, 6, false, false}, {1700, 6, false, false}},
		"nothing comes": {{0, 5, false, false}, {800, 5, false, false}, {1000, 5, false, true}},
		"a write takes long": {{0, 5, false, false}, {900, 5, true, false}, {1800, 5, true, false},
			{2700, 5, false, false}, {2900, 5, false, true}},
		"others write on":                 {{0, 5, false, false}, {500, 15, false, false}, {1200, 22, false, true}},
		"others write less than pipes do": {{0, 5, false, false}, {900, 15, false, false}, {1200, 21, false, false}},
	} {
		s := stillness{first: 5, ended: at(0)}
		for _, l := range looks {
			if got := s.over(l.reads, l.busy, at(l.ms)); got != l.over {
				t.Errorf("%s: after %d ms %v, want %v", name, l.ms, got, l.over)
			}
		}
	}
}
