package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ninjaFormat reads ninja. For a failed command it prints the target first, and then the command's output.
var ninjaFormat = parse.Format{
	Name:  "ninja",
	About: "ninja: failed targets, missing files, errors in build.ninja",
	Starts: []string{
		"FAILED: ", "ninja: ", "samu: ", "[0/", "[1/", "[2/", "[3/", "[4/", "[5/", "[6/", "[7/", "[8/", "[9/",
	},
	New: func() parse.Matcher { return new(ninja).match },
}

type ninja struct {
	dir    string // directory that ninja entered
	status bool   // a progress line of ninja was seen: "[12/34] cc a.c"
}

func (n *ninja) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if target, ok := strings.CutPrefix(text, "FAILED: "); ok {
		return n.failed(s, target)
	}
	if strings.HasPrefix(text, "[") {
		n.status = n.status || isProgress(text)
		return false
	}
	_, rest, _ := strings.Cut(text, ": ")
	if dir, ok := strings.CutPrefix(rest, "Entering directory "); ok {
		if n.dir != "" {
			s.Leave(n.dir)
		}
		n.dir = unquoteDir(dir)
		s.Enter(n.dir)
		return true
	}
	if strings.HasPrefix(rest, "build stopped: ") || strings.HasPrefix(rest, "subcommand failed") {
		s.Add(parse.Draft{Event: store.Event{Message: rest, Category: store.CategoryBuild}, Weight: parse.Repeat,
			Rank: parse.Mark, Key: "failed"})
		return true
	}
	severity, message, ok := parse.SeverityAt(rest)
	if !ok || severity == store.SeverityInfo {
		return false
	}
	d := parse.Draft{Event: store.Event{Severity: severity, Message: message, Category: store.CategoryBuild}}
	if strings.HasPrefix(message, "rebuilding '") {
		d.Weight = parse.Repeat // the generator has printed the reason
	}
	if p, rest, ok := parse.PlaceAt(message); ok {
		d.File, d.Line, d.Message = p.File, p.Line, rest
	}
	s.Add(d)
	return true
}

// failed reads the target. The next line is the text of the command, and must not be read as output.
func (n *ninja) failed(s *parse.Scan, target string) bool {
	if code, rest, ok := strings.Cut(target, "] "); ok && strings.HasPrefix(code, "[code=") { // ninja 1.13
		target = rest
	} else if !n.status && !strings.Contains(target, "/") {
		return false // of TestNG: "FAILED: com.acme.CalcTest.rounds"
	}
	if !isTarget(target) {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{Message: "FAILED: " + target, Category: store.CategoryBuild},
		Weight: parse.Repeat, Key: "failed"})
	command := true
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case command:
			command = false
			d.Extend(l)
			return parse.Take
		case text == "" || strings.HasPrefix(text, "[") && isProgress(text) || hasAnyPrefix(text, "FAILED: ", "ninja: "):
			return parse.Done
		}
		// This is the first line of the command's output. Perhaps no format reads it, so it is a guess.
		s.Add(parse.Draft{Weight: parse.Guess, Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return parse.Done
	})
	return true
}

// isProgress reports whether text begins with "[12/34] ".
func isProgress(text string) bool {
	done, rest, ok := strings.Cut(text[1:], "/")
	if !ok || !parse.AllDigits(done) {
		return false
	}
	total, _, ok := strings.Cut(rest, "] ")
	return ok && parse.AllDigits(total)
}

// isTarget reports whether text names files. The first name must have a slash, a backslash, a dot, a hyphen or an
// underscore, and a second name must have a path or an extension. TestNG's FAILED is followed by a.b.Class.method
// instead.
func isTarget(text string) bool {
	first, rest, _ := strings.Cut(text, " ")
	if dot := strings.LastIndexByte(first, '.'); dot > 0 && strings.Contains(first[:dot], ".") &&
		isClassName(first[:dot]) {
		return false
	}
	if first == "" || !strings.ContainsAny(first, "/.\\-_") || strings.ContainsAny(text, "()\"'=,") {
		return false
	}
	return rest == "" || strings.ContainsAny(strings.Fields(rest)[0], "/.\\")
}
