package formats

import (
	"strconv"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// jsPackagesFormat reads tools that check package.json files and published packages.
var jsPackagesFormat = parse.Format{
	Name:  "js-packages",
	About: "publint, Are The Types Wrong, Syncpack, Sherif, Manypkg, depcheck, lockfile-lint, size-limit, Renovate",
	Triggers: []string{"Running publint v", "arethetypeswrong.github.io/blob/main/docs/problems/", "✘ ", "✗ Issues found",
		"⨯ error ", "⚠️ warning ", "☔️ error ", " found in ./", " for package: ", "security issues detected!", " limit has exceeded by ",
		"ERROR: Found errors in configuration"},
	Starts: []string{"Unused dependencies", "Unused devDependencies", "Missing dependencies"},
	Lines: parse.Lines{
		{Text: "{_} {message} https://github.com/arethetypeswrong/arethetypeswrong.github.io/blob/main/docs/problems/{code}.md",
			Tool: "attw"},
		{Text: "«✗ Issues found»", Tool: "syncpack", Weight: parse.Repeat},
		{Text: "☔️ error {message}", Tool: "manypkg"},
		{Text: "^detected «{_} for package: {_}»", Tool: "lockfile-lint", Below: parse.Below{Indent: 4, Join: "; "}.Pattern},
		{Text: "✖ Error: «security issues detected!»", Tool: "lockfile-lint", Weight: parse.Repeat},
	},
	New: func() parse.Matcher { return new(jsPackages).match },
}

// jsPackages reads findings that have several lines.
type jsPackages struct {
	file string // the newest package.json that Sherif named
}

func (j *jsPackages) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if count, file, ok := strings.Cut(strings.TrimSuffix(text, ":"), " found in ./"); ok && hasAnySuffix(count, " issue", " issues") {
		j.file = file
		return true
	}
	switch {
	case strings.HasPrefix(text, "Running publint v"):
		s.Block(publint(s))
		return true
	case hasAnyPrefix(text, "⨯ error ", "⚠️ warning "):
		return j.sherif(s, text)
	case strings.HasPrefix(text, "✘ "):
		return syncpack(s, text)
	case text == "ERROR: Found errors in configuration":
		s.Block(renovate(s))
		return true
	case strings.HasPrefix(text, "Package ") && strings.Contains(text, " limit has exceeded by "):
		return sizeLimit(s, l)
	case text == "Unused dependencies", text == "Unused devDependencies", text == "Missing dependencies":
		return depcheck(s, text)
	}
	return false
}

// publint returns the block of publint's report. Each section has a numbered list.
func publint(s *parse.Scan) func(parse.Line) parse.Verdict {
	var section store.Severity
	lines := 0
	return func(l parse.Line) parse.Verdict {
		text := l.Trim()
		n, digits := parse.Number(text)
		message, item := strings.CutPrefix(text[digits:], ". ")
		lines++
		switch {
		case text == "Errors:":
			section = store.SeverityError
		case text == "Warnings:":
			section = store.SeverityWarning
		case text == "Suggestions:":
			section = store.SeverityInfo
		case section != "" && n > 0 && item:
			s.Add(parse.Draft{Event: store.Event{Severity: section, Tool: "publint", File: "package.json", Message: message,
				Category: store.CategoryLint, LogLine: l.N}})
		case section != "" || lines > 20:
			return parse.Done
		default:
			return parse.Pass // the package is packed first
		}
		return parse.Take
	}
}

// sherif reads "⨯ error MESSAGE RULE". The lines below show how to mend it.
func (j *jsPackages) sherif(s *parse.Scan, text string) bool {
	message, isError := strings.CutPrefix(text, "⨯ error ")
	message = strings.TrimPrefix(message, "⚠️ warning ")
	i := strings.LastIndexByte(message, ' ')
	if i < 0 || !strings.Contains(message[i:], "-") || !isRuleName(message[i+1:]) {
		return false
	}
	d := parse.Draft{Event: store.Event{Tool: "sherif", File: j.file, Message: message[:i], Code: message[i+1:],
		Category: store.CategoryLint}}
	if !isError {
		d.Severity = store.SeverityWarning
	}
	s.Block(parse.Below{Indent: 2}.Block(s.Add(d)))
	return true
}

var syncpackLine = parse.Lines{{Text: "✘ {message} in {file:.json} at {_} ({code})", Tool: "syncpack"}}

// syncpack reads "✘ ~3.0.0 → ^4.0.0 in packages/b/package.json at .dependencies (DiffersToHighestOrLowestSemver)". The
// name of the dependency is above: "2x lodash".
func syncpack(s *parse.Scan, text string) bool {
	d, ok := syncpackLine.Read(text)
	if !ok {
		return false
	}
	for _, above := range s.Said(20) {
		count, name, _ := strings.Cut(above.Trim(), "x ")
		if _, n := parse.Number(count); n > 0 && n == len(count) && name != "" {
			d.Message = name + ": " + d.Message
			break
		}
	}
	s.Add(d)
	return true
}

// sizeLimit reads "Package size limit has exceeded by 82 B". The name of the bundle is above, and the sizes below.
func sizeLimit(s *parse.Scan, l parse.Line) bool {
	d := parse.Draft{Event: store.Event{Tool: "size-limit", Message: l.Trim(), Category: store.CategoryLint}}
	if above := s.Said(1); len(above) > 0 && above[0].N == l.N-1 {
		d.Message = above[0].Trim() + ": " + d.Message
	}
	s.Block(parse.Below{Indent: 2, Lines: 3}.Block(s.Add(d)))
	return true
}

// depcheck reads a list of dependencies: "* left-pad" or "* lodash: ./a.js".
func depcheck(s *parse.Scan, title string) bool {
	s.Block(parse.Rows(func(l parse.Line) bool {
		name, ok := strings.CutPrefix(l.Text, "* ")
		name, file, missing := strings.Cut(name, ": ")
		if !ok || strings.Contains(name, " ") {
			return false
		}
		d := parse.Draft{Event: store.Event{Tool: "depcheck", File: "package.json", Category: store.CategoryLint}}
		if missing {
			d.File = strings.TrimPrefix(file, "./")
		}
		d.Message = title + ": " + name
		s.Add(d)
		return true
	}))
	return true
}

// renovate reads the object below "ERROR: Found errors in configuration". The object has the file, and a message for
// each error.
func renovate(s *parse.Scan) func(parse.Line) parse.Verdict {
	file := ""
	return parse.Rows(func(l parse.Line) bool {
		key, quoted, _ := strings.Cut(l.Trim(), ": ")
		value, err := strconv.Unquote(strings.TrimSuffix(quoted, ","))
		switch {
		case err != nil: // it begins a list or an object
		case key == `"file"`:
			file = value
		case key == `"message"`:
			s.Add(parse.Draft{Event: store.Event{Tool: "renovate", File: file, Message: value, Category: store.CategoryLint}})
		}
		return l.Indent() > 0
	})
}
