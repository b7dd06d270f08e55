package parse

import (
	"fmt"
	"testing"
)

var linePatterns = []struct{ pattern, line, want string }{
	{"{place}: {code} {severity}: {message}", "a/Dockerfile:3 DL3008 warning: Pin versions",
		"a/Dockerfile:3:0 warning [DL3008] Pin versions"},
	{"{place}: {message}", "a.c(3,5): x", "a.c:3:5  [] x"},
	{"{place}: {message}", "a.c:3: x: y  ", "a.c:3:0  [] x: y"},
	{"{place}: {message}", "a.c:3:", ""},
	{"{place+column}: {message}", "a.c:3: x", ""},
	{"{place:.py|.pyi}: {message}", "a.pyi:3: x", "a.pyi:3:0  [] x"},
	{"{place:.py|.pyi}: {message}", "a.c:3: x", ""},
	{"[{place}] {message}", "[a.proto:3:5] x", "a.proto:3:5  [] x"},
	{"[{place}] {message}", "[a.proto:3:5 y] x", ""},
	{"{place} - {message}", "a.php:3:5 - x - y", "a.php:3:5  [] x - y"},
	{"{file}[{line}, {column}]: {message}", "a.ts[3, 5]: x", "a.ts:3:5  [] x"},
	{"{file}[{line}, {column}]: {message}", "a[3, b]: x", ""},
	{"{file:.env}:{line} {message}", `C:\x\.env:3 x`, `C:\x\.env:3:0  [] x`},
	{"({path}): {message} at line {line}{? column {column}}", "(<unknown>): x at line 3 column 5", "<unknown>:3:5  [] x"},
	{"({path}): {message} at line {line}{? column {column}}", "(<unknown>): x at line 2 at line 3",
		"<unknown>:3:0  [] x at line 2"},
	{"({path}): {message} at line {line}{? column {column}}", "(<unknown>): x at line 3 of 4", ""},
	{"{severity}: {message}", "note: x", ":0:0 info [] x"},
	{"{severity}: {message}", "Caution: x", ""},
	{"{place} [{severity:W=warning|E=error}] {message}", "a.haml:3 [W] x", "a.haml:3:0 warning [] x"},
	{"{place} [{severity:W=warning|E=error}] {message}", "a.haml:3 [I] x", ""},
	{"({severity:error|*=info}{?, {_}}) {message}", "(style, inconclusive) x", ":0:0 info [] x"},
	{"{code:DL####|SC#}: {message}", "SC20861: x", ":0:0  [SC20861] x"},
	{"{code:DL####|SC#}: {message}", "DL300: x", ""},
	{"{code}: {message}", "two words: x", ""},
	{"{place}: «{_} ==> {_}»", "a.txt:3: teh ==> the", "a.txt:3:0  [] teh ==> the"},
	{"{?[{*}] -> }[{place}]: {message}", "[a.c:1] -> [b.c:2] -> [c.c:3]: x", "c.c:3:0  [] x"},
	{"{message}{? (see {_})} [{code}]", "x (y) (see http://z) [R]", ":0:0  [R] x (y)"},
	{"{message}{? (see {_})} [{code}]", "x (y) [R]", ":0:0  [R] x (y)"},
	{"{line}:{column}{ }{severity}{ }{message}", "3:5      error    x", ":3:5 error [] x"},
	{"{#}) {file:.php}", "12) a.php", "a.php:0:0  [] "},
	{"^{place}: {message}", "  a.c:3: x", ""},
	{"^{place}: {message}", "a.c:3: x", "a.c:3:0  [] x"},
	{"{message}{? ({code})}{? ({severity:warning})}", "x (no-var) (warning)", ":0:0 warning [no-var] x"},
	{"{#} {message}", "1700000000000 x", ":0:0  [] x"},
	{"{severity}: {message}", "error:x", ":0:0 error [] x"},
	{"{message} ({code:report*})", "x (reportAny)", ":0:0  [reportAny] x"},
	{"{range:.y}: {severity}: {message}", "a.y:5.1-4: error: x", "a.y:5:1 error [] x"},
	{"{range:.y}: {message}", "a.y:5.1-7.3: x", "a.y:5:1  [] x"},
	{"{range:.y}: {message}", "a.y:5.1: x", "a.y:5:1  [] x"},
	{"{range:.y}: {message}", "a.c:5.1-4: x", ""},
	{"{range}: {message}", "a.hs:(3,5)-(4,9): x", "a.hs:3:5  [] x"},
	{"{range}: {message}", `C:\a.xml:3:5-20: x`, `C:\a.xml:3:5  [] x`},
	{"{range}: {message}", "a.xml:3:5: x", ""},
	{"{range}: {message}", "a.xml:3-5: x", ""},
	{"{range}: {message}", "a.xml:3:5-20 x: y", ""},
	{"{file:.ts}[{line}, {column}]: {message}", "a.ts[3, 5]: x", "a.ts:3:5  [] x"},
	{"{file:.ts}[{line}, {column}]: {message}", "see a.ts[3, 5]: x", ""},
	{"{file:.ts}[{line}, {column}]: {message}", "src/my code/a.ts[3, 5]: x", "src/my code/a.ts:3:5  [] x"},
	{"{file:.ts}[{line}, {column}]: {message}", `C:\My Code\a.ts[3, 5]: x`, `C:\My Code\a.ts:3:5  [] x`},
	{"{file:.ts}[{line}, {column}]: {message}", "src/[id].ts[3, 5]: x", "src/[id].ts:3:5  [] x"},
	{"{file:.env}:{line} {message}", ".env:3 x", ".env:3:0  [] x"},
	{"{file:.env}:{line} {message}", "not in .env:3 x", ""},
	{"{?{:ERROR: |in }}{place}: {message}", "in a.c:3: x", "a.c:3:0  [] x"},
	{"{?{:ERROR: |in }}{place}: {message}", "on a.c:3: x", ""},
}

