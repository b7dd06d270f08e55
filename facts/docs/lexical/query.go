package lexical

import (
	"strings"
	"unicode"
)

// Query is a search query with its options.
type Query struct {
	Text         string
	HeadingsOnly bool // look only at headings
	Minor        bool // minor blocks rank like other blocks
	All          bool // only blocks with all words
	Max          int  // max number of matches
	// Document returns the number of a block's document. Document is nil if the blocks have no documents.
	Document func(block int) int
}

// concept is a word of the query, with the terms that match it.
type concept struct {
	terms  []weighted
	single bool // the word is not part of a phrase or an identifier
}

type weighted struct {
	name   string
	weight float64
}

// phrase is a quoted part of the query. All terms of a position must match.
type phrase [][]string

// parsed is a query in parts.
type parsed struct {
	concepts []concept
	phrases  []phrase
	boost    float64 // factor for headings
}

// headingBoost is the extra weight of headings for a query that begins with "# ".
const headingBoost = 3

// maxConcepts is the max number of words of a query. Further words are ignored.
const maxConcepts = 64

// parse reads a query.
func parse(text string) parsed {
	p := parsed{boost: 1}
	text = strings.TrimSpace(text)
	if rest := strings.TrimLeft(text, "#"); rest != text && rest != "" && unicode.IsSpace(rune(rest[0])) {
		p.boost = headingBoost
		text = rest
	}
	text, p.phrases = quoted(text)
	words := words(text)
	if len(p.phrases) == 0 {
		words = withoutFiller(words)
	}
	p.concepts = words
	for _, ph := range p.phrases {
		for _, position := range ph {
			c := concept{}
			for _, name := range position {
				c.terms = append(c.terms, weighted{name, 1})
			}
			p.concepts = append(p.concepts, c)
		}
	}
	p.concepts = distinct(p.concepts)
	return p
}

// quoted separates the quoted parts of a text from the other parts. A quote that is not closed is an ordinary
// character.
func quoted(text string) (string, []phrase) {
	var rest strings.Builder
	var all []phrase
	for {
		before, inner, ok := strings.Cut(text, `"`)
		inner, after, closed := strings.Cut(inner, `"`)
		if !ok || !closed {
			rest.WriteString(text)
			return rest.String(), all
		}
		rest.WriteString(before + " ")
		if ph := phraseOf(inner); len(ph) > 0 && len(ph) <= maxConcepts {
			all = append(all, ph)
		}
		text = after
	}
}

func phraseOf(text string) phrase {
	var ph phrase
	t := tokenizer{emit: func(term []byte, position int, k kind) {
		for len(ph) <= position {
			ph = append(ph, nil)
		}
		if k == word || k == compound {
			ph[position] = append(ph[position], string(term))
		}
	}}
	t.run([]byte(text))
	return ph
}

// words returns the words and identifiers of a text.
func words(text string) []concept {
	var all []concept
	at := map[int]int{} // indexes of concepts by position
	var identifiers []concept
	t := tokenizer{emit: func(term []byte, position int, k kind) {
		name := string(term)
		switch k {
		case word:
			at[position] = len(all)
			all = append(all, concept{[]weighted{{name, 1}}, true})
		case variant:
			c := &all[at[position]]
			c.terms = append(c.terms, weighted{name, 1})
		case stemmed:
			c := &all[at[position]]
			c.terms = append(c.terms, weighted{name, stemWeight}, weighted{name[1:], stemWeight})
		case part:
			identifiers = append(identifiers, concept{[]weighted{{name, partWeight}}, false})
		case compound:
			identifiers = append(identifiers, concept{[]weighted{{name, compoundWeight}}, false})
		}
	}}
	t.run([]byte(text))
	for i, c := range all { // the word may be the stem of other words
		if len(c.terms) == 1 {
			all[i].terms = append(c.terms, weighted{string(rune(stemMark)) + c.terms[0].name, stemWeight})
		}
		for _, other := range synonyms()[string(stem([]byte(c.terms[0].name)))] {
			all[i].terms = append(all[i].terms, weighted{other, synonymWeight},
				weighted{string(rune(stemMark)) + other, synonymWeight})
		}
	}
	return append(all, identifiers...)
}

// These are the weights of terms that replace a word of the query. They were tuned with the questions in
// facts/docs/testdata.
const (
	stemWeight     = 0.7 // another form of the word
	synonymWeight  = 0.3 // a synonym
	partWeight     = 0.3 // a part of the word, in camel case
	compoundWeight = 1.0 // the identifier that contains the word
)

// filler are words of questions that do not help to find the answer.
var filler = " a about am an and are as at be been but by can could did do does doing for from get gets give had has " +
	"have how i if in into is it its make me my need of on or our should so some that the their them then " +
	"there these they this to us use used using want was we were what when where which while who why will with " +
	"without would you your "

// withoutFiller drops filler words, unless the query has only filler words.
func withoutFiller(all []concept) []concept {
	var kept []concept
	for _, c := range all {
		if !strings.Contains(filler, " "+c.terms[0].name+" ") {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return all
	}
	return kept
}

// distinct drops repeated words.
func distinct(all []concept) []concept {
	seen := map[string]bool{}
	var kept []concept
	for _, c := range all {
		if len(c.terms) > 0 && !seen[c.terms[0].name] && len(kept) < maxConcepts {
			seen[c.terms[0].name] = true
			kept = append(kept, c)
		}
	}
	return kept
}

// Words returns the words, stems and identifiers that a search for the text looks for, in lower case. It leaves out
// synonyms.
func Words(text string) []string {
	var all []string
	for _, c := range parse(text).concepts {
		for _, t := range c.terms {
			if t.weight != synonymWeight {
				all = append(all, strings.TrimPrefix(t.name, string(rune(stemMark))))
			}
		}
	}
	return all
}
