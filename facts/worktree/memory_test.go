package worktree

import (
	"errors"
	"strconv"
	"testing"
)

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	m := &Memory{}
	m.put("large", object{content: make([]byte, maxObject+1)})
	if _, known := m.get("large"); known {
		t.Error("a large object is remembered")
	}
	for i := range 2 * maxRemembered / maxObject {
		m.put(strconv.Itoa(i), object{content: make([]byte, maxObject), digest: strconv.Itoa(i)})
		m.put(strconv.Itoa(i), object{content: make([]byte, maxObject)})
		if o, known := m.get(strconv.Itoa(i)); !known || o.digest != strconv.Itoa(i) || m.bytes > maxRemembered {
			t.Fatal(i, known, o.digest, m.bytes)
		}
	}
	if _, known := m.get("0"); known {
		t.Error("nothing was forgotten")
	}
}

func TestAListIsMadeOnce(t *testing.T) {
	t.Parallel()
	m, made := &Memory{}, 0
	list := func(size int, err error) func() ([]byte, error) {
		return func() ([]byte, error) { made++; return make([]byte, size), err }
	}
	for _, step := range []struct {
		kind string
		list func() ([]byte, error)
		made int
	}{
		{"files", list(3, errors.New("failed")), 1},
		{"files", list(3, nil), 2},
		{"files", list(3, nil), 2},
		{"ancestors", list(3, nil), 3},
		{"large", list(maxListing+1, nil), 4},
		{"large", list(maxListing+1, nil), 5},
	} {
		if _, _ = m.listing(step.kind, "commit", step.list); made != step.made {
			t.Errorf("%s: %d lists were made, want %d", step.kind, made, step.made)
		}
	}
	if out, err := (*Memory)(nil).listing("files", "commit", list(2, nil)); len(out) != 2 || err != nil {
		t.Errorf("without a memory: %d bytes, %v", len(out), err)
	}
}
