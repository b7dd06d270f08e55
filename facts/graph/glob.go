package graph

import "strings"

// glob reports whether a pattern matches a whole text. * matches any text, including slashes. ? matches one byte.
// [a-z] and [!a-z] match one byte of a class.
func glob(pattern, text string) bool {
	p, t := 0, 0
	star, from := -1, 0
	for t < len(text) {
		if p < len(pattern) && pattern[p] == '*' {
			star, from = p, t
			p++
			continue
		}
		if n := one(pattern[p:], text[t]); n > 0 {
			p += n
			t++
			continue
		}
		if star < 0 {
			return false
		}
		from++
		p, t = star+1, from
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// one returns the length of the pattern's first element if the element matches a byte, or else 0.
func one(pattern string, c byte) int {
	if pattern == "" {
		return 0
	}
	if pattern[0] == '[' {
		if end := strings.IndexByte(pattern[min(len(pattern), 2):], ']'); end >= 0 {
			if set := pattern[1 : end+2]; inSet(set, c) {
				return end + 3
			}
			return 0
		}
	}
	if pattern[0] == '?' || pattern[0] == c {
		return 1
	}
	return 0
}

func inSet(set string, c byte) bool {
	not := strings.HasPrefix(set, "!")
	set = strings.TrimPrefix(set, "!")
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			if set[i] <= c && c <= set[i+2] {
				return !not
			}
			i += 2
		} else if set[i] == c {
			return !not
		}
	}
	return not
}
