package parse

import (
	"math/rand"
	"strings"
	"testing"
)

func TestAWordSetFindsItsWords(t *testing.T) {
	words := []string{"ab", "abc", " 0 error", "é", "=0", "zz top"}
	set := NewWordSet(words...)
	random := rand.New(rand.NewSource(1))
	found := 0
	for range 20000 {
		var text strings.Builder
		for range random.Intn(6) {
			word := words[random.Intn(len(words))]
			text.WriteString(word[:random.Intn(len(word)+1)])
		}
		want := false
		for _, word := range words {
			want = want || strings.Contains(text.String(), word)
		}
		if got := set.In(text.String()); got != want {
			t.Fatalf("%q: %v, want %v", text.String(), got, want)
		}
		if want {
			found++
		}
	}
	if found == 0 || found == 20000 {
		t.Errorf("%d of 20000 texts have a word", found)
	}
}
