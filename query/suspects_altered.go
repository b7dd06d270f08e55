package query

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/facts/code"
)

// alteration is the way in which a change alters a symbol. A higher value is more suspicious.
type alteration int

const (
	unaltered alteration = iota
	reworded             // the code does the same with other names
	addition             // a type has a new member that may override inherited members
	extended             // the symbol has additional code
	altered              // some code of the symbol was replaced or removed
)

// alterations holds, by name, the symbols of a file that a change alters. The name "" means the code outside all
// symbols.
type alterations struct {
	symbols map[string]alteration
	code    bool            // more than comments and blanks changed
	words   map[string]bool // words in the altered lines
}

// compare compares, for each change, the symbols of the changed files. It skips tests and files without code, but not
// the file of the error.
func (i *inspector) compare(ctx context.Context, file string) {
	if i.altering == nil {
		i.altering = map[string][]int{}
		left := maxSuspicious * maxComparedFiles
		for at := range i.steps {
			c := &i.steps[at]
			if c.since != "" {
				left = min(left, maxDividedFiles)
			}
			for _, f := range c.files[:min(len(c.files), maxComparedFiles)] {
				if isCode(f) && left > 0 && ctx.Err() == nil {
					left--
					i.noteFile(ctx, at, f)
				}
			}
		}
	}
	for at := range i.steps {
		if slices.Contains(i.steps[at].files, file) {
			i.noteFile(ctx, at, file)
		}
	}
}

// noteFile compares the versions of a file before and after a change. If the change alters symbols of the file,
// noteFile records the change.
func (i *inspector) noteFile(ctx context.Context, at int, file string) {
	if len(i.compared(ctx, &i.steps[at], file).symbols) > 0 && !slices.Contains(i.altering[file], at) {
		i.altering[file] = append(i.altering[file], at)
	}
}

// compared returns the alterations of a file by a change.
func (i *inspector) compared(ctx context.Context, c *change, file string) alterations {
	if known, is := c.of[file]; is {
		return known
	}
	if c.of == nil {
		c.of = map[string]alterations{}
	}
	after, _ := i.read(ctx, c.head, file) // an error means that the file was added or removed
	before, _ := i.read(ctx, c.before, file)
	c.of[file] = compareSymbols(file, before, after)
	return c.of[file]
}

// compareSymbols compares two versions of a file, and returns the altered symbols. A new symbol that is not a member of
// a type does not count as altered, because code that has not changed cannot use it.
func compareSymbols(file string, before, after []byte) alterations {
	was, known := tokensOf(file, before)
	is, _ := tokensOf(file, after)
	out := alterations{symbols: map[string]alteration{}, code: !known, words: map[string]bool{}}
	note := func(key symbolKey, how alteration, old, now []code.Token) {
		out.code = true
		if how != reworded {
			for _, w := range differing(old, now) {
				out.words[w] = true
			}
		}
		if how > out.symbols[key.name] {
			out.symbols[key.name] = how
		}
	}
	for key, tokens := range is {
		old, had := was[key]
		switch {
		case !had && key.parent == "" && key.name != "":
			out.code = true
		case !had:
			note(key, addition, nil, tokens)
		case !sameTokens(old, tokens):
			note(key, compareTokens(old, tokens), old, tokens)
		}
	}
	for key, tokens := range was {
		if _, still := is[key]; !still {
			note(key, altered, tokens, nil)
		}
	}
	return out
}

// symbolKey identifies a symbol in a file. The zero key means the code outside all symbols.
type symbolKey struct{ parent, name string }

// tokensOf returns the tokens of a file by symbol. It returns false if blq cannot read the language. The tokens of an
// inner symbol do not belong to the outer symbol. Annotations belong to the symbol after them. The package clause and
// the imports outside of symbols are left out.
func tokensOf(file string, text []byte) (map[symbolKey][]code.Token, bool) {
	tokens, known := code.Tokens(file, text)
	scan, _ := code.ScanFile(file, text)
	owner := map[int]symbolKey{} // symbol of each line
	for _, s := range scan.Symbols {
		for n := s.Line; n <= min(s.End, scan.Lines); n++ {
			owner[n] = symbolKey{s.Parent, s.Name} // an inner symbol comes after its outer symbol
		}
	}
	for at := len(tokens) - 1; at >= 0; at-- {
		if t := tokens[at]; t.First && isAnnotation(tokens, at) {
			if below, found := owner[t.Line+1]; found {
				owner[t.Line] = below
			}
		}
	}
	imports := map[int]bool{}
	for _, im := range scan.Imports {
		imports[im.Line] = true
	}
	of := map[symbolKey][]code.Token{}
	for _, t := range tokens {
		key := owner[t.Line]
		if t.First && t.Text == "package" {
			imports[t.Line] = true // the package clause
		}
		if key == (symbolKey{}) && imports[t.Line] {
			continue
		}
		of[key] = append(of[key], t)
	}
	return of, known
}

// isAnnotation reports whether an annotation begins at a token.
func isAnnotation(tokens []code.Token, at int) bool {
	return tokens[at].Text == "@" || tokens[at].Text == "#" && at+1 < len(tokens) && tokens[at+1].Text == "["
}

func sameTokens(a, b []code.Token) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Text != b[i].Text {
			return false
		}
	}
	return true
}

// differing returns the words of two lists of tokens. It leaves out the tokens with which both lists begin, and the
// tokens with which both lists end.
func differing(old, now []code.Token) []string {
	for len(old) > 0 && len(now) > 0 && old[0].Text == now[0].Text {
		old, now = old[1:], now[1:]
	}
	for len(old) > 0 && len(now) > 0 && old[len(old)-1].Text == now[len(now)-1].Text {
		old, now = old[:len(old)-1], now[:len(now)-1]
	}
	var words []string
	for _, list := range [][]code.Token{old, now} {
		for _, t := range list {
			identifiers([]byte(t.Text), func(word string) { words = append(words, word) })
		}
	}
	return words
}

// compareTokens returns how a symbol was altered. The two lists of tokens must differ.
func compareTokens(old, now []code.Token) alteration {
	if isReworded(old, now) || isReworded(now, old) {
		return reworded
	}
	at := 0 // number of old tokens that were found so far, in order
	for _, t := range now {
		if at < len(old) && t.Text == old[at].Text {
			at++
		}
	}
	if at == len(old) {
		return extended
	}
	return altered
}
