// Package words counts words.
package words

import "strings"

// Count returns how often each word occurs, whatever its case.
func Count(text string) map[string]int {
	count := map[string]int{}
	for _, word := range strings.Fields(text) {
		count[strings.ToLower(word)]++
	}
	return count
}
