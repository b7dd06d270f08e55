package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// pyrightFormat reads pyright: "  /a/b.py:5:10 - error: message (rule)".
var pyrightFormat = parse.Format{
	Name:     "pyright",
	About:    "pyright and basedpyright: Python type errors",
	Triggers: []string{" - error: ", " - warning: "},
	Lines: parse.Lines{
		// Only Python files match, because loggers of Node.js also print " - error: " after a place.
		{Text: "{place:.py|.pyi|.ipynb} - {severity}: {message}{? ({code})}", Category: store.CategoryType,
			Below: pyrightBelow},
	},
}

// cutRule splits "message (rule)".
func cutRule(message string) (text, rule string) {
	if rest, ok := strings.CutSuffix(message, ")"); ok {
		if i := strings.LastIndex(rest, " ("); i > 0 && strings.HasPrefix(rest[i+2:], "report") {
			return rest[:i], rest[i+2:]
		}
	}
	return message, ""
}

// pyrightBelow takes more lines of the message, which are indented more than its first line.
func pyrightBelow(d *parse.Draft, first parse.Line) func(parse.Line) parse.Verdict {
	indent := first.Indent()
	return func(l parse.Line) parse.Verdict {
		deeper := l.Indent() > indent || strings.HasPrefix(strings.TrimLeft(l.Text, " "), "\u00a0")
		if d.Code != "" || !deeper || strings.Contains(l.Text, " - error: ") {
			return parse.Done
		}
		rest, code := cutRule(strings.ReplaceAll(l.Trim(), "\u00a0", " "))
		d.Code = code
		if len(d.Message) < 400 {
			d.Message += " " + strings.TrimSpace(rest)
		}
		d.Extend(l)
		return parse.Take
	}
}
