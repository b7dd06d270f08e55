package query

import "github.com/blq-ci/blq/facts/code"

// isReworded reports whether a later version of a symbol does the same in other words: new names for its own variables,
// or a value that got a name and is used by that name only.
func isReworded(old, now []code.Token) bool {
	was := map[string]bool{}
	for _, t := range old {
		was[t.Text] = true
	}
	plain := now
	for _, t := range now {
		if t.Word && !was[t.Text] {
			plain = inlined(plain, t.Text)
		}
	}
	return sameButNames(trimmed(old), trimmed(plain))
}

// inlined returns tokens with the value of a variable in place of its name, and without the statement that gives it
// one: NAME = VALUE or NAME := VALUE, to the end of the line. They stay as they are if there is no such statement, or
// if there are several.
func inlined(tokens []code.Token, name string) []code.Token {
	from, to := -1, -1 // of the value
	for i, t := range tokens {
		if t.Text != name || i+1 >= len(tokens) {
			continue
		}
		if next := tokens[i+1].Text; next != "=" && next != ":=" {
			continue
		}
		if from >= 0 {
			return tokens
		}
		from, to = i+2, i+2
		for to < len(tokens) && (to == from || !tokens[to].First) && tokens[to].Text != ";" {
			to++
		}
	}
	if from < 0 || from == to {
		return tokens
	}
	begin := from
	for begin > 0 && !tokens[begin].First {
		begin--
	}
	value := tokens[from:to]
	if to < len(tokens) && tokens[to].Text == ";" {
		to++
	}
	var out []code.Token
	for i, t := range tokens {
		switch {
		case i >= begin && i < to:
		case t.Text == name:
			out = append(out, value...)
		default:
			out = append(out, t)
		}
	}
	return out
}

// trimmed returns tokens without the tokens that only end statements.
func trimmed(tokens []code.Token) []code.Token {
	var list []code.Token
	for _, t := range tokens {
		if t.Text != ";" {
			list = append(list, t)
		}
	}
	return list
}

// sameButNames reports whether two lists of tokens are equal except for words that only one of them has. Each such word
// must always replace the same word.
func sameButNames(a, b []code.Token) bool {
	if len(a) != len(b) {
		return false
	}
	inA, inB := map[string]bool{}, map[string]bool{}
	for i := range a {
		inA[a[i].Text], inB[b[i].Text] = true, true
	}
	to, from := map[string]string{}, map[string]string{}
	for i := range a {
		x, y := a[i], b[i]
		if x.Text == y.Text {
			continue
		}
		if !x.Word || !y.Word || inB[x.Text] || inA[y.Text] ||
			to[x.Text] != "" && to[x.Text] != y.Text || from[y.Text] != "" && from[y.Text] != x.Text {
			return false
		}
		if i > 0 && (a[i-1].Text == "." || a[i-1].Text == "->" || a[i-1].Text == "::") { // a member has no name of its own
			return false
		}
		if i+1 < len(a) && a[i+1].Text == "(" { // it calls something else
			return false
		}
		to[x.Text], from[y.Text] = y.Text, x.Text
	}
	return true
}
