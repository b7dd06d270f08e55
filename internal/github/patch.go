package github

import (
	"regexp"
	"strconv"
	"strings"
)

// Range is lines of a file, counted from 1, both ends included.
type Range struct{ First, Last int }

var hunk = regexp.MustCompile(`^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@`)

// changed returns the lines that a patch adds, in the numbers of the new file.
func changed(patch string) []Range {
	var list []Range
	line := 0 // 0 before the first hunk
	for text := range strings.Lines(patch) {
		if m := hunk.FindStringSubmatch(text); m != nil {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				return list // no file has that many lines
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
