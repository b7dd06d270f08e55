package query

import (
	"context"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// content collects lines for an Output, up to its bound.
type content struct {
	params OutputParams
	out    *Output
	text   strings.Builder
	size   int // of the text as JSON
	last   int // number of the newest line, 0 before the first
}

func (c *content) read(ctx context.Context, log *chunk.Reader) error {
	if c.params.Tail > 0 && c.params.From == 0 {
		if c.params.Grep == "" {
			return c.tail(ctx, log)
		}
		c.params.From = max(1, c.out.Total-c.params.Tail+1)
	}
	lines, err := c.lines(ctx, log)
	if err != nil {
		return err
	}
	for line, err := range lines {
		if err != nil {
			return err
		}
		if !c.add(line) {
			c.out.RestFrom, c.out.RestTo = line.Number, c.out.Total
			if c.params.To > 0 {
				c.out.RestTo = min(c.params.To, c.out.Total)
			}
			break
		}
	}
	c.out.Content = c.text.String()
	return nil
}

// lines returns the requested lines.
func (c *content) lines(ctx context.Context, log *chunk.Reader) (iter.Seq2[chunk.Match, error], error) {
	from, to := max(1, c.params.From), c.params.To
	if c.params.From == 0 && c.params.Head > 0 {
		to = c.params.Head
		c.params.To = to
	}
	if c.params.Grep == "" {
		return func(yield func(chunk.Match, error) bool) {
			for line, err := range log.Scan(ctx, from, to) {
				if !yield(chunk.Match{Line: line}, err) {
					return
				}
			}
		}, nil
	}
	re, err := regexp.Compile(c.params.Grep)
	if err != nil {
		return nil, store.Next(store.Errorf(store.Invalid, "grep: %w", err),
			store.NewCall("output", `escape . [ ( and the like with \`, "grep", `main\.c\[1\]`))
	}
	return log.Grep(ctx, re, c.params.Context, from, to), nil
}

// tail collects the last lines. If they do not all fit, it takes the later ones.
func (c *content) tail(ctx context.Context, log *chunk.Reader) error {
	n := c.params.Tail
	if c.params.MaxBytes > 0 {
		n = min(n, c.params.MaxBytes) // a line has at least a byte
	}
	lines, err := log.Tail(ctx, n)
	if err != nil {
		return err
	}
	first := 0
	if c.params.MaxBytes > 0 {
		first = len(lines)
		for size := 0; first > 0; first-- {
			if size += jsonSize(Clean(lines[first-1].Text) + "\n"); size > c.params.MaxBytes {
				break
			}
		}
		first = min(first, max(0, len(lines)-1))
	}
	for _, line := range lines[first:] {
		c.add(chunk.Match{Line: line})
	}
	if asked := max(1, c.out.Total-c.params.Tail+1); len(lines) > 0 && lines[0].Number+first > asked {
		c.out.RestFrom, c.out.RestTo = asked, lines[0].Number+first-1
	}
	c.out.Content = c.text.String()
	return nil
}

// add adds a line, and reports whether there was room for it.
func (c *content) add(m chunk.Match) bool {
	line := Clean(m.Text) + "\n"
	if c.params.Grep != "" {
		if c.params.Numbered {
			mark := "- "
			if m.Found {
				mark = ": "
			}
			line = strconv.Itoa(m.Number) + mark + line
		}
		if c.params.Context > 0 && c.last > 0 && m.Number != c.last+1 {
			line = "--\n" + line
		}
	}
	cut := m.Cut
	if c.params.MaxBytes > 0 && c.out.Returned == 0 && jsonSize(line) > c.params.MaxBytes {
		line, cut = clipLine(line, c.params.MaxBytes), true // a part is better than nothing
	}
	if cut {
		c.out.CutLine = m.Number
	}
	size := jsonSize(line)
	if c.params.MaxBytes > 0 && c.size+size > c.params.MaxBytes {
		return false
	}
	c.size += size
	c.last = m.Number
	c.out.Returned++
	c.text.WriteString(line)
	return true
}

// clipLine shortens a line that is larger than a whole answer.
func clipLine(line string, limit int) string {
	const mark = "… (line cut)\n"
	room := max(0, limit-jsonSize(mark))
	end := 0
	for i, r := range line {
		if room -= jsonSize(string(r)); room < 0 {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	return line[:end] + mark
}

// jsonSize returns the size of a text in bytes inside of a JSON string.
func jsonSize(s string) int {
	n := len(s)
	for i := range len(s) {
		switch s[i] {
		case '"', '\\', '\n', '\t':
			n++
		}
	}
	return n
}

// ParseLines parses a range of lines: 40-60, L40-L60, 40- or 40. A range without an end has to 0. Code: Invalid.
func ParseLines(s string) (from, to int, err error) {
	first, last, isRange := strings.Cut(s, "-")
	from, ok := lineNumber(first)
	switch {
	case !isRange:
		to = from
	case last != "" && ok:
		to, ok = lineNumber(last)
		ok = ok && to >= from
	}
	if !ok {
		return 0, 0,
			store.Next(store.Errorf(store.Invalid, "%q is no range of lines", s), store.NewCall("output", "", "lines", "40-60"))
	}
	return from, to, nil
}

func lineNumber(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(s), "L"))
	return n, err == nil && n > 0
}
