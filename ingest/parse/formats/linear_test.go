package formats

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
)

// BenchmarkOpeners parses logs in which a line with a literal of a format is repeated. No format may need more time for
// a line than for the lines before it. The benchmark fails if a log of a few MB takes more than 5 seconds.
func BenchmarkOpeners(b *testing.B) {
	code := 1
	for name, line := range openers(b) {
		n := min(20000, 4<<20/(len(line)+20))
		var frames strings.Builder
		for i := range n {
			fmt.Fprintf(&frames, "%s\n    at f%d (a%d.js:%d:1)\n", line, i, i, i)
		}
		for shape, log := range map[string]string{
			"alone":                 strings.Repeat(line+"\n", n),
			"before text":           strings.Repeat(line+"\n  some text\n\n", n),
			"before a frame":        frames.String(),
			"all over a long line":  strings.Repeat(line+" ", 1<<20/(len(line)+1)),
			"before 1 MB of words":  line + strings.Repeat(" x", 1<<19),
			"before 1 MB of blanks": line + strings.Repeat(" ", 1<<20) + "x",
		} {
			start := time.Now()
			parse.Bytes([]byte(log+"\n"), &code, all)
			if took := time.Since(start); took > 5*time.Second {
				b.Errorf("%s, its first line %s: %v for %d bytes", name, shape, took, len(log))
			}
		}
	}
}

// openers returns a line of each golden, by the name of the golden. It is the golden's first line with a literal of its
// format. Goldens without such a line are left out.
func openers(t testing.TB) map[string]string {
	formats := map[string]parse.Format{}
	for _, f := range All().Formats() {
		formats[f.Name] = f
	}
	lines := map[string]string{}
	for _, g := range goldens(t) {
		for line := range strings.Lines(string(g.input)) {
			if isOffered(formats[g.format], line) {
				lines[strings.TrimPrefix(g.file, "testdata/")] = strings.TrimRight(line, "\r\n")
				break
			}
		}
	}
	return lines
}

// isOffered reports whether a line contains a trigger of a format, or begins with one of its starts.
func isOffered(f parse.Format, line string) bool {
	return containsAny(line, f.Triggers) || hasAnyPrefix(line, f.Starts...)
}
