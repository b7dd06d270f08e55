package main

import (
	"bytes"
	"testing"
)

func TestWaitingSaysHowMuchIsStored(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		done, all int64
		want      string
	}{
		{1_234_000_000, 2_000_700_000, ": 1.2 of 2.0 GB"},
		{3_000_000, 45_600_000, ": 3 of 46 MB"},
		{3_000_000, 0, ": 3 MB"},
		{0, 0, ""},
	} {
		if got := progressOf(tt.done, tt.all); got != tt.want {
			t.Errorf("%d of %d: %q, want %q", tt.done, tt.all, got, tt.want)
		}
	}
}

// If stderr is not a terminal, the progress is printed only once. Otherwise it would fill the log of a CI job.
func TestWaitingIsSaidOnce(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	show, end := (&app{stderr: &out}).waiting("storing the log")
	show(1e6, 2e9)
	show(2e6, 2e9)
	end()
	if got, want := out.String(), "blq: storing the log: 0.0 of 2.0 GB\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
