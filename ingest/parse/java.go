package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// javaFormat reads the JVM itself: uncaught exceptions, crashes, and why it
// did not start.
var javaFormat = Format{
	Name:     "java",
	About:    "the JVM: uncaught exceptions, crashes, refused options",
	Triggers: []string{"Exception in thread \""},
	Starts: []string{
		"Error: Could not find or load main class ", "Error: Unable to access jarfile ", "Error: Main method not found", "Error: LinkageError occurred",
		"Error: A JNI error has occurred", "Error occurred during initialization of ", "Unrecognized VM option ", "Unrecognized option: -",
		"# A fatal error has been detected by the Java", "# There is insufficient memory for the Java",
	},
	New: stateless(matchJava),
}

func matchJava(s *Scan, l Line) bool {
	text := l.Trim()
	if strings.HasPrefix(text, "# ") {
		return jvmCrash(s, text)
	}
	if _, rest, ok := strings.Cut(text, "Exception in thread \""); ok {
		thread, rest, ok := strings.Cut(rest, "\" ")
		if ok {
			uncaught(s, thread, rest)
		}
		return ok
	}
	s.Add(Draft{Weight: Likely, Event: store.Event{Message: strings.TrimPrefix(text, "Error: "), Category: store.CategoryRuntime}})
	return true
}

// uncaught reads the trace of an exception that ended a thread. A program goes
// on without a thread other than main, and even main may end in a test.
func uncaught(s *Scan, thread, text string) {
	t := &throwable{}
	t.begin(text)
	draft := Draft{Weight: Likely, Event: store.Event{Category: store.CategoryRuntime}}
	if thread != "main" {
		draft.Weight = Guess
	}
	t.apply(&draft)
	d := s.Add(draft)
	if i := strings.Index(d.Message, "compiling:("); i > 0 { // Clojure before 1.10
		if p, _, ok := placeAt(strings.TrimSuffix(d.Message[i+len("compiling:("):], ")")); ok {
			d.File, d.Line, d.Column, d.Category = p.File, p.Line, p.Column, store.CategoryCompile
		}
	}
	if t.class == "" {
		return
	}
	early := 0
	s.Block(func(l Line) Verdict {
		if _, isFrame := frameAt(l.Trim()); !t.framed && !isFrame {
			if early++; early > 10 || l.Trim() == "" || startsMavenLevel(l.Text) {
				return Done
			}
		}
		if !t.add(l.Text) {
			return Done
		}
		t.apply(d)
		d.Extend(l)
		return Take
	})
}

// jvmCrash reads the box that the JVM prints when it dies.
func jvmCrash(s *Scan, text string) bool {
	d := s.Add(Draft{Event: store.Event{Message: strings.TrimSuffix(text[2:], ":"), Category: store.CategoryRuntime, Code: "crash"}})
	lines := 0
	s.Block(func(l Line) Verdict {
		rest, ok := strings.CutPrefix(l.Text, "#")
		if lines++; !ok || lines > 40 {
			return Done
		}
		rest = strings.TrimSpace(rest)
		if strings.HasPrefix(rest, "SIG") || strings.HasPrefix(rest, "EXCEPTION_") || strings.HasPrefix(rest, "Internal Error") || strings.HasPrefix(rest, "Out of Memory Error") || strings.HasPrefix(rest, "Native memory allocation") {
			signal, _, _ := strings.Cut(rest, " at pc=")
			d.Message += ": " + signal
		} else if strings.HasPrefix(rest, "C  [") || strings.HasPrefix(rest, "V  [") || strings.HasPrefix(rest, "J ") {
			d.Message += " in " + strings.TrimSpace(rest[1:])
		}
		d.Extend(l)
		return Take
	})
	return true
}
