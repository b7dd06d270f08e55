//go:build job

package lexical

import "sort"

// sortKeys sorts terms. The program for jobs has this version, which is smaller but slower. Jobs download the program
// and index few documents.
func sortKeys(list []key, order func(a, b key) int) {
	sort.Slice(list, func(i, k int) bool { return order(list[i], list[k]) < 0 })
}
