package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// patchFormat reads the program patch.
var patchFormat = parse.Format{
	Name:     "patch",
	About:    "patch: changes that do not fit the files",
	Triggers: []string{" hunk FAILED", " hunks FAILED", "patch: **** "},
	Starts: []string{"patching file ", "checking file ", "Hunk #", "can't find file to patch ",
		"Reversed (or previously applied) patch detected!"},
	New: func() parse.Matcher { return new(patch).match },
}

// patch keeps the file that is being patched.
type patch struct{ file string }

var patchLines = parse.Lines{
	{Text: "^«Hunk #{#} FAILED at {line}»{*}", Category: store.CategoryBuild, Weight: parse.Likely},
	{Text: "^«{#} out of {#} hunk{?s} FAILED»{*}", Category: store.CategoryBuild, Weight: parse.Repeat},
	{Text: "^«can't find file to patch at input line {*}»", Category: store.CategoryBuild, Weight: parse.Likely},
	{Text: "^{_}patch: **** {message}", Category: store.CategoryBuild, Weight: parse.Likely},
	{Text: "^patch: **** {message}", Category: store.CategoryBuild, Weight: parse.Likely},
	{Text: "^«Reversed (or previously applied) patch detected!»{*}", Category: store.CategoryBuild,
		Weight: parse.Likely},
}

func (f *patch) match(s *parse.Scan, l parse.Line) bool {
	if name, ok := cutAny(l.Text, "patching file ", "checking file "); ok {
		name, _, _ = strings.Cut(name, " (")
		f.file = strings.Trim(name, "'\"")
		return false
	}
	d, ok := patchLines.Read(l.Text)
	if !ok {
		return false
	}
	if d.Line > 0 || strings.HasPrefix(d.Message, "Reversed ") {
		d.File = f.file
	}
	s.Add(d)
	return true
}
