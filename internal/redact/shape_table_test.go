package redact

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestTableFindsTheShapesOfEachGram(t *testing.T) {
	t.Parallel()
	shapes := append(maskCommands(), privateKey(), accessKey(), pairShape(), joinedShape())
	shapes = append(shapes, compileShapes(false)...)
	table := newShapeTable(shapes)
	want := map[uint32][]*shape{}
	var texts []string
	for _, s := range shapes {
		lister := gramLister{bytes: map[*class][]byte{}}
		grams := slices.Clone(lister.of(s))
		slices.Sort(grams)
		for _, gram := range slices.Compact(grams) {
			want[gram] = append(want[gram], s)
			texts = append(texts, string(binary.LittleEndian.AppendUint32(nil, gram)))
		}
	}
	for gram, list := range want {
		if got := table.of(gram); !slices.Equal(got, list) {
			t.Fatalf("gram %08x: got %d shapes, want %d", gram, len(got), len(list))
		}
	}
	slices.Sort(texts)
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 100000 {
		gram := r.Uint32() & 0x7f7f7f7f
		if got := table.of(gram); !slices.Equal(got, want[gram]) {
			t.Fatalf("gram %08x: got %d shapes, want %d", gram, len(got), len(want[gram]))
		}
		text := binary.LittleEndian.AppendUint32(nil, gram)[:1+r.IntN(3)]
		i, _ := slices.BinarySearch(texts, string(text))
		begins := i < len(texts) && strings.HasPrefix(texts[i], string(text))
		if got := table.begins(text); got != begins {
			t.Fatalf("begins(%q) = %v, want %v", text, got, begins)
		}
		if begins {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("only %d texts begin a shape", found)
	}
}
