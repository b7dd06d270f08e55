package parse

import (
	"strings"
	"testing"
)

func TestMessageIsTheFirstParagraph(t *testing.T) {
	for text, want := range map[string]string{
		"a\n  b \n\nc":         "a|b",
		"\n\na\n\nb":           "a",
		"expected:\n\n1\n\n2":  "expected:|1",
		"1\n2\n3\n4\n5\n6\n7":  "1|2|3|4|5|6",
		"a:\n\nb:\n\nc\n\nd":   "a:|b:|c",
		"":                     "",
		"1\n2\n3\n4\n5:\n6:\n": "1|2|3|4|5:|6:",
	} {
		m := Message{Between: "|"}
		for line := range strings.SplitSeq(text, "\n") {
			m.Add(line)
		}
		if got := m.String(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestMessageEnds(t *testing.T) {
	var m Message
	m.Break()
	if m.Ended() || !m.Empty() || m.First() != "" || m.Last() != "" {
		t.Error("a message that has not begun has ended")
	}
	d := Draft{}
	m.Max = 3
	m.Tell(&d, "a")
	m.Break()
	m.Tell(&d, "b")
	if d.Message != "a" || !m.Ended() {
		t.Errorf("the message goes on: %q", d.Message)
	}
	if !m.More("c") || !m.More("d") || m.More("e") {
		t.Error("room for 3 lines is not used, or exceeded")
	}
	if got := m.String(); got != "a\nc\nd" || m.First() != "a" || m.Last() != "d" {
		t.Errorf("%q, from %q to %q", got, m.First(), m.Last())
	}
	m = Message{}
	if m.End(); !m.Ended() {
		t.Error("it did not end")
	}
}
