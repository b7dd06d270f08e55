package words

import "testing"

func TestCount(t *testing.T) {
	count := Count("The cat and the hat")
	for word, want := range map[string]int{"the": 2, "cat": 1, "dog": 0} {
		if got := count[word]; got != want {
			t.Errorf("%q occurs %d times, want %d", word, got, want)
		}
	}
}
