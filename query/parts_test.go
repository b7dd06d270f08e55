package query

import "testing"

func TestPartsKeepWhatWasUsedLast(t *testing.T) {
	var p Parts
	if p.Get("a") != nil || (*Parts)(nil).Get("a") != nil {
		t.Error("something is kept")
	}
	(*Parts)(nil).Put("a", 1, 1)
	p.Put("large", 0, maxPartBytes)
	for n := range maxParts {
		p.Put(string(rune('a'+n)), n, 1)
	}
	p.Get("a")
	p.Put("z", 26, 1)
	for key, want := range map[string]any{"a": 0, "b": nil, "c": 2, "z": 26, "large": nil} {
		if got := p.Get(key); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	p.Put("z", 27, maxPartBytes/2)
	p.Put("y", 25, maxPartBytes/2)
	if p.Get("z") != 27 || p.Get("y") != 25 || p.Get("c") != nil || len(p.kept) != 2 {
		t.Errorf("%d are kept", len(p.kept))
	}
}
