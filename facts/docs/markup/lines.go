package markup

import "bytes"

// Lines is a text cut into lines. A line ends with LF, CR or CRLF, as in CommonMark.
type Lines struct {
	text   []byte
	starts []uint32 // start of each line, then the length of the text
}

// maxText is the max number of bytes of a text.
const maxText = 1<<31 - 1

var byteOrderMark = []byte("\xef\xbb\xbf")

// Split cuts a text into lines. It drops a byte order mark at the beginning, and the bytes beyond maxText.
func Split(text []byte) *Lines {
	text = bytes.TrimPrefix(text, byteOrderMark)
	text = text[:min(len(text), maxText)]
	l := &Lines{text: text, starts: make([]uint32, 0, len(text)/40+2)}
	lone := bytes.IndexByte(text, '\r') >= 0
	for at := 0; at < len(text); {
		l.starts = append(l.starts, uint32(at))
		at += lineLen(text[at:], lone)
	}
	l.starts = append(l.starts, uint32(len(text)))
	return l
}

// lineLen returns the length of the first line with its end.
func lineLen(text []byte, returns bool) int {
	end := bytes.IndexByte(text, '\n')
	if returns {
		upTo := text
		if end >= 0 {
			upTo = text[:end]
		}
		if r := bytes.IndexByte(upTo, '\r'); r >= 0 && r != len(upTo)-1 || r >= 0 && end < 0 {
			return r + 1
		}
	}
	if end < 0 {
		return len(text)
	}
	return end + 1
}

// Len returns the number of lines. A line end at the end of the text does not begin another line.
func (l *Lines) Len() int { return len(l.starts) - 1 }

// Line returns a line without its end. The number of the first line is 1. Line returns nil if there is no such line.
func (l *Lines) Line(n int) []byte {
	if n < 1 || n > l.Len() {
		return nil
	}
	line := l.text[l.starts[n-1]:l.starts[n]]
	if end := len(line) - 1; end >= 0 && line[end] == '\n' {
		line = line[:end]
	}
	if end := len(line) - 1; end >= 0 && line[end] == '\r' {
		line = line[:end]
	}
	return line
}

// Text returns the lines from..to with their line ends. Lines that do not exist are left out.
func (l *Lines) Text(from, to int) []byte {
	from, to = max(from, 1), min(to, l.Len())
	if from > to {
		return nil
	}
	return l.text[l.starts[from-1]:l.starts[to]]
}
