package query

import "testing"

func TestInvisibleCharactersAreHidden(t *testing.T) {
	t.Parallel()
	for _, list := range [][2]rune{{0x00ad, 0x00ad}, {0x061c, 0x061c}, {0x180e, 0x180e}, {0x200b, 0x200f},
		{0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe01ef}} {
		for r := list[0]; r <= list[1]; r++ {
			if !hidden(r) {
				t.Errorf("%U is shown", r)
			}
		}
		for _, r := range []rune{list[0] - 1, list[1] + 1} {
			if hidden(r) {
				t.Errorf("%U is hidden", r)
			}
		}
	}
	for r, want := range map[rune]bool{'\t': false, '\n': false, ' ': false, 0x1f: true, 0x7f: true, 0x7e: false,
		0x85: true} {
		if hidden(r) != want {
			t.Errorf("%U: %v", r, !want)
		}
	}
}

func TestLongLinesAreCut(t *testing.T) {
	t.Parallel()
	text := []rune("€x")
	long := make([]rune, 2001)
	for i := range long {
		long[i] = text[0]
	}
	if got := shown(string(long)); got != string(long[:2000])+"…" {
		t.Errorf("%d characters", len([]rune(got)))
	}
	if got := shown(string(long[1:])); got != string(long[1:]) {
		t.Errorf("%d characters of 2000", len([]rune(got)))
	}
}
