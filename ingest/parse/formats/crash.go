package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// crashFormat reads messages about crashes of native programs: failed assertions, uncaught C++ exceptions, failed
// checks of the C library, errors of GLib, and the shell's message about a signal.
var crashFormat = parse.Format{
	Name:  "crash",
	About: "native programs that die: assert, abort, signals, uncaught C++ exceptions, heap checks of glibc, GLib",
	Triggers: []string{
		": Assertion `", ": Assertion '", "Assertion failed: ", "terminate called ", "terminating with uncaught exception",
		"terminating due to uncaught exception", "*** Terminating app due to uncaught exception",
		"Segmentation fault", "core dumped)", " Aborted ", " Killed ", " Abort trap", "Bus error", "Illegal instruction",
		"Floating point exception", "Fatal glibc error: ",
		"stack smashing detected ***", "buffer overflow detected ***", "double free or corruption", "free(): ",
		"malloc(): ", "munmap_chunk(): ", "realloc(): ", "corrupted size vs. prev_size", "pure virtual method called",
		"ERROR **: ", "CRITICAL **: ", " had a problem and crashed.",
	},
	Starts: []string{"Aborted", "Abort trap: 6", "ERROR:", "Bail out! ERROR:"},
	Lines:  glibLines,
	New:    func() parse.Matcher { return new(crash).match },
}

// crash keeps the newest message, because the next lines may name the signal that ended the program.
type crash struct {
	last   *parse.Draft
	signal *parse.Draft // newest draft to which the line with its signal was added
}

func (c *crash) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if d, ok := assertion(text); ok {
		d.Category, d.Weight = store.CategoryRuntime, parse.Died
		c.last = s.Add(d)
		return true
	}
	if rest, ok := cutAfter(text, "terminate called "); ok {
		c.exception(s, rest)
		return true
	}
	// Apple's Foundation prints this line, and then a stack. After that, libc++ prints a line and ends the program.
	if rest, ok := cutAfter(text, "*** Terminating app due to uncaught exception "); ok {
		c.add(s, rest, parse.Died)
		return true
	}
	if c.last != nil && strings.HasSuffix(text, "uncaught exception of type NSException") {
		c.last.Extend(l)
		return true
	}
	if rest, ok := cutAfter(text, "uncaught exception"); ok && strings.Contains(text, "terminating ") {
		c.add(s, strings.TrimLeft(strings.TrimPrefix(rest, " of type "), ": "), parse.Died)
		return true
	}
	if program, _, ok := strings.Cut(text, " had a problem and crashed. "); ok { // human-panic, in many programs in Rust
		c.add(s, program+" crashed", parse.Died)
		return true
	}
	if isHeapCheck(text) {
		c.add(s, strings.Trim(strings.TrimSuffix(text, ": terminated"), "* "), parse.Died)
		return true
	}
	reason, ok := crashReason(text)
	if !ok {
		return false
	}
	if d := s.Newest(); d != nil && d != c.signal &&
		(isCrashOf(d) && l.N <= d.LogLineEnd+20 || strings.Contains(d.Message, reason) && l.N <= d.LogLineEnd+200) {
		d.Extend(l) // the signal ended the program that printed the message of d
		c.signal = d
		return true
	}
	w := parse.Died
	if text == "Aborted" { // a program that is told to stop prints this, too
		w = parse.Likely
	}
	c.add(s, reason, w)
	c.signal = c.last
	return true
}

// isCrashOf reports whether the failure in d may have ended the program.
func isCrashOf(d *parse.Draft) bool {
	return d.Category == store.CategoryRuntime && d.Tool != "shell" && d.Severity == store.SeverityError &&
		d.Weight != parse.Repeat || d.Tool == "catch2" || d.Tool == "doctest" || d.Tool == "glib"
}

func (c *crash) add(s *parse.Scan, message string, w parse.Weight) {
	c.last = s.Add(parse.Draft{Event: store.Event{Message: message, Category: store.CategoryRuntime}, Weight: w})
}

// exception reads the text after "terminate called", which may name a type. It also reads what() on the next line.
func (c *crash) exception(s *parse.Scan, rest string) {
	kind := strings.TrimPrefix(rest, "after throwing an instance of ")
	c.add(s, "terminate called "+rest, parse.Died)
	d := c.last
	s.Block(func(l parse.Line) parse.Verdict {
		what, ok := strings.CutPrefix(l.Trim(), "what():")
		if !ok {
			return parse.Done
		}
		d.Message = strings.Trim(kind, "'‘’`") + ": " + strings.TrimSpace(what)
		d.Extend(l)
		return parse.Last
	})
}

