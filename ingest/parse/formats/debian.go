package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// debianFormat reads the tools that build and test Debian packages.
var debianFormat = parse.Format{
	Name: "debian",
	About: "dpkg-buildpackage, debhelper, debuild, lintian, appstreamcli, autopkgtest: failed builds and tests of " +
		"packages",
	Starts: []string{"dpkg-", "dh: error: ", "dh_", "debuild: fatal error", "E: ", "W: ", "autopkgtest [",
		"autopkgtest: "},
	Triggers: []string{" FAIL "},
	New:      func() parse.Matcher { return new(debian).match },
}

// debian keeps the warnings of debhelper tools about missing files, and whether autopkgtest has started.
type debian struct {
	missing []*parse.Draft
	tests   bool
}

var debianLines = parse.Lines{
	{Text: "^{code:dpkg-*}: error: «{*} subprocess returned exit status {#}»", Category: store.CategoryBuild,
		Weight: parse.Repeat},
	{Text: "^{code:dpkg-*}: error: {message}", Category: store.CategoryBuild},
	{Text: "^{code:dh_*}: error: «{*} returned exit code {#}»", Category: store.CategoryBuild, Weight: parse.Repeat},
	{Text: "^{code:dh_*}: error: «missing files, aborting»", Category: store.CategoryBuild, Weight: parse.Repeat},
	{Text: "^{code:dh|dh_*}: {severity:error|warning}: {message}", Category: store.CategoryBuild},
}

func (f *debian) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "autopkgtest"):
		f.tests = true
		return false
	case hasAnyPrefix(text, "E: ", "W: "):
		return lintian(s, l)
	case strings.HasPrefix(text, "debuild: fatal error"): // it names the command in the next line
		d := s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Tool: "debuild", Category: store.CategoryBuild,
			Message: strings.TrimPrefix(text, "debuild: ")}})
		s.Block(parse.Below{Lines: 1, Join: " "}.Block(d))
		return true
	case f.tests && strings.Contains(text, " FAIL "):
		return autopkgtest(s, l)
	}
	d, ok := debianLines.Read(l.Text)
	if !ok {
		return false
	}
	d.Tool, d.Code = d.Code, ""
	if d.Severity == store.SeverityWarning && !isMissingFile(d.Message) {
		return true
	}
	added := s.Add(d)
	if d.Severity == store.SeverityWarning && len(f.missing) < 1000 {
		f.missing = append(f.missing, added)
	}
	if d.Message == "missing files, aborting" {
		for _, m := range f.missing {
			if m.Tool == d.Tool {
				m.Severity = store.SeverityError
			}
		}
	}
	return true
}

// isMissingFile reports whether a warning names files that are missing in a package.
func isMissingFile(message string) bool {
	return strings.Contains(message, " missing files: ") || strings.Contains(message, " is not installed to anywhere")
}

// lintian reads "E: shop source: no-copyright-file [debian/rules:3]".
func lintian(s *parse.Scan, l parse.Line) bool {
	severity, rest := store.SeverityError, l.Text[min(len("E: "), len(l.Text)):]
	if l.Text != "" && l.Text[0] == 'W' {
		severity = store.SeverityWarning
	}
	pkg, message, ok := strings.Cut(rest, ": ")
	tag, _, _ := strings.Cut(message, " ")
	_, kind, typed := strings.Cut(pkg, " ")
	if !ok || l.Indent() > 0 || typed && kind != "source" && kind != "changes" && kind != "buildinfo" ||
		!isLintianTag(tag) {
		return false
	}
	e := store.Event{Severity: severity, Tool: "lintian", Code: tag, Message: rest, Category: store.CategoryLint}
	if i := strings.LastIndex(message, " ["); i > 0 && strings.HasSuffix(message, "]") && kind == "source" {
		at := message[i+2 : len(message)-1]
		if p, end, ok := parse.PlaceAt(at + ":"); ok && end == "" {
			e.File, e.Line = p.File, p.Line
		} else if parse.IsFileName(at) {
			e.File = at
		}
	}
	if strings.Contains(pkg, ":") { // "E: org.shop.App:3: tag"
		e.Tool = "appstreamcli"
	}
	s.Add(parse.Draft{Event: e})
	return true
}

// isLintianTag reports whether a word may be the name of one of Lintian's checks: "no-copyright-file".
func isLintianTag(tag string) bool {
	for i := range len(tag) {
		if c := tag[i]; !parse.IsLower(c) && !parse.IsDigit(c) && c != '-' && c != '.' && c != '+' {
			return false
		}
	}
	return strings.Contains(tag, "-") && parse.IsLower(tag[0])
}

// autopkgtest reads "smoke                FAIL non-zero exit status 1". The summary repeats the line.
func autopkgtest(s *parse.Scan, l parse.Line) bool {
	name, reason, _ := strings.Cut(l.Text, " FAIL ")
	name = strings.TrimSpace(name)
	if name == "" || l.Indent() > 0 || strings.ContainsAny(name, " \t") {
		return false
	}
	if s.Reported("autopkgtest", name) == nil {
		s.Add(parse.Draft{Key: name, Event: store.Event{Tool: "autopkgtest", Test: name, Category: store.CategoryTest,
			Message: strings.TrimSpace(reason)}})
	}
	return true
}
