// Package stack is a stack with a mistake, for the demo.
package stack

// Stack holds integers, the newest on top.
type Stack struct{ items []int }

// Push puts an item on top.
func (s *Stack) Push(i int) { s.items = append(s.items, i) }

// Pop takes the item on top; ok is false when there is none.
func (s *Stack) Pop() (i int, ok bool) {
	if len(s.items) == 0 {
		return 0, true
	}
	i = s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return i, true
}
