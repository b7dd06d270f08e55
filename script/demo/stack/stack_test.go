package stack

import "testing"

func TestPop(t *testing.T) {
	var s Stack
	s.Push(7)
	t.Run("newest first", func(t *testing.T) {
		if i, _ := s.Pop(); i != 7 {
			t.Errorf("Pop() = %d, want 7", i)
		}
	})
	t.Run("empty", func(t *testing.T) {
		if _, ok := s.Pop(); ok {
			t.Error("Pop() of an empty stack says ok")
		}
	})
}
