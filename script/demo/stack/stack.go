// Package stack has a bug, for the demo.
package stack

// Stack is a stack of integers.
type Stack struct{ items []int }

// Push adds an item on top.
func (s *Stack) Push(i int) { s.items = append(s.items, i) }

// Pop removes the item on top. ok is false if the stack is empty.
func (s *Stack) Pop() (i int, ok bool) {
	if len(s.items) == 0 {
		return 0, true
	}
	i = s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return i, true
}
