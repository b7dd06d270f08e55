package query

import "github.com/blq-ci/blq/facts/code"

// isReworded reports whether the new version of a symbol does the same as the old version, but with other names. There
// are two cases: the symbol's own variables have new names, or a new variable is assigned a value and replaces the
// value everywhere.
func isReworded(old, now []code.Token) bool {
	if sameButNames(trimmed(old), trimmed(now)) {
		return true
	}
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

// inlined replaces the name of a variable by the variable's value, and removes the statement that assigns the value.
// The statement has the form NAME = VALUE or NAME := VALUE, and ends at a semicolon or at the end of the line. If there
// is no such statement, or more than one, inlined returns the tokens unchanged.
func inlined(tokens []code.Token, name string) []code.Token {
	from, to := -1, -1 // range of the value
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

// trimmed returns the tokens, but without tokens that only end a statement.
func trimmed(tokens []code.Token) []code.Token {
	var list []code.Token
	for _, t := range tokens {
		if t.Text != ";" {
			list = append(list, t)
		}
	}
	return list
}

// sameButNames reports whether two lists of tokens are equal except for names. A name that occurs only in a may stand
// for one name that occurs only in b. Members and called functions must keep their names.
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
		if i > 0 && (a[i-1].Text == "." || a[i-1].Text == "->" || a[i-1].Text == "::") { // members keep their names
			return false
		}
		if i+1 < len(a) && a[i+1].Text == "(" { // the code calls another function
			return false
		}
		to[x.Text], from[y.Text] = y.Text, x.Text
	}
	return true
}
