package postgres

import (
	"testing"
	"unicode/utf8"
)

func FuzzTextIsKept(f *testing.F) {
	for _, s := range []string{"", "plain", "a\x00b", "\xff\xfe", "ü\x80", "\U0010ff00", "\U0010ffff\x00", "\U0010feff",
		"�", "\xf4\x90\x80\x80", "\xf4\x8f\xbc"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		kept := encode(s)
		if !utf8.ValidString(kept) {
			t.Errorf("%q is written %q", s, kept)
		}
		for _, r := range kept {
			if r == 0 {
				t.Errorf("%q is written %q", s, kept)
			}
		}
		if got := decode(kept); got != s {
			t.Errorf("%q is written %q and read %q", s, kept, got)
		}
	})
}
