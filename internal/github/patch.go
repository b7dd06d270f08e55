package github

import (
	"regexp"
	"strconv"
	"strings"
)

// Range is a range of lines, counted from 1, both ends included.
type Range struct{ First, Last int }

var hunk = regexp.MustCompile(`^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@`)

// changed returns the lines that a patch adds, by their numbers in the new file.
func changed(patch string) []Range {
	var list []Range
	line := 0 // 0 before the first hunk
	for text := range strings.Lines(patch) {
		if m := hunk.FindStringSubmatch(text); m != nil {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				return list // not a valid line number
			}
			line = n
			continue
		}
		switch {
		case line == 0 || strings.HasPrefix(text, "-") || strings.HasPrefix(text, `\`):
			continue
		case strings.HasPrefix(text, "+") && len(list) > 0 && list[len(list)-1].Last == line-1:
			list[len(list)-1].Last = line
		case strings.HasPrefix(text, "+"):
			list = append(list, Range{line, line})
		}
		line++
	}
	return list
}
