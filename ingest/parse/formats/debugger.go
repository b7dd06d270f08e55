package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// debuggerFormat reads how a program died under gdb or lldb, or how a Fortran program died: the signal and the stack
// frames below it.
var debuggerFormat = parse.Format{
	Name:     "debugger",
	About:    "gdb, lldb, Fortran: programs that died of a signal",
	Triggers: []string{" received signal SIG", ", stop reason = signal SIG", ", stop reason = EXC_"},
	Starts:   []string{"Program terminated with signal SIG"},
	Match:    matchDebugger,
}

// matchDebugger reads gdb's "Program received signal SIGSEGV, Segmentation fault.", and lldb's "* thread #1, name =
// 'prog', stop reason = signal SIGSEGV: invalid address (fault address: 0x8)". It also reads the line of a Fortran
// program, which has a colon after the signal.
func matchDebugger(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	tool, died := "gdb", ""
	if _, reason, ok := strings.Cut(text, ", stop reason = "); ok && strings.Contains(text, "thread #") {
		tool, died = "lldb", strings.TrimPrefix(reason, "signal ")
	} else if _, reason, ok := strings.Cut(text, " signal "); ok && hasAnyPrefix(text, "Program ", "Thread ") {
		died = strings.TrimSuffix(reason, ".")
	} else {
		return false
	}
	if tool == "gdb" && strings.Contains(died, ": ") { // gdb prints a comma after the name of the signal
		tool = "fortran"
	}
	died, _, _ = strings.Cut(died, " (fault address") // the address differs between runs
	code, _, _ := strings.Cut(died, " ")
	draft := parse.Draft{Weight: parse.Died, Event: store.Event{Tool: tool, Code: strings.Trim(code, ",:"), Message: died,
		Category: store.CategoryRuntime}}
	if last := s.Newest(); last != nil && strings.Contains(text, "SIGABRT") && l.N-last.LogLineEnd < 5 {
		draft.Weight = parse.Repeat // the reason is in the message of an assertion
	}
	d, frames, others := s.Add(draft), 0, 0
	s.Block(func(l parse.Line) parse.Verdict {
		p, ok := debuggerFrame(l.Trim())
		if ok {
			frames, others = frames+1, 0
			if p.File != "" {
				d.At(p.File, p.Line, p.Column)
			}
			d.Extend(l)
			return parse.Take
		}
		if others++; others > 2 || frames > 200 {
			return parse.Done
		}
		return parse.Pass // source, or output of the program
	})
	return true
}

// debuggerFrame reads "#0  0x0000555555555145 in deref (p=0x8) at src/prog.c:3", the same frame without "#0", and
// "frame #0: 0x0000555555555145 prog`deref(p=8) at prog.c:3:28". Without "#0" and the address, it reads only functions
// whose names begin with "__". A frame in a system library has no place.
func debuggerFrame(text string) (p parse.Place, ok bool) {
	text = strings.TrimPrefix(text, "* ")
	if strings.HasPrefix(text, "at ") { // below a frame of a Fortran program
		text = "# " + text
	}
	if !hasAnyPrefix(text, "#", "0x", "frame #", "__") {
		return p, false
	}
	i := strings.LastIndex(text, " at ")
	if i < 0 {
		return p, text[0] == '#' || text[0] == 'f'
	}
	p, rest, placed := parse.PlaceAt(text[i+len(" at "):])
	if !placed || rest != "" || hasAnyPrefix(p.File, "./", "../", "/usr/", "/build/") ||
		strings.Contains(text, " libc.so.") || strings.Contains(text, " libsystem_") {
		p = parse.Place{}
	}
	return p, true
}
