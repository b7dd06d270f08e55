package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// pesterFormat reads Pester 3, 4 and 5: "[-] divides 12ms (8ms|4ms)", the message and the place below.
var pesterFormat = parse.Format{
	Name:     "pester",
	About:    "Pester: tests of PowerShell",
	Triggers: []string{"[-] "},
	Match:    matchPester,
}

func matchPester(s *parse.Scan, l parse.Line) bool {
	name, ok := strings.CutPrefix(l.Trim(), "[-] ")
	if !ok {
		return false
	}
	name, timed := cutPesterTime(name)
	message := ""
	if rest, found := strings.CutPrefix(name, "- "); found { // Pester's own runner prints "[-] - name -> message"
		if name, message, found = strings.Cut(rest, " -> "); found {
			timed = true
		}
	}
	if strings.HasPrefix(name, "Discovery in ") && strings.HasSuffix(name, " failed with:") {
		timed = true
	}
	if !timed {
		return false
	}
	e := store.Event{Test: name, Message: message, Category: store.CategoryTest}
	if message == "" {
		e.Message = "test failed"
	}
	d := s.Add(parse.Draft{Event: e})
	b := &pesterBlock{d: d, indent: l.Indent(), own: message != ""}
	s.Block(b.line)
	return true
}

// cutPesterTime removes "12ms (8ms|4ms)" or "1.23s" from the end of a name.
func cutPesterTime(s string) (string, bool) {
	if i := strings.LastIndex(s, " ("); i > 0 && strings.HasSuffix(s, ")") && strings.Contains(s[i:], "|") {
		s = s[:i]
	}
	i := strings.LastIndexByte(s, ' ')
	if i < 0 {
		return s, false
	}
	_, n := parse.Number(s[i+1:])
	unit := strings.TrimLeft(s[i+1+n:], ".,0123456789")
	if n == 0 || unit != "ms" && unit != "s" && unit != "m" {
		return s, false
	}
	return s[:i], true
}

type pesterBlock struct {
	d      *parse.Draft
	indent int
	own    bool
	words  []string
	lines  int
	frames bool
}

func (b *pesterBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	b.lines++
	p, isFrame := pesterFrame(text)
	switch {
	case text == "", b.lines > 60,
		hasAnyPrefix(text, "[-] ", "[+] ", "[!] ", "[?] ", "Describing ", "Context ", "Tests completed", "Running tests"):
		return parse.Done
	case isFrame:
		b.frames = true
		if p.File != "" && (b.d.File == "" || !isPesterTest(b.d.File) && isPesterTest(p.File)) {
			b.d.File, b.d.Line = p.File, p.Line
		}
	case b.frames && !b.own, !b.own && l.Indent() <= b.indent && len(b.words) > 0 && b.indent > 0:
		return parse.Done
	case isCodeExcerpt(text): // the source line of the test
	case len(b.words) < parse.MaxMessageLines && !b.frames:
		b.words = append(b.words, text)
		if b.own && len(b.words) == 1 {
			b.words = []string{b.d.Message, text}
		}
		b.d.Message = strings.Join(b.words, "\n")
	}
	b.d.Extend(l)
	return parse.Take
}

// pesterFrame reads "at <ScriptBlock>, C:\x.Tests.ps1: line 5", "at <ScriptBlock>, C:\x.Tests.ps1:5" of Pester 5, and
// "at line: 5 in C:\x.Tests.ps1".
func pesterFrame(text string) (parse.Place, bool) {
	rest, ok := strings.CutPrefix(text, "at ")
	if !ok {
		return parse.Place{}, false
	}
	if rest, ok := strings.CutPrefix(rest, "line: "); ok {
		line, n := parse.Number(rest)
		file, ok := strings.CutPrefix(rest[n:], " in ")
		return parse.Place{File: file, Line: line}, ok
	}
	i := strings.LastIndex(rest, ", ")
	if i < 0 {
		return parse.Place{}, false
	}
	at := strings.Replace(rest[i+2:], ": line ", ":", 1)
	if at == "<No file>:1" || strings.HasPrefix(at, "<No file>") {
		return parse.Place{}, true
	}
	p, _, ok := parse.PlaceAt(at)
	return p, ok
}

func isPesterTest(file string) bool {
	return strings.HasSuffix(strings.ToLower(file), ".tests.ps1") || strings.HasSuffix(file, ".ts.ps1")
}

// powershellFormat reads PowerShell's errors: a message with the place and the code below it, or the concise view of
// PowerShell 7. Scripts go on after most errors.
var powershellFormat = parse.Format{
	Name:     "powershell",
	About:    "PowerShell: errors of scripts",
	Triggers: []string{" char:"},
	Starts:   []string{"Line |"},
	Match:    matchPowerShell,
}

func matchPowerShell(s *parse.Scan, l parse.Line) bool {
	if l.Trim() == "Line |" {
		return powershellConcise(s, l)
	}
	rest, ok := strings.CutPrefix(l.Trim(), "At ")
	at, char, found := strings.Cut(rest, " char:")
	column, n := parse.Number(char)
	if !ok || !found || n == 0 || n != len(char) {
		return false
	}
	p, _, ok := parse.PlaceAt(at)
	if !ok && !strings.HasPrefix(at, "line:") {
		return false
	}
	d := s.Add(parse.Draft{Weight: parse.Likely,
		Event: store.Event{File: p.File, Line: p.Line, Column: column, Message: "error", Category: store.CategoryRuntime}})
	if last, n := s.LastWords(); n > 0 && n+1 >= l.N {
		d.Message, d.LogLine = strings.TrimSpace(last), n
	}
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if !strings.HasPrefix(text, "+ ") && text != "+" {
			if text == "" || l.N > d.LogLine+30 || l.Indent() == 0 {
				return parse.Done
			}
		}
		d.Extend(l)
		if id, ok := strings.CutPrefix(text, "+ FullyQualifiedErrorId : "); ok {
			d.Code = cutAt(id, ',')
			if strings.IndexByte(d.Code, ' ') >= 0 {
				d.Code = ""
			}
			return parse.Last
		}
		return parse.Take
	})
	return true
}

// powershellConcise reads the lines that PowerShell 7 prints below "Get-Foo: /x.ps1:3".
func powershellConcise(s *parse.Scan, l parse.Line) bool {
	header, n := s.LastWords()
	if n+1 != l.N {
		return false
	}
	i := strings.Index(header, ": ")
	if i < 0 {
		return false
	}
	p, _, _ := parse.PlaceAt(strings.TrimSpace(header[i+2:]))
	d := s.Add(parse.Draft{Weight: parse.Likely,
		Event: store.Event{File: p.File, Line: p.Line, Message: header, Category: store.CategoryRuntime, LogLine: l.N - 1}})
	caret := false
	words := parse.Message{Between: " "}
	s.Block(func(l parse.Line) parse.Verdict {
		_, text, ok := strings.Cut(l.Text, "|")
		if !ok || l.Indent() < 2 {
			return parse.Done
		}
		text = strings.TrimSpace(text)
		if caret {
			words.Tell(d, text)
		}
		caret = caret || strings.Trim(text, "~ ") == "" && text != ""
		d.Extend(l)
		return parse.Take
	})
	return true
}
