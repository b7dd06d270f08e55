package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ecjFormat reads the Eclipse compiler for Java, alone or under Ant.
var ecjFormat = parse.Format{
	Name:     "ecj",
	About:    "the Eclipse compiler for Java",
	Triggers: []string{". ERROR in ", ". WARNING in ", ". INFO in "},
	Lines: parse.Lines{
		{Text: "{#}. {severity:ERROR=error|WARNING=warning|*=info} in {file} (at line {line})",
			Category: store.CategoryCompile, Below: ecjBelow},
	},
}

// ecjBelow reads the lines below the first line of a finding:
//
//  1. ERROR in /x/A.java (at line 3)
//     int x = "s";
//     ^^^
//     Type mismatch: cannot convert from String to int
//     ----------
func ecjBelow(d *parse.Draft, _ parse.Line) func(parse.Line) parse.Verdict {
	source := 0
	return func(l parse.Line) parse.Verdict {
		trimmed := l.Trim()
		switch {
		case strings.HasPrefix(trimmed, "----------"):
			return parse.Last
		case l.N > d.LogLine+12 || trimmed == "":
			return parse.Done
		case source < 2 && strings.HasPrefix(l.Text, "\t"): // the source and the carets below it
			if source++; source == 2 {
				d.Column = strings.IndexByte(l.Text, '^')
			}
		case d.Message == "":
			d.Message = trimmed
		default:
			d.Message += "\n" + trimmed
		}
		d.Extend(l)
		return parse.Take
	}
}
