// Package joblog splits the log of a GitHub Actions job into its steps, and removes the lines of the runner. The
// remaining lines of a step are the output of the step. The package may import internal/github/payload.
package joblog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/github/payload"
)

// Part is the log of a step. The part begins at offset From of the job's log, and ends before offset To.
type Part struct {
	payload.Step
	From, To int64
}

// kind is a kind of steps. A line has a kind, too: the kind of the step that begins with such a line, or plain.
type kind int

const (
	plain    kind = iota // any line
	first                // the first line of the log
	running              // a step of the workflow, or a step of a composite action
	cleaning             // a post step of an action
	closing              // the last step
)

// kindsOf returns the kinds of a job's steps. The post step of an action has the name of the action's earlier step
// after "Post ": "Post Run actions/checkout@v4". Other names that begin with "Post " belong to steps of the workflow.
func kindsOf(steps []payload.Step) []kind {
	kinds, earlier := make([]kind, len(steps)), map[string]bool{}
	for i, s := range steps {
		main, isPost := strings.CutPrefix(s.Name, "Post ")
		switch {
		case s.Name == "Set up job":
			kinds[i] = first
		case s.Name == "Complete job":
			kinds[i] = closing
		case isPost && earlier[main]:
			kinds[i] = cleaning
		default:
			kinds[i] = running
		}
		earlier[s.Name] = true
	}
	return kinds
}

// mark is a line at which a step may begin.
type mark struct {
	kind   kind
	at     int64 // offset of its first byte
	second int64 // time of the line
	title  string
}

// These constants limit the work on a log. maxMarks limits the marks in one second, because a log may contain many
// false marks. maxSteps limits the steps of a job.
const (
	maxMarks = 20
	maxSteps = 500
)

// Cut returns the parts of a job's log in order. Steps without output have no part. The log names only some steps, and
// GitHub gives the start of a step only in whole seconds. So if several steps begin within a second, Cut uses the lines
// with which the runner begins a step.
func Cut(log io.Reader, steps []payload.Step) ([]Part, error) {
	steps = ran(steps)
	marks, size, err := find(log, steps)
	if err != nil || len(marks) == 0 {
		return nil, err
	}
	var parts []Part
	for i, at := range assign(steps, marks) {
		if at < 0 {
			continue
		}
		if len(parts) > 0 {
			parts[len(parts)-1].To = marks[at].at
		}
		parts = append(parts, Part{Step: steps[i], From: marks[at].at, To: size})
	}
	return parts, nil
}

// ran returns the steps that have begun and were not skipped, at most maxSteps of them.
func ran(steps []payload.Step) []payload.Step {
	var list []payload.Step
	for _, s := range steps {
		if s.Conclusion != "skipped" && !s.StartedAt.IsZero() {
			list = append(list, s)
		}
	}
	return list[:min(len(list), maxSteps)]
}

// find returns the marks in a log in their order, and the size of the log.
func find(log io.Reader, steps []payload.Step) (marks []mark, size int64, err error) {
	r := bufio.NewReaderSize(log, 64<<10)
	next, near := 0, map[int64]int{} // the next step to begin, and the number of marks by second
	for c := (clock{}); ; {
		line, n, err := readLine(r)
		if n > 0 {
			text, second, ok := c.read(line, size == 0)
			m := mark{kind: kindOfLine(text), at: size, second: second}
			if size == 0 && m.kind == plain {
				m.kind = first
			}
			begins := false
			for ok && next < len(steps) && second >= steps[next].StartedAt.Unix() {
				begins = true
				next++
			}
			soon := next > 0 && second <= steps[next-1].StartedAt.Unix()+slack && near[second] < maxMarks
			if begins || m.kind != plain && soon || size == 0 {
				near[second]++
				m.title = title(text)
				marks = append(marks, m)
			}
			size += int64(n)
		}
		switch {
		case errors.Is(err, io.EOF):
			return marks, size, nil
		case err != nil:
			return nil, size, err
		}
	}
}

const runGroup = "##[group]Run "

func kindOfLine(text []byte) kind {
	switch {
	case bytes.HasPrefix(text, []byte(runGroup)):
		return running
	case bytes.HasPrefix(text, []byte("Post job cleanup.")):
		return cleaning
	case bytes.HasPrefix(text, []byte("Cleaning up orphan processes")),
		bytes.HasPrefix(text, []byte("Evaluate and set job outputs")):
		return closing
	}
	return plain
}

// title returns the beginning of a line without "##[group]". GitHub gives this title to a step that has no name of its
// own.
func title(text []byte) string {
	return strings.TrimSpace(strings.TrimPrefix(string(text[:min(len(text), 300)]), "##[group]"))
}

// readLine returns the beginning of a line, without a line break, and the number of bytes of the whole line.
func readLine(r *bufio.Reader) (line []byte, n int, err error) {
	for {
		some, err := r.ReadSlice('\n')
		n += len(some)
		if line == nil {
			line = bytes.TrimRight(some, "\r\n")
			if errors.Is(err, bufio.ErrBufferFull) {
				line = bytes.Clone(some)
			}
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, n, err
		}
	}
}

// clock parses the times at the beginning of lines.
type clock struct {
	text   [19]byte // the last parsed time, up to its second
	second int64
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// read returns a line without its time, and the Unix time in seconds. If the line has no valid time, ok is false, and
// the Unix time is that of an earlier line.
func (c *clock) read(line []byte, isFirst bool) (text []byte, second int64, ok bool) {
	if isFirst {
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	n := stamp(line)
	if n == 0 {
		return line, c.second, false
	}
	if !bytes.Equal(line[:19], c.text[:]) {
		at, err := time.Parse("2006-01-02T15:04:05", string(line[:19]))
		if err != nil {
			return line, c.second, false
		}
		copy(c.text[:], line)
		c.second = at.Unix()
	}
	return line[n:], c.second, true
}

// stamp returns the length of a time at the beginning of a line, such as "2026-08-17T13:15:44.0830000Z ", or 0 for
// none.
func stamp(b []byte) int {
	if len(b) < 20 || b[4] != '-' || b[10] != 'T' || b[16] != ':' {
		return 0
	}
	i := bytes.IndexByte(b[:min(len(b), 32)], 'Z')
	if i < 19 {
		return 0
	}
	if i++; i < len(b) && b[i] == ' ' {
		i++
	}
	return i
}

// IsRunners reports whether a step of a job belongs to the runner, and not to the workflow.
func IsRunners(job []payload.Step, s payload.Step) bool {
	if s.Name == "Initialize containers" || s.Name == "Stop containers" {
		return true
	}
	at := slices.IndexFunc(job, func(o payload.Step) bool { return o.Number == s.Number })
	return at >= 0 && kindsOf(job[:at+1])[at] != running
}
