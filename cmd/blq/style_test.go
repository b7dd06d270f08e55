package main

import "testing"

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
