package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// javaFormat reads the messages of the JVM itself: uncaught exceptions, crashes, and errors at the start.
var javaFormat = parse.Format{
	Name:     "java",
	About:    "the JVM: uncaught exceptions, crashes, refused options",
	Triggers: []string{"Exception in thread \"", "java.lang.OutOfMemoryError"},
	Starts: []string{
		"Error: Could not find or load main class ", "Error: Unable to access jarfile ", "Error: Main method not found",
		"Error: LinkageError occurred",
		"Error: A JNI error has occurred", "Error occurred during initialization of ", "Unrecognized VM option ",
		"Unrecognized option: -",
		"Error: Invalid or corrupt jarfile ", "Error opening zip file or JAR manifest missing",
		"Error: Could not create the Java Virtual Machine", "Error: A fatal exception has occurred. Program will exit",
		"# A fatal error has been detected by the Java", "# There is insufficient memory for the Java",
	},
	Match: matchJava,
}

func matchJava(s *parse.Scan, l parse.Line) bool {
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
	if strings.Contains(text, "java.lang.OutOfMemoryError") {
		return outOfMemory(s, text)
	}
	d := parse.Draft{Weight: parse.Likely,
		Event: store.Event{Message: strings.TrimPrefix(text, "Error: "), Category: store.CategoryRuntime}}
	if strings.HasPrefix(text, "Error: Could not create the") || strings.HasPrefix(text, "Error: A fatal exception") {
		d.Weight = parse.Repeat
	}
	added := s.Add(d)
	if strings.HasPrefix(text, "Error occurred during initialization of ") { // the next line has the reason
		s.Block(parse.Below{Lines: 1, Join: ": "}.Block(added))
	}
	return true
}

// outOfMemory reads "java.lang.OutOfMemoryError: Java heap space". A step often prints such a line several times, so
// only the first one becomes an event.
func outOfMemory(s *parse.Scan, text string) bool {
	for _, before := range [...]string{"Caused by: ", "Terminating due to ", "[ERROR] ", "error: ", "ERROR: ", "> "} {
		text = strings.TrimPrefix(text, before)
	}
	if !strings.HasPrefix(text, "java.lang.OutOfMemoryError") {
		return false
	}
	const code = "OutOfMemoryError"
	if s.Reported("java", code) == nil {
		s.Add(parse.Draft{Weight: parse.Died, Key: code,
			Event: store.Event{Message: text, Code: code, Category: store.CategoryRuntime}})
	}
	return true
}

// uncaught reads the trace of an exception that ended a thread. If the thread is not main, the program goes on. Even
// main may end in this way inside of a test.
func uncaught(s *parse.Scan, thread, text string) {
	t := &throwable{}
	t.begin(text)
	draft := parse.Draft{Weight: parse.Likely, Event: store.Event{Category: store.CategoryRuntime}}
	if thread != "main" {
		draft.Weight = parse.Guess
	}
	t.apply(&draft)
	d := s.Add(draft)
	if i := strings.Index(d.Message, "compiling:("); i > 0 { // Clojure before 1.10
		if p, _, ok := parse.PlaceAt(strings.TrimSuffix(d.Message[i+len("compiling:("):], ")")); ok {
			d.File, d.Line, d.Column, d.Category = p.File, p.Line, p.Column, store.CategoryCompile
		}
	}
	if t.class == "" {
		return
	}
	early := 0
	s.Block(func(l parse.Line) parse.Verdict {
		if _, isFrame := frameAt(l.Trim()); !t.framed && !isFrame {
			if early++; early > 10 || l.Trim() == "" || startsMavenLevel(l.Text) {
				return parse.Done
			}
		}
		if !t.add(l.Text) {
			return parse.Done
		}
		t.apply(d)
		d.Extend(l)
		return parse.Take
	})
}

// jvmCrash reads the box that the JVM prints when it dies.
func jvmCrash(s *parse.Scan, text string) bool {
	d := s.Add(parse.Draft{Event: store.Event{Message: strings.TrimSuffix(text[2:], ":"),
		Category: store.CategoryRuntime, Code: "crash"}})
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		rest, ok := strings.CutPrefix(l.Text, "#")
		if lines++; !ok || lines > 40 {
			return parse.Done
		}
		rest = strings.TrimSpace(rest)
		if strings.HasPrefix(rest, "SIG") || strings.HasPrefix(rest, "EXCEPTION_") ||
			strings.HasPrefix(rest, "Internal Error") || strings.HasPrefix(rest, "Out of Memory Error") ||
			strings.HasPrefix(rest, "Native memory allocation") {
			signal, _, _ := strings.Cut(rest, " at pc=")
			d.Message += ": " + signal
		} else if strings.HasPrefix(rest, "C  [") || strings.HasPrefix(rest, "V  [") || strings.HasPrefix(rest, "J ") {
			d.Message += " in " + strings.TrimSpace(rest[1:])
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}
