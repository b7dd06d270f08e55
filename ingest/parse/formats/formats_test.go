package formats

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// all are options with all formats. A format that panics fails the test.
var all = parse.Options{Formats: All(), Strict: true}

// Patterns are compiled when a line needs them. This test finds wrong ones.
func TestPatternsOfAllFormatsCompile(t *testing.T) {
	for _, f := range All().Formats() {
		f.Lines.Read("")
		if f.New != nil && (f.Match != nil || f.New() == nil) {
			t.Errorf("%s makes no matcher, or has two", f.Name)
		}
	}
}

const oneError = "src/a.foo:3:5: error: unknown thing"

// errorAt fails the test unless the log has the error of oneError at line n.
func errorAt(t *testing.T, log []byte, n int) {
	t.Helper()
	for _, e := range parse.Bytes(log, nil, all) {
		if e.Message == "unknown thing" && e.LogLine == n {
			return
		}
	}
	t.Errorf("no error at line %d", n)
}

func TestNothingHidesTheErrorThatFollows(t *testing.T) {
	long := strings.Repeat("x", 10<<20)
	for name, before := range map[string]string{
		"a line of 10 MB":                 long + "\n",
		"a document of 10 MB in one line": `{"a": "` + long + "\"}\n",
		"a document that never closes":    `{"a": "` + long + "\n",
		"deep JSON":                       strings.Repeat("[", 100000) + "\n",
		"deep JSON over many lines":       strings.Repeat("[\n", 1000) + "oops\n",
		"a JSON document cut off":         "{\n  \"messages\": [\n",
		"XML without an end":              "<?xml version=\"1.0\"?>\n<testsuite name=\"a\">\n<testcase",
		"NUL bytes":                       "\x00\x00error: \x00\n",
		"invalid UTF-8":                   "\xff\xfe\xc3(\n",
		"an escape sequence cut off":      "\x1b[31\n\x1b]0;title\n\x1b\n",
		"a progress bar":                  "10 %\r20 %\r100 %\r\n",
		"CRLF":                            "a\r\nb\r\n",
		"a traceback cut off":             "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n",
		"a gcc caret":                     "a.c:1:1: error: no\n    1 | x\n      | ^\n",
	} {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(name, "XML") || strings.HasPrefix(name, "a JSON") {
				before += "\n"
			}
			errorAt(t, []byte(before+oneError+"\nmore\n"), strings.Count(before, "\n")+1)
		})
	}
}

func TestLastLineNeedsNoEnd(t *testing.T) { errorAt(t, []byte("a\n"+oneError), 2) }

func TestEndsOfLines(t *testing.T) {
	errorAt(t, []byte("a\r\n"+oneError+"\r\n"), 2)
	errorAt(t, []byte("50 %\r"+oneError+"\rdone\n"), 1)
	errorAt(t, []byte("\xef\xbb\xbf"+oneError+"\n"), 1)
}

func TestManyErrorsAreAllGivenInBoundedMemory(t *testing.T) {
	const n = 100000
	found, peak := 0, uint64(0)
	p := parse.New(all, func(store.Event) { found++ })
	for i := range n {
		fmt.Fprintf(p, "src/a%d.foo:%d:5: error: unknown thing %d\nError: in plain words %d\n", i, i+1, i, i)
		if i%10000 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
	}
	p.Finish(nil)
	if found < n {
		t.Errorf("%d events of %d", found, n)
	}
	if peak > 200<<20 {
		t.Errorf("%d MB of heap", peak>>20)
	}
}

func TestNoEventsFromEntities(t *testing.T) {
	bomb := `<?xml version="1.0"?>
<!DOCTYPE t [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">
<!ENTITY x SYSTEM "file:///etc/passwd">]>
<testsuite name="t" tests="1" failures="1">
<testcase name="a" classname="b"><failure message="m">&c;&x;</failure></testcase></testsuite>
`
	for _, e := range parse.Bytes([]byte(bomb), nil, all) {
		if strings.Contains(e.Message, "root:") || strings.Contains(e.Message, "aaaa") {
			t.Errorf("an entity was expanded: %q", e.Message)
		}
	}
}

