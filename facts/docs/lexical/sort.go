//go:build !job

package lexical

import "slices"

// sortKeys sorts terms.
func sortKeys(list []key, order func(a, b key) int) { slices.SortFunc(list, order) }
