package chunk

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"regexp"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/blq-ci/blq/store"
)

// Search defines the pattern and the bounds of Grep.
type Search struct {
	Pattern  *regexp.Regexp
	Around   int // lines before and after each match
	From, To int // first and last line to search; a To of 0 means the end
	After    int // last line of an earlier search: yield only later lines, and stop at no limit before it
	// Max is the number of matches that are yielded with their text; 0 means all. If there are more
	// matches and Around is 0, Grep may yield only the number of the other matches.
	Max int
	// MaxBytes bounds the size of the searched text, and MaxWork the processor time for matching. Both bounds are
	// approximate. 0 means no limit.
	MaxBytes int64
	MaxWork  time.Duration
}

// Match is a line that Grep found, or a context line.
type Match struct {
	Line
	Found bool // the pattern matches; other lines are context
	More  int  // if this is not a line: number of further matches; 0 for a line
}

// Stopped is the error of a search that reached a limit. The next search can begin at the line From. Grep has yielded
// all matches before line From. Context lines after the last match may be missing.
type Stopped struct{ From int }

func (s *Stopped) Error() string { return fmt.Sprintf("the search stopped before line %d", s.From) }

// Grep yields matching lines with their context lines. It yields each line once, in order. Lines outside the range are
// never context. Several chunks are searched at the same time. If the search reaches a limit, the last error is a
// *Stopped.
func (r *Reader) Grep(ctx context.Context, s Search) iter.Seq2[Match, error] {
	return func(yield func(Match, error) bool) {
		chunks, err := r.store.Chunks(ctx, r.scope, r.attempt, r.stream, s.From, s.To)
		if err != nil {
			yield(Match{}, err)
			return
		}
		g := &grep{Search: s, yield: func(m Match, err error) bool {
			return err == nil && m.More == 0 && m.Number <= s.After || yield(m, err)
		}}
		for found := range r.look(ctx, chunks, s) {
			if !g.chunk(&found) {
				return
			}
		}
		if g.carry.open && g.carry.number >= s.From {
			last := g.carry.line(g.carry.number)
			last.Open = true
			g.line(last, s.Pattern.MatchString(last.Text))
		}
	}
}

// looked is a chunk with the result of searching it.
type looked struct {
	store.Chunk
	text  []byte
	err   error
	found []hit // matching lines, without the first and the last line, which may span chunks
	lines int   // number of searched whole lines
	end   int   // offset of the text after these lines
	whole bool  // all lines were searched
}

// hit is a matching line.
type hit struct{ line, start int } // index of the line in the chunk, and offset of its text

// searchers is the max number of chunks that one search unpacks at the same time. If there are several processors, a
// search leaves one of them free for other work.
const searchers = 4

// look searches several chunks at the same time, and yields the searched chunks in order. A text is valid only until
// the next chunk is yielded.
func (r *Reader) look(ctx context.Context, chunks []store.Chunk, s Search) iter.Seq[looked] {
	return func(yield func(looked) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var work atomic.Int64
		text := needleOf(s.Pattern)
		n := min(searchers, max(1, min(runtime.NumCPU(), runtime.GOMAXPROCS(0))-1), len(chunks))
		results := make([]chan looked, n) // chunk i uses results[i%n]
		started := 0
		start := func(u *unpacker) {
			if started == len(chunks) {
				return
			}
			c, to := chunks[started], results[started%n]
			started++
			go func() { to <- u.look(ctx, c, s, text, &work) }()
		}
		units := make([]unpacker, n)
		for i := range units {
			units[i] = unpacker{Reader: r, keep: len(chunks) <= few}
			results[i] = make(chan looked, 1)
			start(&units[i])
		}
		taken := 0
		defer func() {
			cancel()
			for ; taken < started; taken++ {
				<-results[taken%n]
			}
			for i := range units {
				units[i].close()
			}
		}()
		for taken < len(chunks) {
			found := <-results[taken%n]
			u := &units[taken%n]
			taken++
			if !yield(found) {
				return
			}
			start(u)
		}
	}
}

// look unpacks a chunk and searches its lines. n is the needle of the pattern. work is the total matching time of the
// search, in nanoseconds.
func (u *unpacker) look(ctx context.Context, c store.Chunk, s Search, n needle, work *atomic.Int64) looked {
	t := u.text(ctx, c)
	found := looked{Chunk: c, text: t.text, err: t.err, whole: true}
	if t.err != nil {
		return found
	}
	before, began := work.Load(), time.Now()
	defer func() { work.Add(int64(time.Since(began))) }()
	in := n.prepare(u.folded, t.text)
	if n.fold {
		u.folded = in
	}
	tried := 0 // bytes since the last check of the time
	for found.whole {
		if found.lines > 0 {
			size, lines := n.skip(in[found.end:])
			found.end, found.lines = found.end+size, found.lines+lines
		}
		text := t.text[found.end:]
		end := bytes.IndexByte(text, '\n')
		number := c.FirstLine + found.lines
		if end < 0 || s.To > 0 && number > s.To {
			break
		}
		if found.lines > 0 && number >= s.From {
			line := text[:min(end, maxLine)]
			if n.match(line, s.Pattern) {
				found.found = append(found.found, hit{found.lines, found.end})
			}
			tried += perLine + len(line)
		}
		found.end, found.lines = found.end+end+1, found.lines+1
		if tried >= checkEvery && s.MaxWork > 0 {
			tried = 0
			found.whole = before+int64(time.Since(began)) <= int64(s.MaxWork)
		}
	}
	found.err = ctx.Err()
	return found
}