// assertion reads a failed assert() of glibc, "prog: a.c:12: main: Assertion
// `x > 0' failed.", of macOS, "Assertion failed: (x > 0), function main, file
// a.c, line 12.", of musl, "Assertion failed: x > 0 (a.c: main: 12)", and of
// Visual C++, "Assertion failed: x > 0, file a.c, line 12".
func assertion(text string) (d parse.Draft, ok bool) {
	for _, open := range [...]string{": Assertion `", ": Assertion '"} {
		before, message, found := strings.Cut(text, open)
		if !found || !strings.HasSuffix(message, "failed.") && !strings.HasSuffix(message, "failed") {
			continue
		}
		d.Message = "Assertion " + open[len(open)-1:] + message
		for rest := before; ; {
			p, _, ok := parse.PlaceAt(rest)
			if ok {
				d.File, d.Line = p.File, p.Line
				return d, true
			}
			if _, rest, ok = strings.Cut(rest, ": "); !ok {
				return d, true
			}
		}
	}
	i := strings.Index(text, "Assertion failed: ")
	if i < 0 {
		return d, false
	}
	message := text[i:]
	if j := strings.LastIndex(message, "file "); j > 0 {
		file, line, found := strings.Cut(strings.TrimSuffix(message[j+5:], "."), ", line ")
		if n, _ := parse.Number(line); found && n > 0 {
			d.Message, d.File, d.Line = strings.TrimSuffix(strings.TrimSpace(message[:j]), ","), file, n
			return d, true
		}
	}
	if j := strings.LastIndex(message, " ("); j > 0 && strings.HasSuffix(message, ")") {
		parts := strings.Split(message[j+2:len(message)-1], ": ")
		if n, _ := parse.Number(parts[len(parts)-1]); len(parts) == 3 && n > 0 {
			d.Message, d.File, d.Line = message[:j], parts[0], n
			return d, true
		}
	}
	return d, false
}

// isHeapCheck reports whether text is a message of glibc before it aborts.
func isHeapCheck(text string) bool {
	if rest, ok := strings.CutPrefix(text, "*** "); ok {
		return strings.Contains(rest, " detected ***") || strings.HasPrefix(rest, "Error in `") ||
			strings.HasPrefix(rest, "glibc detected")
	}
	for _, w := range [...]string{
		"double free or corruption", "free(): invalid ", "free(): double free", "free(): corrupted", "malloc(): ",
		"munmap_chunk(): invalid", "realloc(): invalid",
		"corrupted size vs. prev_size", "pure virtual method called", "Fatal glibc error: ",
	} {
		if strings.HasPrefix(text, w) {
			return true
		}
	}
	return false
}

// signals are the shells' words for signals that end a program.
var signals = []string{"Segmentation fault", "Aborted", "Bus error", "Illegal instruction",
	"Floating point exception", "Trace/breakpoint trap", "Abort trap: 6", "Abort trap", "Segmentation fault: 11"}

// crashReason reads a shell's message about a program that a signal ended: "Segmentation fault (core dumped)" and
// "run.sh: line 3: 1234 Aborted  (core dumped) ./a.out".
func crashReason(text string) (reason string, ok bool) {
	if i := strings.Index(text, ": line "); i > 0 { // bash names the script
		n, length := parse.Number(text[i+7:])
		rest, isShell := strings.CutPrefix(text[i+7+length:], ":")
		if n == 0 || !isShell {
			return "", false
		}
		rest = strings.TrimLeft(strings.TrimLeft(rest, " "), "0123456789")
		for _, w := range append([]string{"Killed"}, signals...) {
			if after, ok := strings.CutPrefix(strings.TrimLeft(rest, " "), w); ok {
				command := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(after), "(core dumped)"))
				return strings.TrimSuffix(w+": "+command, ": "), true
			}
		}
		return "", false
	}
	bare := strings.TrimSpace(strings.TrimSuffix(text, "(core dumped)"))
	for _, w := range signals {
		if bare == w {
			return w, true
		}
	}
	return "", false
}

// cutAfter returns the part of s after sep.
func cutAfter(s, sep string) (after string, ok bool) {
	_, after, ok = strings.Cut(s, sep)
	return after, ok
}
