package web

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// span is a part of a line in one style. Class holds the CSS classes of the style, or "" for plain text.
type span struct {
	Class string `json:"c,omitempty"`
	Text  string `json:"t"`
}

// maxLine is the max number of bytes of a line that pages show. The raw log has the whole line.
const maxLine = 4 << 10

// spans returns a line as a terminal shows it: with colours, and without the sequences that move the cursor. No part of
// a line becomes a link, or changes the text around it. A character that changes the direction of text appears as its
// name.
func spans(line string) []span {
	line = strings.TrimRight(line, "\r\n")
	if i := strings.LastIndexByte(line, '\r'); i >= 0 { // a progress bar overwrites its line; show only its last state
		line = line[i+1:]
	}
	var s style
	var list []span
	var text strings.Builder
	class, next := "", "" // class of the text in the builder, and of the character that follows
	add := func() {
		if text.Len() > 0 {
			list = append(list, span{class, text.String()})
			text.Reset()
		}
	}
	shown := 0
	for len(line) > 0 && shown < maxLine {
		if line[0] == 0x1b {
			codes, isStyle, n := escape(line)
			line = line[n:]
			if isStyle {
				s.set(codes)
				next = s.class()
			}
			continue
		}
		if next != class {
			add()
			class = next
		}
		r, n := utf8.DecodeRuneInString(line)
		line = line[n:]
		shown += n
		text.WriteString(visible(r))
	}
	if len(line) > 0 {
		fmt.Fprintf(&text, " … %d bytes more", len(line))
	}
	add()
	return timestamped(list)
}

// plain returns the text of a line without its styles.
func plain(list []span) []span {
	var text strings.Builder
	for _, s := range list {
		text.WriteString(s.Text)
	}
	return []span{{Text: text.String()}}
}

// visible returns the text that shows a character. A control character becomes a dot. A character that changes the
// direction of text becomes its number, and a line separator becomes a blank. Other characters stay as they are.
func visible(r rune) string {
	switch {
	case r == '\t':
		return "\t"
	case r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0:
		return "\u00b7"
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
		return fmt.Sprintf("<U+%04X>", r)
	case r == 0x2028, r == 0x2029:
		return " "
	}
	return string(r)
}

// escape parses a control sequence at the beginning of text. n is the length of the sequence. isStyle reports whether
// the sequence sets the style. In that case, codes holds the numbers of the sequence.
func escape(text string) (codes string, isStyle bool, n int) {
	if len(text) < 2 {
		return "", false, len(text)
	}
	switch text[1] {
	case '[':
		for i := 2; i < len(text); i++ {
			if c := text[i]; c >= 0x40 && c <= 0x7e {
				return text[2:i], c == 'm', i + 1
			}
		}
		return "", false, len(text)
	case ']', 'P', 'X', '^', '_': // a sequence with a string for the terminal, such as the URL of a link
		for i := 2; i < len(text); i++ {
			if text[i] == 0x07 {
				return "", false, i + 1
			}
			if text[i] == 0x1b && i+1 < len(text) && text[i+1] == '\\' {
				return "", false, i + 2
			}
		}
		return "", false, len(text)
	}
	return "", false, 2
}

// style is the style that escape sequences have set for the following text.
type style struct {
	bold, dim, italic, underline bool
	colour                       int // 1 to 8 for black to white, 9 to 16 for bright colours, 0 for none
}

// set changes the style by the numbers of a sequence, such as "1;31". It ignores numbers that style has no field for,
// such as background colours.
func (s *style) set(codes string) {
	parts := strings.FieldsFunc(codes, func(r rune) bool { return r == ';' || r == ':' })
	if len(parts) == 0 {
		*s = style{}
		return
	}
	for i := 0; i < len(parts); i++ {
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			return
		}
		switch {
		case n == 0:
			*s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.dim = true
		case n == 3:
			s.italic = true
		case n == 4:
			s.underline = true
		case n == 22:
			s.bold, s.dim = false, false
		case n == 23:
			s.italic = false
		case n == 24:
			s.underline = false
		case n >= 30 && n <= 37:
			s.colour = n - 29
		case n >= 90 && n <= 97:
			s.colour = n - 81
		case n == 39:
			s.colour = 0
		case n == 38 || n == 48:
			colour, used := palette(parts[i+1:])
			if n == 38 {
				s.colour = colour
			}
			i += used
		}
	}
}

// palette returns the nearest of the sixteen colours for the parameters 5;N or 2;R;G;B. It also returns the number of
// these parameters. The sixteen colours are readable in both themes.
func palette(parts []string) (colour, used int) {
	number := func(i int) int {
		if i >= len(parts) {
			return 0
		}
		n, _ := strconv.Atoi(parts[i])
		return n
	}
	switch number(0) {
	case 5:
		n := number(1)
		switch {
		case n < 16:
			return n + 1, 2
		case n < 232:
			n -= 16
			return nearest(n/36*51, n/6%6*51, n%6*51), 2
		}
		return nearest((n-232)*10+8, (n-232)*10+8, (n-232)*10+8), 2
	case 2:
		return nearest(number(1), number(2), number(3)), 4
	}
	return 0, 1
}

// nearest returns the number of a colour, see style. In the colour, each of red, green and blue is on or off, depending
// on r, g and b. The colour is a bright one if r, g or b is large.
func nearest(r, g, b int) int {
	high := max(r, g, b)
	if high < 64 {
		return 9 // dark grey, because black is invisible in the dark theme
	}
	n := 0
	for i, c := range []int{r, g, b} {
		if c*2 > high {
			n |= 1 << i
		}
	}
	if high > 170 {
		return n + 9
	}
	return n + 1
}

// class returns the CSS classes of the style.
func (s style) class() string {
	var names []string
	for _, c := range []struct {
		on   bool
		name string
	}{{s.bold, "b"}, {s.dim, "d"}, {s.italic, "i"}, {s.underline, "u"}} {
		if c.on {
			names = append(names, c.name)
		}
	}
	if s.colour > 0 {
		names = append(names, "c"+strconv.Itoa(s.colour-1))
	}
	return strings.Join(names, " ")
}
