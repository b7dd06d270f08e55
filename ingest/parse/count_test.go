package parse

import (
	"fmt"
	"testing"
)

func TestBlanksInARow(t *testing.T) {
	var b Blanks
	got := ""
	for _, text := range []string{"a", "", "", "b", "c", ""} {
		before, empty := b.Line(text)
		got += fmt.Sprintf("%q %d %v\n", text, before, empty)
	}
	want := "\"a\" 0 false\n\"\" 0 true\n\"\" 1 true\n\"b\" 2 false\n\"c\" 0 false\n\"\" 0 true\n"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNumberingTakesWhatComesNext(t *testing.T) {
	var n Numbering
	got := ""
	for _, text := range []string{"2) x", "1) a", "1) b", "2) c", "3)d", "x 3) e", "3) f"} {
		if title, ok := n.Next(text); ok {
			got += fmt.Sprint(int(n), title, " ")
		}
	}
	if want := "1a 2c 3f "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCutNumber(t *testing.T) {
	for text, want := range map[string]string{
		"12) a) b": "12 a) b true", "0) a": "0 a true", "a": "0 a false", "1 a": "1  a false", ") a": "0 ) a false",
	} {
		number, title, ok := CutNumber(text)
		if got := fmt.Sprint(number, " ", title, " ", ok); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
