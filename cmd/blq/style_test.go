package main

import (
	"testing"
	"time"
)

func TestAHeadingIsFollowedByTheNextLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{
		{"one\ntwo", 20, "one"},
		{"Problem: nothing provides:\r\n\n  libfoo >= 2  \nthree", 60, "Problem: nothing provides: libfoo >= 2"},
		{"only a heading:", 20, "only a heading:"},
		{"equal:\n", 20, "equal:"},
		{"a heading:\nand more", 15, "a heading: and…"},
	} {
		if got := firstLine(tt.text, tt.n); got != tt.want {
			t.Errorf("firstLine(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}

// The report of blq run and later answers round a duration in the same way.
func TestDurationsAreRounded(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		261_700 * time.Microsecond: "262ms", 999_600 * time.Microsecond: "1.0s", 1500 * time.Millisecond: "1.5s",
		130 * time.Second: "2m10s",
	} {
		if got := short(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
