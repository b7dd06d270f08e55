// Package nearest finds the word that a mistyped word stands for. It imports nothing.
package nearest

// Word returns the word that is most similar to the given text, or "" if no word is similar.
func Word(s string, words []string) string {
	best, distance := "", len(s)/3+1
	for _, w := range words {
		if d := edits(s, w); d <= distance && d < max(len(s), len(w)) {
			best, distance = w, d-1
		}
	}
	return best
}

// Meant returns "; did you mean w?" with the most similar word, or "" if no word is similar. Callers append the
// result to a message.
func Meant(s string, words []string) string {
	if w := Word(s, words); w != "" {
		return "; did you mean " + w + "?"
	}
	return ""
}

// edits returns the Levenshtein distance of two texts in bytes: the number of bytes to insert, remove or change.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
