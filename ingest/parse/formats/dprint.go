package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// dprintFormat reads dprint and deno fmt. These formatters print the name of a file, and a diff with the changes that
// they would make.
var dprintFormat = parse.Format{
	Name:   "dprint",
	About:  "dprint check: files that are not formatted or cannot be parsed",
	Starts: []string{"from /", `from C:\`, `from D:\`, "Error formatting ", "Had "},
	Lines: parse.Lines{
		{Text: "Error formatting {path}. Message: {message} at file://{place+column}", Category: store.CategoryCompile,
			Below: parse.Below{Blank: 1, Indent: 2}.Pattern},
		{Text: "Error formatting {path}. Message: {message}", Category: store.CategoryCompile},
		{Text: "«Had {#} error{?s} formatting.»", Weight: parse.Repeat},
	},
	Match: matchDiff,
}

// matchDiff reads "from /x/a.ts:" and the first line of the diff: "1 | -export" of deno fmt, "  1|-export" or
// "1  |+export" of dprint.
func matchDiff(s *parse.Scan, l parse.Line) bool {
	file, ok := strings.CutSuffix(strings.TrimPrefix(l.Text, "from "), ":")
	if !ok || !strings.HasPrefix(l.Text, "from ") || !parse.IsFileName(file) {
		return false
	}
	at := l.N
	s.Block(func(l parse.Line) parse.Verdict {
		n, digits := parse.Number(l.Trim())
		change, ok := strings.CutPrefix(strings.TrimLeft(l.Trim()[digits:], " "), "|")
		if digits == 0 || !ok {
			return parse.Done
		}
		d := parse.Draft{Event: store.Event{Tool: "dprint", File: file, Line: n, Message: "file is not formatted",
			Category: store.CategoryLint, LogLine: at, LogLineEnd: l.N}}
		if strings.HasPrefix(change, " ") {
			d.Tool = "deno"
		}
		s.Add(d)
		return parse.Last
	})
	return true
}
