package worktree

import (
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