func TestLanesDoNotMix(t *testing.T) {
	log := "db-1   | " + oneError + "\nweb-1  | Traceback (most recent call last):\ndb-1   | ready\n" +
		"web-1  |   File \"a.py\", line 3, in f\ndb-1   | still ready\nweb-1  |     g()\nweb-1  | ValueError: no such thing\n"
	events := parse.Bytes([]byte(log), nil, all)
	var trace, compile bool
	for _, e := range events {
		trace = trace || strings.Contains(e.Message, "no such thing") && e.LogLine == 2
		compile = compile || e.Message == "unknown thing"
	}
	if !trace || !compile {
		t.Errorf("traceback %v, error %v: %v", trace, compile, events)
	}
}

func TestAFormatThatPanicsLosesOnlyItself(t *testing.T) {
	bad := parse.Format{Name: "bad", Triggers: []string{"boom"}, Match: func(s *parse.Scan, l parse.Line) bool {
		s.Block(func(parse.Line) parse.Verdict { panic("in a block") })
		if strings.HasPrefix(l.Text, "boom now") {
			panic("now")
		}
		return true
	}}
	events := parse.Bytes([]byte("boom\nx\nboom now\n"+oneError+"\n"), nil,
		parse.Options{Formats: parse.NewList(append([]parse.Format{bad}, All().Formats()...)...)})
	if len(events) != 1 || events[0].Message != "unknown thing" {
		t.Errorf("events: %v", events)
	}
}

// checkEvents checks properties that hold for the events of every log.
func checkEvents(t *testing.T, log []byte, events []store.Event) {
	t.Helper()
	lines := bytes.Count(log, []byte("\n")) + 1
	if len(events) > len(log)/2+1 {
		t.Fatalf("%d events from %d bytes", len(events), len(log))
	}
	for i, e := range events {
		if e.ID != i+1 {
			t.Fatalf("event %d has number %d", i+1, e.ID)
		}
		if e.LogLine < 1 || e.LogLineEnd < e.LogLine || e.LogLineEnd > lines {
			t.Fatalf("event at lines %d to %d of %d: %+v", e.LogLine, e.LogLineEnd, lines, e)
		}
		if e.Line < 0 || e.Column < 0 || e.Fingerprint == "" || e.Tool == "" {
			t.Fatalf("incomplete event: %+v", e)
		}
		for _, text := range []string{e.File, e.Message, e.Tool, e.Code, e.Test, string(e.Category), e.Fingerprint} {
			if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
				t.Fatalf("field %q is not clean text: %+v", text, e)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, g := range goldens(f) {
		f.Add(g.input, 0)
		f.Add(g.input[:len(g.input)/2], 1)
	}
	f.Add([]byte("\x1b[31merror\x1b[0m\r\n##[group]Run x\n{\n<testsuite\n"), 3)
	f.Fuzz(func(t *testing.T, log []byte, size int) {
		code := 1
		events := parse.Bytes(log, &code, all)
		checkEvents(t, log, events)
		if size <= 0 {
			return
		}
		var again []store.Event
		p := parse.New(all, func(e store.Event) { again = append(again, e) })
		for rest := log; len(rest) > 0; {
			n := min(size%5000+1, len(rest))
			p.Write(rest[:n])
			rest = rest[n:]
		}
		p.Finish(&code)
		if len(again) != len(events) {
			t.Fatalf("%d events in writes of %d bytes, %d in one", len(again), size%5000+1, len(events))
		}
		for i := range events {
			if events[i] != again[i] {
				t.Fatalf("writes of %d bytes change event %d:\n%+v\n%+v", size%5000+1, i, events[i], again[i])
			}
		}
	})
}
