package query

import (
	"context"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// content collects lines for an Output, up to the max size of the Output.
type content struct {
	params OutputParams
	out    *Output
	to     io.Writer
	size   int // size of the text as JSON
	first  int // number of the first line, 0 for none
	last   int // number of the newest line, 0 before the first
	// drop reports whether a line is left out; nil means that no line is left out.
	drop func(chunk.Match) bool
}

func (c *content) read(ctx context.Context, log *chunk.Reader) error {
	if p := c.params; p.Head > 0 && p.Tail > 0 && p.From == 0 && p.Grep == "" {
		return c.ends(ctx, log)
	}
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
		var stopped *chunk.Stopped
		if errors.As(err, &stopped) {
			c.rest(stopped.From)
			break
		}
		if err != nil {
			return err
		}
		if line.More > 0 {
			c.out.Counted += line.More
			continue
		}
		if c.drop != nil && c.drop(line) {
			continue
		}
		if n := c.params.MaxLines; n > 0 && c.out.Returned >= n {
			c.out.Counted++
			continue
		}
		fits, err := c.add(line)
		if err != nil {
			return err
		}
		if !fits {
			c.rest(line.Number)
			break
		}
	}
	return nil
}

// rest records which of the asked lines the answer lacks: the line with the number from, and all later lines.
func (c *content) rest(from int) {
	c.out.RestFrom, c.out.RestTo = from, c.out.Total
	if c.params.To > 0 {
		c.out.RestTo = min(c.params.To, c.out.Total)
	}
}

// lines returns an iterator over the requested lines of a log.
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
	re, err := pattern(c.params.Grep)
	if err != nil {
		return nil, err
	}
	s := chunk.Search{Pattern: re, Around: c.params.Context, From: from, To: to}
	if s.After = c.params.Last; s.After > 0 { // a context line may belong to an earlier match
		s.From = max(1, min(from, s.After+1)-s.Around)
	}
	if c.drop == nil { // with drop, the search must return all matches
		s.Max = c.params.MaxLines
	}
	if c.params.MaxBytes > 0 {
		s.MaxBytes, s.MaxWork = searchBytes, searchWork
	}
	return log.Grep(ctx, s), nil
}

// These limits bound the search for one answer: the size of the unpacked text, and the processor time. The next call
// continues the search.
const (
	searchBytes = 256 << 20
	searchWork  = 2 * time.Second
)

// tail collects the last lines. If there is no room for all of these lines, it leaves out the first of them.
func (c *content) tail(ctx context.Context, log *chunk.Reader) error {
	n := c.params.Tail
	if c.params.MaxBytes > 0 {
		n = min(n, c.params.MaxBytes) // a line has at least one byte
	}
	passing, done := store.Passing(ctx)
	defer done()
	lines, err := log.Tail(passing, n, 2*int64(c.params.MaxBytes)) // cleaning removes some bytes
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
		if _, err := c.add(chunk.Match{Line: line}); err != nil {
			return err
		}
	}
	if asked := max(1, c.out.Total-c.params.Tail+1); len(lines) > 0 && lines[0].Number+first > asked {
		c.out.RestFrom, c.out.RestTo = asked, lines[0].Number+first-1
	}
	return nil
}

// add adds a line, and reports whether there was room for it.
func (c *content) add(m chunk.Match) (bool, error) {
	line := m.Text + "\n"
	if !c.params.Printed {
		line = Clean(m.Text) + "\n"
	}
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
		line, cut = clipLine(line, c.params.MaxBytes), true // return a part of the line rather than nothing
	}
	if cut {
		c.out.CutLine = m.Number
	}
	size := jsonSize(line)
	if c.params.MaxBytes > 0 && c.size+size > c.params.MaxBytes {
		return false, nil
	}
	c.size += size
	if c.first == 0 {
		c.first = m.Number
	}
	c.last = m.Number
	c.out.Returned++
	_, err := io.WriteString(c.to, line)
	return err == nil, err
}

// shown returns the reference to the collected lines of a run.
func (c *content) shown(run store.Ref) store.Ref {
	if c.first == 0 {
		return run
	}
	run.From = c.first
	if c.params.Grep == "" {
		run.To = c.last
	}
	return run
}

// clipLine cuts a line to at most limit bytes as JSON, with a mark at the cut. If the mark alone is longer, clipLine
// returns the mark.
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

// jsonSize returns the size of a text inside a JSON string, in bytes.
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

// ParseLines parses a range of lines: 40-60, L40-L60, 40- or 40. For a range without an end it returns 0 as end.
// Invalid: the text is not such a range.
func ParseLines(s string) (from, end int, err error) {
	first, last, isRange := strings.Cut(s, "-")
	from, ok := lineNumber(first)
	switch {
	case !isRange:
		end = from
	case last != "" && ok:
		end, ok = lineNumber(last)
		ok = ok && end >= from
	}
	if !ok {
		return 0, 0,
			store.Next(store.Errorf(store.Invalid, "%q is not a range of lines", s),
				store.NewCall("output", "", "lines", "40-60"))
	}
	return from, end, nil
}

func lineNumber(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(s), "L"))
	return n, err == nil && n > 0
}
