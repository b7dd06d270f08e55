package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// tscFormat reads the TypeScript compiler, plain and pretty. It also reads tools that print the compiler's lines
// unchanged (ts-node, ts-jest, ts-loader, ng build).
var tscFormat = parse.Format{
	Name:     "tsc",
	About:    "TypeScript compiler: tsc, tsc --build, --pretty, --watch, and ng build",
	Triggers: []string{"error TS", "warning TS", " - error NG", "error NG"},
	Lines:    tscLines,
}

// tscLines are the patterns of the errors and warnings of tsc. Formats of tools that run tsc use the same patterns.
var tscLines = parse.Lines{
	{Text: tscLead + "{place}: {?- }" + tscFinding, Category: store.CategoryType, Then: gradeTSC, Below: tscBelow},
	{Text: tscLead + tscFinding, Category: store.CategoryType, Then: gradeTSC, Below: tscBelow},
}

const (
	tscLead    = "{?{:✘ [ERROR] |ERROR in }}{?{:Error: |ERROR: |ERROR }}" // added by tools that run the compiler
	tscFinding = "{severity} {code:TS#|NG#|NG-#}: {message}"
)

// gradeTSC sets the category by the code. The codes 1000 to 1999 are syntax errors. TS17004 is JSX that is not enabled.
func gradeTSC(d *parse.Draft) {
	if strings.HasPrefix(d.Code, "TS1") && len(d.Code) == 6 || d.Code == "TS17004" {
		d.Category = store.CategoryCompile
	}
}

// tscBelow takes the indented chain of reasons, and the source excerpt.
func tscBelow(p *parse.Draft, l parse.Line) func(parse.Line) parse.Verdict {
	indent, first := l.Indent(), true
	return func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if first && text != "" && l.Indent() > indent && !isCodeFrame(l.Text) && !strings.Contains(text, "error TS") {
			p.Extend(l)
			return parse.Take
		}
		first = false
		return tscExcerpt(p, l, text)
	}
}

// tscExcerpt takes the source lines that --pretty prints below an error, and the indented related places.
func tscExcerpt(p *parse.Draft, l parse.Line, text string) parse.Verdict {
	switch {
	case text == "" || strings.Trim(text, "~^ ") == "":
		return parse.Take
	case strings.Contains(text, "error TS") || strings.HasPrefix(text, "Found "):
		return parse.Done
	case parse.IsDigit(l.Text[0]) && strings.IndexByte(l.Text, ' ') > 0: // "12   return u.nme;"
		if _, n := parse.Number(l.Text); l.Text[n] != ' ' {
			return parse.Done
		}
	case l.Indent() < 2:
		return parse.Done
	}
	p.Extend(l)
	return parse.Take
}
