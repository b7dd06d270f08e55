package formats

import "strings"

// shellText reads a shell script line by line. It finds out whether a command continues on the next line, and nothing
// else.
type shellText struct {
	depth int  // depth of if, case and loops
	quote byte // the open quote, 0 if there is none
	ansi  bool // the quote is $'…', in which a backslash escapes
	inner int  // depth of $(…) in double quotes
	more  bool // the line ends in the middle of a command
}

// open reports whether the next line belongs to the command.
func (sh *shellText) open() bool { return sh.depth > 0 || sh.quote != 0 || sh.inner > 0 || sh.more }

// line reads the next line.
func (sh *shellText) line(text string) {
	text = strings.TrimRight(text, " \t")
	begins := sh.quote == 0 // whether the next word may be a keyword
	var word []byte
	for i := 0; i <= len(text); i++ {
		c := byte(' ')
		if i < len(text) {
			c = text[i]
		}
		switch {
		case sh.quote != 0:
			i += sh.quoted(c, text[min(i+1, len(text)):])
			begins = sh.quote == 0 && c == '$'
		case c == ')' && sh.inner > 0:
			if begins {
				sh.keyword(string(word))
			}
			sh.inner--
			sh.quote, begins, word = '"', false, word[:0]
		case c == '\\':
			i++
			word = append(word, '\\')
		case c == '\'' || c == '"':
			sh.quote, sh.ansi, begins = c, c == '\'' && len(word) > 0 && word[len(word)-1] == '$', false
		case strings.IndexByte(" \t;&|()`", c) >= 0:
			if begins && len(word) > 0 {
				begins = sh.keyword(string(word))
			}
			word = word[:0]
			begins = begins || strings.IndexByte(";&|(`", c) >= 0
		case c == '#' && len(word) == 0:
			i = len(text)
		default:
			word = append(word, c)
		}
	}
	sh.more = strings.HasSuffix(text, "\\") || strings.HasSuffix(text, "&&") || strings.HasSuffix(text, "|")
}

// quoted reads a character in quotes. It returns how many further characters it read.
func (sh *shellText) quoted(c byte, rest string) (n int) {
	switch {
	case c == '\\' && (sh.quote == '"' || sh.ansi):
		return 1
	case c == sh.quote:
		sh.quote, sh.ansi = 0, false
	case c == '$' && sh.quote == '"' && strings.HasPrefix(rest, "("):
		sh.quote, sh.inner = 0, sh.inner+1
		return 1
	}
	return 0
}

// keyword reads a word at the start of a command. It reports whether the next word also starts a command.
func (sh *shellText) keyword(word string) bool {
	switch word {
	case "if", "for", "while", "until", "case", "{":
		sh.depth++
	case "fi", "done", "esac", "}":
		sh.depth = max(0, sh.depth-1)
	}
	switch word {
	case "if", "while", "until", "then", "do", "else", "elif", "{", "!":
		return true
	}
	return false
}
