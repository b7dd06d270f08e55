package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

func TestARunIsCheckedBeforeItStarts(t *testing.T) {
	start, seen := time.Unix(100, 0), time.Unix(200, 0)
	r, err := store.Run{Attempt: "a", Source: "build", StartedAt: start}.Checked()
	if err != nil || r.State != store.StateRunning || r.OpenedAt != start || r.HeartbeatAt != start {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = store.Run{Attempt: "a", Source: "build", StartedAt: start, HeartbeatAt: seen}.Checked()
	if err != nil || r.OpenedAt != seen || r.HeartbeatAt != seen {
		t.Errorf("%+v, %v", r, err)
	}
	for _, bad := range []store.Run{{Source: "build"}, {Attempt: "a"}, {Attempt: "a", Source: "latest"},
		{Attempt: "a", Source: "1"}} {
		if _, err := bad.Checked(); store.CodeOf(err) != store.Invalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestWhatARunTakes(t *testing.T) {
	r := store.Run{Attempt: "a", Repo: "o/n", Source: "build", Serial: 5}
	done := r
	done.State = store.StateCompleted
	chunk := store.Chunk{Sequence: 3, Digest: "d"}
	conflicts := map[string]error{
		"another repository": r.CheckSame(store.Run{Attempt: "a", Repo: "o/m"}),
		"pruned":             r.CheckNew(true),
		"completed":          done.CheckOpen(),
		"another digest":     r.CheckRepeated(chunk, "e"),
		"a number is taken":  store.EventsTaken([]store.Event{{ID: 4}, {ID: 6}}),
		"a live number":      store.LiveTaken(3),
	}
	for name, err := range conflicts {
		if store.CodeOf(err) != store.Conflict {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"the same": r.CheckSame(r), "new": r.CheckNew(false), "open": r.CheckOpen(),
		"the same digest": r.CheckRepeated(chunk, "d"),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for err, want := range map[error]string{store.NoAttempt("a", true): "attempt a was pruned",
		store.NoAttempt("a", false): "no attempt a"} {
		if err.Error() != want || store.CodeOf(err) != store.NotFound {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestEventsHaveANumberAndASeverity(t *testing.T) {
	for e, want := range map[store.Event]store.Code{
		{ID: 1, Severity: store.SeverityInfo}: "", {ID: 0, Severity: store.SeverityError}: store.Invalid,
		{ID: -1, Severity: store.SeverityError}: store.Invalid,
		{ID: 1}:                                 store.Invalid, {ID: 1, Severity: "critical"}: store.Invalid,
	} {
		if err := e.Check(); store.CodeOf(err) != want || (err != nil) != (want != "") {
			t.Errorf("%+v: %v", e, err)
		}
	}
}

func TestLiveEventsAreNumberedFromAPlaceOn(t *testing.T) {
	events := func(ids ...int) (list []store.Event) {
		for _, id := range ids {
			list = append(list, store.Event{ID: id})
		}
		return list
	}
	for _, tt := range []struct {
		state store.State
		from  int
		ids   []int
		want  store.Code
	}{
		{store.StateRunning, 1, nil, ""}, {store.StateOrphaned, 3, []int{3, 4, 9}, ""},
		{store.StateRunning, 0, nil, store.Invalid}, {store.StateRunning, -1, nil, store.Invalid},
		{store.StateRunning, 3, []int{2}, store.Invalid}, {store.StateRunning, 3, []int{3, 3}, store.Invalid},
		{store.StateRunning, 3, []int{4, 3}, store.Invalid},
		{store.StateCompleted, 1, nil, store.Conflict},
	} {
		if err := store.CheckLive(store.Run{State: tt.state}, tt.from, events(tt.ids...)); store.CodeOf(err) != tt.want ||
			(err != nil) != (tt.want != "") {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

func TestHashesAreThoseOfTheEventOrComputed(t *testing.T) {
	e := compile("m")
	wantPrint, _ := store.FingerprintHash(store.Fingerprint(e))
	wantPattern, _ := store.FingerprintHash(store.Pattern(e))
	if a, b := e.Hashes(); a != wantPrint || b != wantPattern {
		t.Errorf("computed: %x, %x", a, b)
	}
	e.Fingerprint, e.Pattern = "gcc_compile_0000000000000007", "gcc_compile_0000000000000009"
	if a, b := e.Hashes(); a != 7 || b != 9 {
		t.Errorf("given: %x, %x", a, b)
	}
}

func TestReceivedCountsUpToTheFirstGap(t *testing.T) {
	want := store.Received{Chunks: 2, Batches: 0, AllChunks: 3, AllBatches: 1}
	if diff := cmp.Diff(want, store.NewReceived([]int{0, 1, 3}, []int{1})); diff != "" {
		t.Error(diff)
	}
	want = store.Received{Chunks: 2, AllChunks: 2}
	if diff := cmp.Diff(want, store.NewReceived([]int{0, 1}, nil)); diff != "" {
		t.Error(diff)
	}
}

func TestCommitRange(t *testing.T) {
	from, to, err := store.CommitRange("ABc4")
	if from != "abc4" || to != "abc4g" || err != nil {
		t.Errorf("%s to %s, %v", from, to, err)
	}
	if _, _, err := store.CommitRange("abc"); store.CodeOf(err) != store.Invalid {
		t.Error(err)
	}
}
