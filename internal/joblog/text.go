package joblog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
)

// Head is the runner's output before a step of the workflow.
type Head struct {
	Title  string   // without "Run "
	Script string   // script of a step, "" for a step without a script
	Shell  []string // shell that runs the script, with its options
	Uses   bool     // the step uses an action
}

// End is the runner's message about the end of a step.
type End struct {
	ExitCode *int // nil if the runner does not print the exit code
	Canceled bool
	TimedOut bool
}

// Restore returns the workflow command that produced a message, because the log has only the message. An example of
// such a command is ::error file=a.c::message. Restore returns "" if there is none.
type Restore func(level, message string) string

// Text reads a part of a log. It writes the output of the step, and returns the runner's messages before and after
// the output. The Restore may be nil.
func Text(part io.Reader, isFirst bool, to io.Writer, restore Restore) (Head, End, error) {
	t := reader{to: bufio.NewWriterSize(to, 64<<10), first: isFirst, restore: restore}
	r := bufio.NewReaderSize(part, 64<<10)
	for {
		line, err := r.ReadSlice('\n')
		if len(line) > 0 {
			t.piece(line)
		}
		switch {
		case errors.Is(err, io.EOF):
			t.release(nil)
			return t.head, t.end, t.to.Flush()
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return t.head, t.end, err
		}
	}
}

// reader reads the lines of a part.
type reader struct {
	restore Restore
	to      *bufio.Writer
	clock   clock
	first   bool // the next line is the first line of the log
	inside  bool // the next bytes continue a line
	lines   int
	header  bool // the next line belongs to the header
	head    Head
	end     End
	held    []byte // a line that may be the runner's last message
}

// piece reads a line, or a piece of a long line.
func (t *reader) piece(b []byte) {
	whole := b[len(b)-1] == '\n'
	if t.inside {
		_, _ = t.to.Write(b) // Flush returns the error
		t.inside = !whole
		return
	}
	text, _, _ := t.clock.read(b, t.first)
	t.first, t.inside = false, !whole
	t.lines++
	line := bytes.TrimRight(text, "\r\n")
	switch {
	case t.lines == 1 && bytes.HasPrefix(line, []byte(runGroup)):
		t.head.Title, t.header = string(line[len(runGroup):]), true
	case t.header:
		t.readHead(line)
	case t.isEnd(line):
		t.release(text)
	default:
		t.release(nil)
		if command := t.command(line); command != "" && whole {
			text = []byte(command + "\n")
		}
		_, _ = t.to.Write(text)
	}
}

// command returns the workflow command for a line, or "" for none.
func (t *reader) command(line []byte) string {
	rest, ok := bytes.CutPrefix(line, []byte("##["))
	if !ok || t.restore == nil {
		return ""
	}
	level, message, _ := strings.Cut(string(rest), "]")
	switch level {
	case "error", "warning", "notice":
		return t.restore(level, message)
	}
	return ""
}

// The runner prints scripts in this color.
var cyan, uncolored = []byte("\x1b[36;1m"), []byte("\x1b[0m")

func (t *reader) readHead(line []byte) {
	switch {
	case bytes.Equal(line, []byte("##[endgroup]")):
		t.header = false
	case bytes.HasPrefix(line, cyan):
		const maxScript = 64 << 10
		if len(t.head.Script) < maxScript {
			t.head.Script += string(bytes.TrimSuffix(line[len(cyan):], uncolored)) + "\n"
		}
	case bytes.HasPrefix(line, []byte("shell: ")) && t.head.Shell == nil:
		t.head.Shell = strings.Fields(string(line[len("shell: "):]))
	case bytes.Equal(line, []byte("with:")) && t.head.Script == "":
		t.head.Uses = true
	}
}

// release writes the held line, except if it was the runner's last message. After that it holds the line nextLine.
func (t *reader) release(nextLine []byte) {
	if nextLine != nil || !t.hasEnd() {
		_, _ = t.to.Write(t.held)
	}
	t.held = append(t.held[:0], nextLine...)
}

func (t *reader) hasEnd() bool { return t.end != End{} }

const exited = "##[error]Process completed with exit code "

// isEnd reports whether a line looks like the runner's message about the end of a step, and stores the ending in t.end.
// A step itself may print such a line. So isEnd clears t.end again if other text follows the line.
func (t *reader) isEnd(line []byte) bool {
	switch text := string(line[:min(len(line), 200)]); {
	case strings.HasPrefix(text, exited):
		code, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(text, exited), "."))
		if err != nil {
			return false
		}
		t.end = End{ExitCode: &code}
	case text == "##[error]The operation was canceled.":
		t.end = End{Canceled: true}
	case strings.HasPrefix(text, "##[error]The action '") && strings.Contains(text, "' has timed out after "):
		t.end = End{TimedOut: true}
	default:
		if len(bytes.TrimSpace(line)) > 0 {
			t.end = End{} // a later line follows
		}
		return false
	}
	return true
}
