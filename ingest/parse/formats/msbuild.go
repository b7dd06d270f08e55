package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// msbuildFormat reads MSBuild and what runs under it: the compilers of C#, F#
// and Visual Basic, analyzers, NuGet, the SDK; and Mono's compiler alone.
var msbuildFormat = parse.Format{
	Name:  "msbuild",
	About: ".NET builds: C#, F#, Visual Basic, analyzers, NuGet, MSBuild, mcs, dotnet format, Cake",
	Triggers: []string{
		"proj]", "proj::TargetFramework=", ".sln]", "error CS", "error FS", "error BC", "error MSB", "error NU", "error NETSDK", "warning CS", "warning FS", "warning BC", "warning MSB", "warning NU", "error WHITESPACE: ", "error TESTERROR: ",
	},
	Starts: []string{"Build FAILED.", "An error occurred when executing task "},
	New:    parse.Stateless(matchMSBuild),
}

func matchMSBuild(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if text == "Build FAILED." || strings.HasPrefix(text, "An error occurred when executing task ") {
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return true
	}
	if n, rest, ok := strings.Cut(text, ">"); ok && parse.AllDigits(n) && n != "" { // the number of the node
		text = strings.TrimSpace(rest)
	}
	p, rest, ok := parse.PlaceAt(text)
	if !ok {
		if p.File, rest, ok = msbuildOrigin(text); !ok {
			return false
		}
	}
	severity, code, message, ok := msbuildHead(rest)
	if !ok {
		return false
	}
	if i := strings.LastIndex(message, " ["); i > 0 && strings.HasSuffix(message, "]") && hasAnySuffix(beforeColons(message[i+2:len(message)-1]), "proj", ".sln", ".slnx", ".slnf") {
		message = message[:i]
	}
	d := parse.Draft{Event: store.Event{Severity: severity, File: p.File, Line: p.Line, Column: p.Column, Code: code, Message: message, Category: msbuildCategory(code)}}
	switch {
	case code == "TESTERROR":
		test, what, _ := strings.Cut(message, ": ")
		if i := strings.LastIndex(test, " ("); i > 0 {
			test = test[:i]
		}
		d.Tool, d.Code, d.Test, d.Message, d.Category, d.Key = dotnetTestName, "", test, strings.TrimPrefix(what, "Error Message: "), store.CategoryTest, test
		s.Add(d)
		return true
	case code == "MSB3073" || code == "MSB4181" || code == "MSB6006" && severity == store.SeverityError:
		d.Weight = parse.Repeat // a command or task failed, which says why itself
	}
	d.Key = p.File + "\x00" + positionKey(p) + code + message
	d.Tool = msbuildTool(code)
	if s.Reported(d.Tool, d.Key) == nil { // said again in the summary, and for each target framework
		s.Add(d)
	}
	return true
}

func beforeColons(s string) string {
	s, _, _ = strings.Cut(s, "::")
	return s
}

// msbuildOrigin reads "CSC : error …", "MSBUILD : error …" and "/x/a.csproj :
// error …", which name no line.
func msbuildOrigin(text string) (file, rest string, ok bool) {
	if hasAnyPrefix(text, "error CS", "error FS", "error BC") {
		return "", text, true
	}
	for _, w := range [...]string{": error ", ": warning ", ":  warning "} {
		i := strings.Index(text, w)
		if i < 1 || i > 300 {
			continue
		}
		name := strings.TrimSpace(text[:i])
		rest = strings.TrimLeft(text[i+1:], " ")
		if parse.IsFileName(name) && !strings.Contains(name, ": ") {
			return name, rest, true
		}
		if isProgramTitle(name) {
			return "", rest, true
		}
	}
	return "", "", false
}

// isProgramTitle reports whether name is a tool's as MSBuild writes it: CSC, MSBUILD, FSC, vbc.
func isProgramTitle(name string) bool {
	switch name {
	case "CSC", "MSBUILD", "FSC", "VBC", "vbc", "csc", "fsc", "EXEC", "AL", "ALINK", "MSBuild", "SGEN", "CVTRES":
		return true
	}
	return false
}

// msbuildHead reads "error CS1002: message" and "error : message".
func msbuildHead(rest string) (severity store.Severity, code, message string, ok bool) {
	for _, w := range [...]store.Severity{store.SeverityError, store.SeverityWarning} {
		after, found := strings.CutPrefix(rest, string(w)+" ")
		if !found {
			continue
		}
		code, message, found = strings.Cut(after, ":")
		code = strings.TrimSpace(code)
		return w, code, strings.TrimSpace(message), found && isMSBuildCode(code)
	}
	return "", "", "", false
}

func isMSBuildCode(code string) bool {
	switch code {
	case "", "WHITESPACE", "IMPORTS", "FINALNEWLINE", "CHARSET", "TESTERROR":
		return true
	}
	letters := strings.TrimRight(code, "0123456789")
	if n := len(code) - len(letters); n < 2 || n > 6 || letters == "" || len(letters) > 12 || strings.HasPrefix(letters, "TS") {
		return false
	}
	for i := range len(letters) {
		if c := letters[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

func msbuildTool(code string) string {
	switch letters := strings.TrimRight(code, "0123456789"); letters {
	case "CS":
		return "csc"
	case "FS":
		return "fsc"
	case "BC":
		return "vbc"
	case "NU":
		return "nuget"
	case "WHITESPACE", "IMPORTS", "FINALNEWLINE", "CHARSET":
		return "dotnet-format"
	}
	return "msbuild"
}

func msbuildCategory(code string) store.Category {
	switch strings.TrimRight(code, "0123456789") {
	case "CS", "FS", "BC", "RZ", "XLS", "AVLN":
		return store.CategoryCompile
	case "MSB", "NU", "NETSDK", "":
		return store.CategoryBuild
	}
	return store.CategoryLint
}
