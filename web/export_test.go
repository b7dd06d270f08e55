package web

import "strconv"

// Spans and Seconds export functions for tests.
var (
	Spans   = spans
	Seconds = seconds
)

// InWords describes a strip of runs with the given meanings.
func InWords(words ...string) string {
	var list []square
	for i, word := range words {
		list = append(list, square{ref: "b:" + strconv.Itoa(i+1), word: word})
	}
	return inWords(list)
}
