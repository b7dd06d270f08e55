package parse

import (
	"strings"
	"testing"
)

func TestTriggersAreFoundAnywhere(t *testing.T) {
	literals := []string{"error:", ": E:", "✖", ":F:", "Traceback (most", "abcd"}
	formats := make([]Format, len(literals))
	for i, l := range literals {
		formats[i].Triggers = []string{l}
	}
	tr := newTriggers(formats)
	for i, l := range literals {
		for pad := range 12 {
			for _, text := range []string{
				strings.Repeat("x", pad) + l, l + strings.Repeat("y", pad), strings.Repeat("x", pad) + l + strings.Repeat("y",
					12-pad),
				strings.Repeat("é", pad) + l + "é",
			} {
				var m mask
				tr.scan([]byte(text), &m)
				if !m.has(i) {
					t.Errorf("%q is not found in %q", l, text)
				}
			}
		}
	}
	var m mask
	if tr.scan([]byte("nothing of note: abc, error, Traceback"), &m); !m.empty() {
		t.Errorf("found what is not there: %b", m)
	}
}

func TestStartsAreFoundAtTheStartOnly(t *testing.T) {
	formats := []Format{{Starts: []string{"E: "}}, {Starts: []string{"$"}}, {Starts: []string{"FAILED tests"}},
		{every: true}}
	tr := newTriggers(formats)
	for text, want := range map[string]uint64{
		"E: x": 0b1001, " E: x": 0b1000, "$": 0b1010, "$ make": 0b1010, "FAILED tests: 3": 0b1100, "FAILED test": 0b1000,
		"": 0b1000, "E:": 0b1000,
	} {
		var m mask
		if tr.scan([]byte(text), &m); m[0] != want {
			t.Errorf("%q: formats %b, want %b", text, m[0], want)
		}
	}
}

func TestMasksHoldManyFormats(t *testing.T) {
	formats := make([]Format, maxFormats)
	formats[maxFormats-1].Triggers = []string{"last of all"}
	tr := newTriggers(formats)
	var m mask
	if tr.scan([]byte("the last of all"), &m); !m.has(maxFormats-1) || m.has(0) || m.empty() {
		t.Errorf("formats %b", m)
	}
}
