package redact

import (
	"bytes"
	"sort"
	"strings"
)

// minShortened is the min length of a shortened value that is replaced. A shorter beginning of a value may be an
// ordinary word.
const minShortened = 6

// ellipses are the texts with which programs shorten a text: pytest prints "ValueError: token is hunter...", and other
// programs print asterisks for the rest of a secret.
var ellipses = []string{"...", "…", "***", "•••", "[...", "[…", "[truncated", "<truncated", "(truncated"}

// shortened records the beginning of a needle at text[i:] if an ellipsis follows it. The result found is
// true if it has recorded one. The result more is true if further text is needed.
func (s *scan) shortened(i int, x *index, g group) (found, more bool) {
	n := x.common(s.text[i:], g)
	if n < minShortened {
		return false, false
	}
	rest := s.text[i+n:]
	for _, mark := range ellipses {
		if bytes.HasPrefix(rest, []byte(mark)) {
			s.spans = append(s.spans, span{i, i, i + n})
			return true, false
		}
		more = more || !s.final && strings.HasPrefix(mark, string(rest[:min(len(rest), len(mark))]))
	}
	return false, more
}

// common returns the length of the longest prefix that the text shares with a needle of the group.
func (x *index) common(text []byte, g group) (longest int) {
	list := x.needles[g.from:g.to]
	after := sort.Search(len(list), func(i int) bool {
		n := list[i].text
		return n > string(text[:min(len(text), len(n))])
	})
	for _, n := range list[max(0, after-1):min(len(list), after+1)] {
		same := 0
		for n.head == "" && same < len(text) && same < len(n.text) && text[same] == n.text[same] {
			same++
		}
		longest = max(longest, same)
	}
	return longest
}
