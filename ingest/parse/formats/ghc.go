package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ghcFormat reads GHC, alone or under cabal and stack, and hlint.
var ghcFormat = parse.Format{
	Name:  "ghc",
	About: "Haskell: GHC, hlint, cabal, stack",
	Triggers: []string{".hs:", ".lhs:", ".hsc:", ".cabal:", "panic! (the 'impossible' happened)", "' failed in phase `",
		"<no location info>: error:"},
	Starts: []string{"ghc: "},
	Match:  matchGHC,
}

func matchGHC(s *parse.Scan, l parse.Line) bool {
	pkg, text := cutStackPackage(l.Text)
	if text == "" || text[0] == ' ' {
		return false
	}
	if strings.Contains(text, "panic! (the 'impossible' happened)") {
		d := s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryCompile}})
		s.Block(func(l parse.Line) parse.Verdict { return ghcMessage(d, pkg, l) })
		return true
	}
	if strings.Contains(text, "' failed in phase `") {
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: text, Category: store.CategoryCompile}})
		return true
	}
	message, ok := cutAny(text, "<no location info>: error:", "ghc: ")
	if ok && (text[0] == '<' || hasAnyPrefix(message, "unrecognised ", "could not ", "can't ", "cannot ", "failed ",
		"out of memory", "internal error")) {
		d := s.Add(parse.Draft{Weight: parse.Likely,
			Event: store.Event{Message: strings.TrimSpace(message), Category: store.CategoryCompile}})
		s.Block(func(l parse.Line) parse.Verdict { return ghcMessage(d, pkg, l) })
		return true
	}
	p, rest, ok := ghcPlace(text)
	if !ok || !hasAnySuffix(p.File, ".hs", ".lhs", ".hsc", ".hs-boot", ".cabal") {
		return false
	}
	d := parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Column: p.Column, Category: store.CategoryCompile}}
	d.Severity, rest, ok = ghcSeverity(rest)
	switch {
	case !ok && rest == "": // GHC before 8 printed errors without a severity word
		return ghcOld(s, d, pkg)
	case !ok && p.Column > 0 && strings.HasPrefix(rest, "parse error"):
		d.Severity = store.SeverityError
	case !ok:
		return false
	}
	for strings.HasPrefix(rest, "[") { // [-Wunused-imports, -Werror=unused-imports] [GHC-88464]
		code, after, found := strings.Cut(rest[1:], "]")
		if !found {
			break
		}
		if d.Code == "" || strings.HasPrefix(d.Code, "GHC-") {
			d.Code, _, _ = strings.Cut(code, ",")
		}
		rest = strings.TrimLeft(after, " ")
	}
	d.Message = rest
	if hint, ok := cutAny(rest, "Suggestion: "); ok {
		d.Message = hint
	}
	added := s.Add(d)
	s.Block(func(l parse.Line) parse.Verdict { return ghcMessage(added, pkg, l) })
	return true
}

// cutStackPackage removes "package   > ", which stack puts before each line of a package's build.
func cutStackPackage(text string) (pkg, rest string) {
	i := strings.Index(text, "> ")
	if i < 1 || i > 60 {
		return "", text
	}
	name := strings.TrimRight(text[:i], " ")
	for j := range len(name) {
		if c := name[j] | 0x20; (c < 'a' || c > 'z') && !parse.IsDigit(name[j]) && name[j] != '-' && name[j] != '.' {
			return "", text
		}
	}
	return name, text[i+2:]
}

// ghcPlace reads "A.hs:3:5: ", "A.hs:3:5-9: " and "A.hs:(3,5)-(4,9): ".
func ghcPlace(text string) (p parse.Place, rest string, ok bool) {
	if p, rest, ok = parse.PlaceAt(text); ok && !strings.HasPrefix(rest, "-(") {
		return p, rest, true
	}
	p = parse.Place{}
	i := strings.IndexByte(text, ':')
	if i == 1 {
		i = 1 + strings.IndexByte(text[2:], ':') + 1
	}
	if i < 1 || !parse.IsFileName(text[:i]) {
		return p, text, false
	}
	p.File = text[:i]
	rest = text[i+1:]
	at, rest, ok := strings.Cut(rest, ": ")
	if !ok {
		at, ok = strings.CutSuffix(at, ":")
	}
	at = strings.TrimPrefix(at, "(")
	var n, m int
	p.Line, n = parse.Number(at)
	if !ok || n == 0 || n == len(at) || at[n] != ':' && at[n] != ',' {
		return p, text, false
	}
	p.Column, m = parse.Number(at[n+1:])
	return p, strings.TrimLeft(rest, " "), m > 0 && strings.Trim(at[n+1+m:], "()-,:0123456789") == ""
}

func ghcSeverity(rest string) (store.Severity, string, bool) {
	if strings.HasPrefix(rest, "Suggestion: ") {
		return store.SeverityWarning, rest, true
	}
	severity, rest, ok := parse.SeverityAt(rest)
	return severity, rest, ok && severity != store.SeverityInfo
}

// ghcOld reads the line below "A.hs:3:5:", which has four leading blanks.
func ghcOld(s *parse.Scan, d parse.Draft, pkg string) bool {
	d.LogLine = s.LineNumber()
	s.Block(func(l parse.Line) parse.Verdict {
		in, text := cutStackPackage(l.Text)
		if in != pkg || !strings.HasPrefix(text, "    ") || d.Column == 0 {
			return parse.Done
		}
		d.Severity, d.Message = store.SeverityError, strings.TrimSpace(text)
		if message, ok := strings.CutPrefix(d.Message, "Warning: "); ok {
			d.Severity, d.Message = store.SeverityWarning, message
		}
		added := s.Add(d)
		added.Extend(l)
		s.Block(func(l parse.Line) parse.Verdict { return ghcMessage(added, pkg, l) })
		return parse.Take
	})
	return true
}

// ghcMessage reads the indented lines of a message. The draft's message gets at most three of them, without what GHC
// was doing when it found the error.
func ghcMessage(d *parse.Draft, pkg string, l parse.Line) parse.Verdict {
	in, text := cutStackPackage(l.Text)
	switch {
	case in != pkg:
		return parse.Pass
	case strings.HasPrefix(text, "Found:") && d.Tool != "hlint":
		d.Tool, d.Category, d.Severity = "hlint", store.CategoryLint, store.SeverityWarning
		d.Extend(l)
		return parse.Take
	// GHC does not indent its message about a .cabal file.
	case d.Message == "" && strings.HasSuffix(d.File, ".cabal") || strings.HasPrefix(d.Message, "\"the input\""):
		d.Message = strings.TrimSpace(text)
		d.Extend(l)
		return parse.Take
	case text == "" && d.Tool != "hlint",
		!isGutter(text) && !strings.HasPrefix(text, " ") && !hasAnyPrefix(text, "Perhaps:", "Why not:"):
		return parse.Done
	case isGutter(text), d.Tool == "hlint":
		d.Extend(l)
		return parse.Take
	}
	d.Extend(l)
	text = strings.TrimSpace(text)
	if hasAnyPrefix(text, "• In ", "In the ", "In a ", "In an ") && d.Message != "" ||
		strings.Count(d.Message, "\n") >= 2 || d.LogLineEnd-d.LogLine > 4 {
		return parse.Take
	}
	d.Message = strings.TrimPrefix(d.Message+"\n"+strings.TrimPrefix(text, "• "), "\n")
	return parse.Take
}
