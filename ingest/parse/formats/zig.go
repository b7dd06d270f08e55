package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// zigFormat reads Zig. Zig prints the name of a failed test before the test's output, and again in the frame of the
// failure.
var zigFormat = parse.Format{
	Name:  "zig",
	About: "Zig: compiler, zig build, zig test, panics",
	Triggers: []string{".zig:", "...FAIL (", "...expected ", "...actual ", "...slices ", " panic: ",
		"(err): memory address", "' failed:", "error: the following command "},
	Starts: []string{"error: ", "FAIL (", "====== expected this output"},
	Lines: parse.Lines{
		{Text: "{place+column:.zig|.zon}: {severity:error}: {message}", Category: store.CategoryCompile,
			Below: parse.Caret{}.Pattern},
		{Text: "error: «{:the following |}{:test|build} command {:failed with exit code|terminated with signal} {_}:»",
			Category: store.CategoryBuild, Weight: parse.Repeat},
		{Text: "{?{_}: }error: «the following command terminated unexpectedly»:", Category: store.CategoryBuild},
		{Text: "{?{_}: }error: «the following command {:exited with error code|failed with} {*}»:",
			Category: store.CategoryBuild, Weight: parse.Repeat},
		{Text: "error: «process terminated with signal {code}»", Category: store.CategoryBuild, Weight: parse.Died},
		{Text: "error: «process exited with error code {#}»", Category: store.CategoryBuild, Weight: parse.Repeat},
		{Text: "error: {#} compilation errors", Ignore: true},
	},
	New: func() parse.Matcher { return new(zig).match },
}

// zig keeps the name and the output of the newest test, and the newest line that may begin an uncaught error.
type zig struct {
	test   string
	said   string
	head   string
	headAt int
}

func (z *zig) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case isZigPanic(text):
		_, text, _ = strings.Cut(text, " panic: ")
		zigTrace(s, parse.Draft{Weight: parse.Died,
			Event: store.Event{Message: text, Code: "panic", Category: store.CategoryRuntime}})
		return true
	case strings.HasPrefix(text, "error: '") && strings.Contains(text, "' failed:"):
		return zigBuildTest(s, text)
	case strings.HasPrefix(text, "error: "):
		z.head, z.headAt = text[len("error: "):], l.N
		return false
	case isZigFail(text):
		z.failed(s, zigReason(text))
		return true
	case strings.Contains(text, "(err): memory address ") && strings.HasPrefix(text, "["):
		zigTrace(s, parse.Draft{Event: store.Event{Message: "memory leaked", Code: "leak", Category: store.CategoryTest}})
		return true
	case strings.HasPrefix(text, "====== expected this output"):
		z.said = "the strings differ"
		return true
	}
	if name, said, ok := zigTest(text); ok {
		z.test, z.said = name, ""
		switch reason, failed := strings.CutPrefix(said, "FAIL ("); {
		case failed:
			z.failed(s, zigReason("FAIL ("+reason))
		case strings.Contains(said, " panic: "):
			_, said, _ = strings.Cut(said, " panic: ")
			z.failed(s, "panic: "+said)
		default:
			z.said = said
		}
		return true
	}
	return z.uncaught(s, l)
}

// failed adds the newest test with a reason. If the test printed something, the message begins with this output,
// because it says more than the reason.
func (z *zig) failed(s *parse.Scan, reason string) {
	message := reason
	if z.said != "" {
		message = z.said + " (" + reason + ")"
	}
	zigTrace(s, parse.Draft{Event: store.Event{Test: z.test, Message: message, Category: store.CategoryTest}})
	z.test, z.said = "", ""
}

// uncaught reads the frames of an error that ends a program. The line before the first frame names the error, such as
// "error: OutOfTea".
func (z *zig) uncaught(s *parse.Scan, l parse.Line) bool {
	if z.headAt != l.N-1 || z.headAt == 0 || strings.ContainsAny(z.head, " :") {
		return false
	}
	if _, _, ok := zigFrame(l.Trim()); !ok {
		return false
	}
	read := zigTrace(s, parse.Draft{Event: store.Event{Message: "error: " + z.head, Category: store.CategoryRuntime,
		LogLine: z.headAt}})
	read(l)
	return true
}

