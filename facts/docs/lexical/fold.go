package lexical

import (
	"strings"
	"unicode"
)

// folded holds groups of Latin letters. Each group begins with the plain letter. The same letter with marks follows.
var folded = "aàáâãåāăą cçćĉċč dďđð eèéêëēĕėęě gĝğġģ hĥħ iìíîïĩīĭįı jĵ kķ lĺļľŀł nñńņňŋ oòóôõōŏő " +
	"rŕŗř sśŝşšș tţťŧț uùúûũūŭůűų wŵ yýÿŷ zźżž"

// paired holds letters that can also be written with two letters. For each letter, it has the spelling without marks
// and the spelling with two letters: a and ae for ä.
var paired = map[rune][2]string{
	'ä': {"a", "ae"}, 'ö': {"o", "oe"}, 'ü': {"u", "ue"}, 'ø': {"o", "oe"}, 'å': {"a", "aa"},
	'ß': {"ss", "ss"}, 'æ': {"ae", "ae"}, 'œ': {"oe", "oe"}, 'þ': {"th", "th"},
}

// fold returns a letter in lower case and without marks. pair is the spelling with two letters, or "" if there is
// none.
func fold(r rune) (plain, pair string) {
	r = unicode.ToLower(r)
	if p, ok := paired[r]; ok {
		return p[0], p[1]
	}
	if at := strings.IndexRune(folded, r); at >= 0 {
		base := folded[strings.LastIndexByte(folded[:at], ' ')+1]
		return string(rune(base)), ""
	}
	return string(r), ""
}

// isMark reports whether a rune is a mark on the letter before it.
func isMark(r rune) bool { return r >= 0x300 && r <= 0x36f }

const diaeresis = 0x308

// isDense reports whether a rune belongs to a script in which spaces do not separate all words. Such a text is divided
// into single runes and pairs.
func isDense(r rune) bool {
	return r >= 0x0e00 &&
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Hangul)
}
