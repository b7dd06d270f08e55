package query

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSizeIsThatOfJSON(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "abc", `a"b\c`, "a\nb\tc", "grün", "\"\"\"", "\\"} {
		text, err := json.Marshal(s)
		if err != nil || jsonSize(s) != len(text)-2 {
			t.Errorf("%q: %d, want %d, %v", s, jsonSize(s), len(text)-2, err)
		}
	}
}

func TestALineThatIsTooLargeIsCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line  string
		limit int
		want  string
	}{
		{"abcdefghij\n", 20, "abcd… (line cut)\n"},
		{"grüün\n", 19, "gr… (line cut)\n"}, // half a letter is not shown
		{"grüün\n", 21, "grü… (line cut)\n"},
		{`""""` + "\n", 19, `"… (line cut)` + "\n"}, // two bytes each
		{"abc\n", 3, "… (line cut)\n"},
	} {
		got := clipLine(tt.line, tt.limit)
		if got != tt.want || !utf8.ValidString(got) || tt.limit > 15 && jsonSize(got) > tt.limit {
			t.Errorf("%q in %d: %q of %d", tt.line, tt.limit, got, jsonSize(got))
		}
	}
}

func TestRangesOfLines(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]int{
		"40-60": {40, 60}, "L40-L60": {40, 60}, "40": {40, 40}, "L7": {7, 7}, "40-": {40, 0}, "5-5": {5, 5}, "1": {1, 1},
	} {
		if from, to, err := ParseLines(text); err != nil || [2]int{from, to} != want {
			t.Errorf("%q: %d to %d, %v", text, from, to, err)
		}
	}
	for _, text := range []string{"", "-", "-5", "6-5", "0", "0-3", "a", "1-b", "x-", "1-2-3"} {
		if from, to, err := ParseLines(text); err == nil || from != 0 || to != 0 || !strings.Contains(err.Error(), "range") {
			t.Errorf("%q: %d to %d, %v", text, from, to, err)
		}
	}
}
