package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// knipFormat reads Knip's reports symbols and compact: a heading with a count, and then a line for each issue or file.
var knipFormat = parse.Format{
	Name:  "knip",
	About: "Knip: unused and unlisted files, dependencies and exports",
	Starts: []string{"Unused ", "Unlisted ", "Unresolved imports (", "Duplicate exports (", "Referenced optional peer",
		"Exports in used namespace (", "Exported types in used namespace ("},
	Match: matchKnip,
}

// knipTitles maps headings to the names of the issue types in Knip's configuration.
var knipTitles = [...]struct{ title, code string }{
	{"Unused files", "files"}, {"Unused dependencies", "dependencies"}, {"Unused devDependencies", "devDependencies"},
	{"Referenced optional peerDependencies", "optionalPeerDependencies"}, {"Unlisted dependencies", "unlisted"},
	{"Unlisted binaries", "binaries"}, {"Unresolved imports", "unresolved"}, {"Unused exports", "exports"},
	{"Exports in used namespace", "nsExports"}, {"Unused exported types", "types"},
	{"Exported types in used namespace", "nsTypes"}, {"Unused exported enum members", "enumMembers"},
	{"Unused exported class members", "classMembers"}, {"Duplicate exports", "duplicates"},
	{"Unused catalog entries", "catalog"},
}

func matchKnip(s *parse.Scan, l parse.Line) bool {
	title, count, ok := strings.Cut(l.Trim(), " (")
	code := ""
	for i := range knipTitles {
		if knipTitles[i].title == title {
			code = knipTitles[i].code
		}
	}
	if _, n := parse.Number(count); !ok || code == "" || n == 0 || count[n:] != ")" {
		return false
	}
	s.Block(parse.Rows(func(l parse.Line) bool {
		d, ok := knipIssue(l.Trim())
		if ok {
			d.Code = code
			if d.Message = title; d.Test != "" {
				d.Message, d.Test = title+": "+d.Test, ""
			}
			d.Category = store.CategoryLint
			s.Add(d)
		}
		return ok
	}))
	return true
}

// knipIssue reads "name  type  src/a.ts:3:13", "src/a.ts: one, two" and "src/a.ts".
func knipIssue(text string) (d parse.Draft, ok bool) {
	if file, names, found := strings.Cut(text, ": "); found {
		d.File, d.Test = file, names
		return d, parse.IsFileName(file)
	}
	name, at := "", text
	if i := strings.LastIndexByte(text, ' '); i > 0 {
		name, _, _ = strings.Cut(text, "  ")
		at = text[i+1:]
	}
	d.File, d.Test = at, name
	if p, rest, placed := parse.PlaceAt(at); placed && rest == "" {
		d.File, d.Line, d.Column = p.File, p.Line, p.Column
	}
	return d, parse.IsFileName(d.File)
}
