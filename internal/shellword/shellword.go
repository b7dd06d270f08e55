// Package shellword reads and writes the words of simple shell commands. It
// imports the standard library only.
package shellword

import "strings"

// Split splits a simple shell command into its words. The second result is false for a command that only a shell can
// interpret, and for a text without words.
func Split(text string) ([]string, bool) {
	var words []string
	var word strings.Builder
	inWord := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		case c == '\'' || c == '"':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 || c == '"' && strings.ContainsAny(text[i+1:i+1+end], "$`\\") {
				return nil, false
			}
			word.WriteString(text[i+1 : i+1+end])
			inWord = true
			i += end + 1
		case c == '\\' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
			inWord = true
		case strings.IndexByte("|&;<>()$`*?[#~!{}\\", c) >= 0:
			return nil, false
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, len(words) > 0
}

// Quote returns a text as one word of a shell command.
func Quote(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("_-./=:,+@%^", r) || r > 127)
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Join returns the arguments as one shell command.
func Join(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = Quote(a)
	}
	return strings.Join(quoted, " ")
}
