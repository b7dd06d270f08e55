package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// sanitizerFormat reads the reports of AddressSanitizer and its family.
var sanitizerFormat = parse.Format{
	Name:     "sanitizer",
	About:    "AddressSanitizer, LeakSanitizer, ThreadSanitizer, MemorySanitizer, UndefinedBehaviorSanitizer, libFuzzer",
	Triggers: []string{"Sanitizer: ", ": runtime error: ", "ERROR: libFuzzer: ", " leak of "},
	New:      func() parse.Matcher { return new(sanitizer).match },
}

type sanitizer struct {
	last *parse.Draft
}

func (z *sanitizer) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if p, rest, ok := parse.PlaceAt(text); ok {
		message, ok := strings.CutPrefix(rest, "runtime error: ")
		if !ok || !isCSource(p.File) {
			return false
		}
		z.undefined(s, p, message)
		return true
	}
	if rest, ok := strings.CutPrefix(text, "SUMMARY: "); ok && strings.Contains(rest, "Sanitizer: ") {
		return z.summary(s, l, rest)
	}
	if z.leak(s, text) {
		return true
	}
	name, message, ok := cutReport(text)
	if !ok {
		return false
	}
	if name == "LeakSanitizer" { // each leak that follows is a failure of its own
		z.last = nil
		return true
	}
	z.report(s, name, message)
	return true
}

// cutReport reads the first line of a report:
//
//	==1234==ERROR: AddressSanitizer: heap-use-after-free on address 0x… at pc 0x… bp 0x… sp 0x…
//	WARNING: ThreadSanitizer: data race (pid=1234)
func cutReport(text string) (name, message string, ok bool) {
	rest := strings.TrimLeft(text, "=0123456789 ")
	after, ok := strings.CutPrefix(rest, "ERROR: ")
	if !ok {
		after, ok = strings.CutPrefix(rest, "WARNING: ")
	}
	if !ok {
		after, ok = strings.CutPrefix(rest, "FATAL: ")
	}
	name, message, found := strings.Cut(after, ": ")
	if !ok || !found || !strings.HasSuffix(name, "Sanitizer") && name != "libFuzzer" {
		return "", "", false
	}
	return name, message, true
}

// report reads a report up to its end. The end is usually the summary or the next report. The place is the first frame
// outside of the runtime.
func (z *sanitizer) report(s *parse.Scan, name, message string) {
	code, _, _ := strings.Cut(message, " on ")
	code, _, _ = strings.Cut(code, " (pid=")
	code = strings.TrimPrefix(code, "attempting ")
	d := s.Add(parse.Draft{Event: store.Event{Message: message, Code: code, Tool: sanitizerTool(name),
		Category: store.CategoryRuntime}, Weight: parse.Died})
	for _, w := range [...]string{" at pc 0x", " (pid=", " (pc 0x"} {
		d.Message, _, _ = strings.Cut(d.Message, w)
	}
	d.Message = strings.TrimSuffix(d.Message, ":")
	z.last = d
	z.stack(s, d, true)
}

// stack reads the frames below the first line of a report. If long is true, other lines may be between the frames.
func (z *sanitizer) stack(s *parse.Scan, d *parse.Draft, long bool) {
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if lines++; lines > 400 || strings.HasPrefix(text, "SUMMARY: ") ||
			strings.HasPrefix(text, "[") && strings.Contains(text, "] ") || strings.Contains(text, "Sanitizer: ") {
			return parse.Done
		}
		if !long && !strings.HasPrefix(text, "#") {
			return parse.Done
		}
		if strings.HasPrefix(text, "==") && strings.HasSuffix(text, "ABORTING") {
			d.Extend(l)
			return parse.Last
		}
		if d.File == "" {
			if p, ok := sanitizerFrame(text); ok {
				d.At(p.File, p.Line, p.Column)
			}
		}
		if text != "" {
			d.Extend(l)
		}
		return parse.Take
	})
}