func TestLinePatterns(t *testing.T) {
	for _, tt := range linePatterns {
		read := lineReader{}
		read.begin(Line{Text: tt.line})
		got, p := "", compileLine(LinePattern{Text: tt.pattern})
		if read.fits(p) {
			e := read.d.Event
			got = fmt.Sprintf("%s:%d:%d %s [%s] %s", e.File, e.Line, e.Column, e.Severity, e.Code, e.Message)
		}
		if got != tt.want {
			t.Errorf("%s of %q: %q, want %q", tt.pattern, tt.line, got, tt.want)
		}
	}
}

func TestLinesAreTriedInOrder(t *testing.T) {
	lines := Lines{
		{Text: "{message} [{code}]", Tool: "first", Severity: "warning", If: func(d *Draft) bool { return d.Code != "no" },
			Below: func(d *Draft, l Line) func(Line) Verdict {
				return func(l Line) Verdict { d.Extend(l); return Last }
			}},
		{Text: "x{message}", Tool: "second", Category: "test"},
	}
	other := func(s *Scan, l Line) bool { s.Add(Draft{}).Tool = "other"; return true }
	f := Format{Name: "t", Starts: []string{"x", "y"}, Lines: lines, Match: other}
	got := ""
	for _, e := range Bytes([]byte("x [a]\nbelow\nx [no]\ny\n"), nil, Options{Formats: NewList(f), Strict: true}) {
		got += fmt.Sprintf("%s %s %s %s %d-%d\n", e.Tool, e.Severity, e.Category, e.Message, e.LogLine, e.LogLineEnd)
	}
	if want := "first warning lint x 1-2\nsecond error test [no] 3-3\nother error   4-4\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWrongPatternsAreFound(t *testing.T) {
	for _, text := range []string{"{file}{message}", "{nothing}", "a}b", "a}", "{?a", "{?a} }{b"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is compiled", text)
				}
			}()
			compileLine(LinePattern{Text: text})
		}()
	}
}

// A line that fits no pattern allocates nothing.
func TestLinesThatFitNothingAreFree(t *testing.T) {
	match := Lines{{Text: "{place:.py}: {code:E#} {message}"}, {Text: "[{place}] {message}"},
		{Text: "{message} [{code}]"}}.matcher()
	s := newScan(Options{}, nil)
	if n := testing.AllocsPerRun(100, func() { match(s, Line{Text: "a/b.c:3:5: error: no such thing"}) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
