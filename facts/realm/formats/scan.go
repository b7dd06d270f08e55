package formats

import (
	"fmt"
	"strings"
)

// These are the kinds of tokens.
const (
	word   byte = 'w'
	number byte = 'n'
	quoted byte = 'q'
	sign   byte = 's'
)

// token is a token of Protocol Buffers or GraphQL. The text of a quoted token has no quotes.
type token struct {
	text string
	kind byte
	line int
}

// scanner cuts a text into tokens.
type scanner struct {
	text   string
	at     int
	line   int
	format Format
	tokens []token
}

// scan returns the tokens of a text, without comments.
func scan(text string, f Format) ([]token, error) {
	s := &scanner{text: strings.TrimPrefix(text, "\ufeff"), line: 1, format: f}
	for {
		if err := s.blank(); err != nil {
			return nil, err
		}
		if s.at == len(s.text) {
			return s.tokens, nil
		}
		if len(s.tokens) == maxTokens {
			return nil, fmt.Errorf("line %d: it has more than %d words", s.line, maxTokens)
		}
		if err := s.next(); err != nil {
			return nil, err
		}
	}
}

// blank skips spaces and comments.
func (s *scanner) blank() error {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch c := rest[0]; {
		case c == '\n':
			s.line++
			s.at++
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == ',' && s.format == GraphQL:
			s.at++
		case c == '#' && s.format == GraphQL || strings.HasPrefix(rest, "//") && s.format == Protobuf:
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				s.at += end
			} else {
				s.at = len(s.text)
			}
		case strings.HasPrefix(rest, "/*") && s.format == Protobuf:
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return fmt.Errorf("line %d: a comment has no end", s.line)
			}
			s.line += strings.Count(rest[:end+4], "\n")
			s.at += end + 4
		default:
			return nil
		}
	}
	return nil
}

// next reads the token at the current position, and appends it to s.tokens.
func (s *scanner) next() error {
	from, c := s.at, s.text[s.at]
	switch {
	case isLetter(c):
		for s.at < len(s.text) && (isLetter(s.text[s.at]) || isDigit(s.text[s.at])) {
			s.at++
		}
		s.add(word, s.text[from:s.at])
	case isDigit(c):
		for s.at < len(s.text) && (isLetter(s.text[s.at]) || isDigit(s.text[s.at]) || s.text[s.at] == '.') {
			s.at++
		}
		s.add(number, s.text[from:s.at])
	case strings.HasPrefix(s.text[s.at:], `"""`) && s.format == GraphQL:
		return s.quote(`"""`)
	case c == '"' || c == '\'' && s.format == Protobuf:
		return s.quote(string(c))
	default:
		s.at++
		s.add(sign, s.text[from:s.at])
	}
	return nil
}

func (s *scanner) add(kind byte, text string) { s.tokens = append(s.tokens, token{text, kind, s.line}) }

// quote adds a quoted token.
func (s *scanner) quote(mark string) error {
	from := s.at + len(mark)
	for at := from; at < len(s.text); at++ {
		switch {
		case s.text[at] == '\\':
			at++
		case strings.HasPrefix(s.text[at:], mark):
			s.add(quoted, s.text[from:at])
			s.line += strings.Count(s.text[from:at], "\n")
			s.at = at + len(mark)
			return nil
		case s.text[at] == '\n' && len(mark) == 1:
			return fmt.Errorf("line %d: a text in quotes has no end", s.line)
		}
	}
	return fmt.Errorf("line %d: a text in quotes has no end", s.line)
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