// sanitizerFrame reads "#1 0x55 in f /src/a.c:10:5". It returns false if the frame has no source file of the user.
func sanitizerFrame(text string) (parse.Place, bool) {
	if !strings.HasPrefix(text, "#") {
		return parse.Place{}, false
	}
	i := strings.LastIndexByte(strings.TrimSpace(cutModule(text)), ' ')
	if i < 0 {
		return parse.Place{}, false
	}
	p, _, ok := parse.PlaceAt(strings.TrimSpace(cutModule(text))[i+1:])
	if !ok || isRuntimeSource(p.File) {
		return parse.Place{}, false
	}
	return p, true
}

// cutModule removes "(/path/prog+0x123) (BuildId: …)" from a frame.
func cutModule(text string) string {
	if i := strings.Index(text, " (BuildId: "); i > 0 {
		text = text[:i]
	}
	if i := strings.LastIndex(text, " ("); i > 0 && strings.HasSuffix(text, ")") && strings.Contains(text[i:], "+0x") {
		text = text[:i]
	}
	return text
}

// isRuntimeSource reports whether a source file belongs to a sanitizer, to the C library or to another system library.
func isRuntimeSource(file string) bool {
	for _, w := range [...]string{"libsanitizer", "compiler-rt", "sanitizer_common", "/asan/", "/tsan/", "/lsan/",
		"/glibc", "sysdeps/", "/usr/include/", "/usr/lib/", "../csu/", "/csu/", "/bits/", "libc_start"} {
		if strings.Contains(file, w) {
			return true
		}
	}
	return false
}

// undefined reads "a.c:5:10: runtime error: signed integer overflow: …".
func (z *sanitizer) undefined(s *parse.Scan, p parse.Place, message string) {
	code, _, ok := strings.Cut(message, ": ")
	if !ok || len(code) > 60 {
		code = ""
	}
	z.last = s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Column: p.Column, Message: message,
		Code: code, Tool: "ubsan", Category: store.CategoryRuntime}, Weight: parse.Died})
	z.stack(s, z.last, false)
}

// leak reads "Direct leak of 40 byte(s) in 1 object(s) allocated from:". Indirect leaks are memory that a leaked object
// owned. They are not failures of their own.
func (z *sanitizer) leak(s *parse.Scan, text string) bool {
	if !strings.HasSuffix(text, " allocated from:") {
		return false
	}
	if strings.HasPrefix(text, "Indirect leak of ") {
		return true
	}
	if !strings.HasPrefix(text, "Direct leak of ") {
		return false
	}
	z.last = s.Add(parse.Draft{Event: store.Event{Message: strings.TrimSuffix(text, " allocated from:"),
		Code: "memory leak", Tool: "lsan", Category: store.CategoryRuntime}, Weight: parse.Died})
	z.stack(s, z.last, false)
	return true
}

// summary reads "SUMMARY: AddressSanitizer: heap-use-after-free /src/a.c:10:5 in f", which repeats the report. If the
// log lacks the report, the summary becomes an event of its own, with the weight Repeat.
func (z *sanitizer) summary(s *parse.Scan, l parse.Line, rest string) bool {
	if z.last != nil {
		if l.N <= z.last.LogLineEnd+200 {
			z.last.Extend(l)
		}
		z.last = nil
		return true
	}
	name, message, _ := strings.Cut(rest, ": ")
	s.Add(parse.Draft{Event: store.Event{Message: message, Tool: sanitizerTool(name), Category: store.CategoryRuntime},
		Weight: parse.Repeat})
	return true
}

func sanitizerTool(name string) string {
	switch name {
	case "AddressSanitizer":
		return "asan"
	case "ThreadSanitizer":
		return "tsan"
	case "MemorySanitizer":
		return "msan"
	case "LeakSanitizer":
		return "lsan"
	case "UndefinedBehaviorSanitizer":
		return "ubsan"
	case "HWAddressSanitizer":
		return "hwasan"
	case "libFuzzer":
		return "libfuzzer"
	}
	return "sanitizer"
}
