package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// msvcFormat reads Microsoft's C and C++ compiler, linker and tools, alone or
// under MSBuild, which adds the project: " [D:\a\app.vcxproj]".
var msvcFormat = parse.Format{
	Name:  "msvc",
	About: "Microsoft C and C++: cl, link, lib, rc",
	Triggers: []string{
		"error C1", "error C2", "error C3", "error C4", "error C7", "warning C4", "warning C5", "warning C6", "warning C2", "error LNK", "warning LNK",
		"Command line error D", "Command line warning D", "error RC",
	},
	New: parse.Stateless(matchMSVC),
}

// matchMSVC reads "src\a.cpp(12,5): error C2065: 'x': undeclared identifier"
// and "main.obj : error LNK2019: unresolved external symbol …". MSBuild prints
// all of them again at its end.
func matchMSVC(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if n, rest, ok := strings.Cut(text, ">"); ok && parse.AllDigits(n) { // msbuild -m: the number of the node
		text = rest
	}
	p, rest, ok := parse.PlaceAt(text)
	if !ok {
		name, after, found := strings.Cut(text, " : ")
		if !found || strings.IndexByte(name, ' ') >= 0 && !strings.Contains(name, `\`) {
			return false
		}
		if rest = after; parse.IsFileName(name) && name != "LINK" {
			p.File = name
		}
	}
	rest = strings.TrimPrefix(rest, "Command line ")
	severity, rest, ok := msvcSeverity(rest)
	if !ok {
		return false
	}
	code, message, ok := strings.Cut(rest, ":")
	code = strings.TrimSpace(code)
	if !ok || !isMSVCCode(code) {
		return false
	}
	message = strings.TrimSpace(message)
	if i := strings.LastIndex(message, " ["); i > 0 && strings.HasSuffix(message, "proj]") {
		message = message[:i]
	}
	e := store.Event{Severity: severity, File: p.File, Line: p.Line, Column: p.Column, Message: message, Code: code, Category: store.CategoryCompile}
	d := parse.Draft{Event: e, Key: text}
	if strings.HasPrefix(code, "LNK") {
		d.Category = store.CategoryLink
	}
	if code == "LNK1120" || code == "C2220" { // "3 unresolved externals", "the following warning is treated as an error"
		d.Weight = parse.Repeat
	}
	if s.Reported("msvc", text) == nil {
		s.Add(d)
	}
	return true
}

func msvcSeverity(rest string) (store.Severity, string, bool) {
	for _, w := range [...]string{"fatal error ", "error ", "warning "} {
		if after, ok := strings.CutPrefix(rest, w); ok {
			if w == "warning " {
				return store.SeverityWarning, after, true
			}
			return store.SeverityError, after, true
		}
	}
	return "", rest, false
}

func isMSVCCode(code string) bool {
	letters := strings.TrimRight(code, "0123456789")
	return len(code) == len(letters)+4 && (letters == "C" || letters == "LNK" || letters == "D" || letters == "RC")
}