// checkEvery is the number of bytes between two checks of the time. A line counts as perLine bytes
// more than its text, because a large expression needs microseconds for each line.
const (
	checkEvery = 8 << 10
	perLine    = 100
)

// grep yields matches with the lines around them.
type grep struct {
	Search
	yield  func(Match, error) bool
	carry  joiner
	before []Line
	found  int // number of yielded matches
	after  int // lines to yield after the last match
	bytes  int64
	work   time.Duration // time spent on lines that may span chunks
}

// chunk yields the matches of a chunk, and reports whether the search continues.
func (g *grep) chunk(c *looked) bool {
	if c.err != nil {
		g.yield(Match{}, c.err)
		return false
	}
	over := g.MaxBytes > 0 && g.bytes >= g.MaxBytes || g.MaxWork > 0 && g.work > g.MaxWork
	g.bytes += c.Bytes
	number, text := c.FirstLine, c.text
	for i := 0; len(text) > 0 && (g.To == 0 || number <= g.To); i++ {
		if next, start := g.idle(c, i); next > i && !over {
			text, number, i = c.text[start:], number+next-i, next
		}
		if n := g.countable(c, i, number); n > 0 && !over {
			if !g.yield(Match{More: n}, nil) {
				return false
			}
			text, number, i = c.text[c.end:], number+c.lines-i, c.lines
		}
		if len(text) == 0 {
			break
		}
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			g.carry.add(text)
			break
		}
		g.carry.add(text[:end])
		text = text[end+1:]
		line := g.carry.line(number)
		number++
		if line.Number < g.From {
			continue
		}
		again := line.Number // the line at which the next search begins, if this search stops here
		if len(g.before) > 0 {
			again = g.before[0].Number // the first of these lines may be context of a later match
		}
		is, unseen := c.has(i), !c.whole && i >= c.lines
		if i == 0 || unseen && again <= max(g.From, g.After) {
			began := time.Now()
			is = g.Pattern.MatchString(line.Text)
			g.work += time.Since(began)
		}
		if again > max(g.From, g.After) && (unseen || over && (is || g.after == 0)) {
			g.yield(Match{}, &Stopped{From: again})
			return false
		}
		if !g.line(line, is) {
			return false
		}
	}
	g.carry.number = number
	return true
}

// idle skips lines of a chunk, from line i on, that need no work. It stops at the first line that is a match, can be
// context of a match, or was not searched. It returns the index and the offset of that line. If idle skips no line, it
// returns i, and start has no meaning. If idle skips lines, it also forgets the lines before line i that could have
// become context.
func (g *grep) idle(c *looked, i int) (next, start int) {
	if i == 0 || g.after > 0 || !c.whole || c.FirstLine+i < g.From {
		return i, 0
	}
	next, start = c.lines, c.end
	if c.drop(i); len(c.found) > 0 {
		next, start = c.found[0].line, c.found[0].start
	}
	if next-g.Around <= i {
		return i, 0
	}
	g.before = g.before[:0]
	for range g.Around {
		start = bytes.LastIndexByte(c.text[:start-1], '\n') + 1
	}
	return next - g.Around, start
}

// countable returns the number of matches from line i of a chunk on, if Grep has to yield only their number.
// Otherwise it returns 0. The parameter number is the number of line i in the log.
func (g *grep) countable(c *looked, i, number int) int {
	if g.Max == 0 || g.found < g.Max || g.Around > 0 || i == 0 || !c.whole || number < max(g.From, g.After+1) {
		return 0
	}
	c.drop(i)
	return len(c.found)
}

// has reports whether a line of the chunk matches. Callers must ask about lines in order.
func (c *looked) has(i int) bool {
	c.drop(i)
	return len(c.found) > 0 && c.found[0].line == i
}

// drop forgets the matches before a line.
func (c *looked) drop(i int) {
	for len(c.found) > 0 && c.found[0].line < i {
		c.found = c.found[1:]
	}
}

// line yields a line if it matches or is context, and reports whether the search continues.
func (g *grep) line(line Line, is bool) bool {
	switch {
	case is:
		for _, b := range g.before {
			if !g.yield(Match{Line: b}, nil) {
				return false
			}
		}
		g.before, g.after = g.before[:0], g.Around
		g.found++
		return g.yield(Match{Line: line, Found: true}, nil)
	case g.after > 0:
		g.after--
		return g.yield(Match{Line: line}, nil)
	case g.Around > 0:
		if len(g.before) == g.Around {
			g.before = g.before[:copy(g.before, g.before[1:])]
		}
		g.before = append(g.before, line)
	}
	return true
}
