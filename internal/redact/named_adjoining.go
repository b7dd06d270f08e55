package redact

import "bytes"

// adjoining returns the length of the strings that directly follow a value in quotes, without the last closing quote.
// In a shell, "hun"'ter' is one word. In YAML and SQL, two quotes within a string stand for one. The result more is
// true if further text is needed.
func (n *named) adjoining() (size int, more bool) {
	for n.inQuotes {
		rest := n.behind[size:]
		if len(rest) < 2 || !isQuote(rest[0]) || !isQuote(rest[1]) {
			return size, false
		}
		text := rest[2:min(len(rest), maxWord)]
		end := bytes.IndexAny(text, string(rest[1])+"\n")
		if end < 0 && len(rest) < maxWord && !n.final {
			return 0, true
		}
		if end <= 0 || text[end] == '\n' {
			return size, false
		}
		size += len(rest) - len(rest[2:]) + end
	}
	return size, false
}

func isQuote(c byte) bool { return c == '"' || c == '\'' }

// secretJoined reports whether a value is secret together with the strings that follow it. parts is the length of these
// strings.
func (n *named) secretJoined(parts int) bool {
	first, behind := n.value, n.behind
	defer func() { n.value, n.behind = first, behind }()
	joined := bytes.Clone(first)
	for _, c := range behind[:parts] {
		if !isQuote(c) {
			joined = append(joined, c)
		}
	}
	n.value, n.behind = joined, behind[parts:]
	return n.secret()
}
