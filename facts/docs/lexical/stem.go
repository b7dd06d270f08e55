package lexical

import "bytes"

// stemMark begins a term that stands for all words with the same stem.
const stemMark = 0x01

// minStem is the min number of letters of a stem.
const minStem = 3

// stem returns the common stem of the forms of an English word. The word must be in lower case. The stem may be the
// word itself.
func stem(word []byte) []byte {
	if len(word) <= minStem {
		return word
	}
	for _, c := range word {
		if c < 'a' || c > 'z' {
			return word
		}
	}
	s := plural(word)
	for _, ending := range []string{"ations", "ation", "ating", "ated", "ing", "ed", "ate"} {
		if cut, ok := bytes.CutSuffix(s, []byte(ending)); ok && len(cut) >= minStem && hasVowel(cut) {
			return undouble(bytes.TrimSuffix(cut, []byte("e")))
		}
	}
	if cut, ok := bytes.CutSuffix(s, []byte("ion")); ok && len(cut) > minStem {
		if last := cut[len(cut)-1]; last == 't' || last == 's' {
			return cut
		}
	}
	if len(s) > minStem {
		s = bytes.TrimSuffix(s, []byte("e"))
	}
	return undouble(s)
}

// plural drops the ending of a plural or of a verb's third person.
func plural(word []byte) []byte {
	n := len(word)
	switch {
	case n > 4 && bytes.HasSuffix(word, []byte("ies")):
		return append(bytes.Clone(word[:n-3]), 'y')
	case n > 4 && bytes.HasSuffix(word, []byte("es")) && bytes.IndexByte([]byte("sxzh"), word[n-3]) >= 0:
		return word[:n-2]
	case word[n-1] == 's' && bytes.IndexByte([]byte("sui"), word[n-2]) < 0:
		return word[:n-1]
	}
	return word
}

func hasVowel(word []byte) bool { return bytes.ContainsAny(word, "aeiouy") }

// undouble drops the second of two equal consonants at the end of a stem: runn (running), cancell (cancelled).
func undouble(s []byte) []byte {
	if n := len(s); n > minStem && s[n-1] == s[n-2] && bytes.IndexByte([]byte("bdfglmnprt"), s[n-1]) >= 0 {
		return s[:n-1]
	}
	return s
}