// zigTest reads "3/6 main.test.adds...FAIL (OutOfTea)".
func zigTest(text string) (name, said string, ok bool) {
	_, n := parse.Number(text)
	if n == 0 || !strings.HasPrefix(text[n:], "/") {
		return "", "", false
	}
	_, m := parse.Number(text[n+1:])
	name, said, ok = strings.Cut(strings.TrimSpace(text[n+1+m:]), "...")
	i := strings.Index(name, "test.")
	if m == 0 || !ok || i < 0 {
		return "", "", false
	}
	return name[i+len("test."):], said, true
}

// isZigPanic reports whether a line begins like "thread 4711 panic: reached unreachable code".
func isZigPanic(text string) bool {
	number, ok := strings.CutPrefix(text, "thread ")
	_, n := parse.Number(number)
	return ok && n > 0 && strings.HasPrefix(number[n:], " panic: ")
}

// isZigFail reports whether a line is only "FAIL (OutOfTea)" with the name of an error. Zig prints this line if the
// test printed something.
func isZigFail(text string) bool {
	name, ok := strings.CutPrefix(text, "FAIL (")
	return ok && name != "" && 'A' <= name[0] && name[0] <= 'Z' && strings.IndexByte(name, ')') == len(name)-1 &&
		!strings.ContainsAny(name, " :.,/")
}

// zigReason reads "FAIL (OutOfTea)".
func zigReason(text string) string {
	return strings.TrimSuffix(strings.TrimPrefix(text, "FAIL ("), ")")
}

// zigBuildTest reads a failed test of zig build: "error: 'main.test.adds' failed:". Before 0.16 the first frame or the
// test's output follows on the same line.
func zigBuildTest(s *parse.Scan, text string) bool {
	name, rest, _ := strings.Cut(text[len("error: '"):], "' failed:")
	_, name, ok := strings.Cut(name, "test.")
	if !ok {
		return false
	}
	d := parse.Draft{Event: store.Event{Test: name, Message: "test failed", Category: store.CategoryTest}}
	if _, _, ok := zigFrame(rest); !ok && strings.TrimSpace(rest) != "" {
		d.Message = strings.TrimSpace(rest)
	}
	zigTrace(s, d)
	return true
}

// maxZigTrace is the max number of lines of a stack trace with source.
const maxZigTrace = 150

// zigTrace adds a draft and returns the block for the stack below it. The stack has frames with the source and a caret.
func zigTrace(s *parse.Scan, draft parse.Draft) func(parse.Line) parse.Verdict {
	d, lines, source := s.Add(draft), 0, 0
	block := func(l parse.Line) parse.Verdict {
		p, function, ok := zigFrame(l.Trim())
		if lines++; lines > maxZigTrace {
			return parse.Done
		}
		if ok {
			source = 0
			inTest := strings.HasPrefix(function, "test.")
			if d.File == "" && !isZigLibrary(p.File) || inTest && d.Category == store.CategoryTest && d.Test == "" {
				d.File, d.Line, d.Column = p.File, p.Line, p.Column
			}
			if inTest && d.Test == "" {
				d.Test, _, _ = strings.Cut(function[len("test."):], " (")
			}
		} else if source++; source > 2 || l.Trim() == "" {
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	}
	s.Block(block)
	return block
}

// zigFrame reads "/x/main.zig:4:15: 0x1236c02 in test.adds (main.zig)".
func zigFrame(text string) (p parse.Place, function string, ok bool) {
	p, rest, ok := parse.PlaceAt(strings.TrimSpace(text))
	if !ok || !strings.HasPrefix(rest, "0x") {
		return p, "", false
	}
	_, function, ok = strings.Cut(rest, " in ")
	return p, strings.TrimSuffix(function, ")"), ok
}

// isZigLibrary reports whether a frame's file belongs to Zig.
func isZigLibrary(file string) bool {
	return strings.Contains(file, "/std/") || strings.HasSuffix(file, "/test_runner.zig")
}
