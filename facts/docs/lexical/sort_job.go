//go:build job

package lexical

import "sort"

// sortKeys sorts terms. Jobs index few documents, and download this program.
func sortKeys(list []key, order func(a, b key) int) {
	sort.Slice(list, func(i, k int) bool { return order(list[i], list[k]) < 0 })
}
