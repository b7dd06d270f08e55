package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// mypyFormat reads mypy: "a.py:5: error: message  [code]". The place may have a column or lack the line, and --pretty
// wraps the message.
var mypyFormat = parse.Format{
	Name:     "mypy",
	About:    "mypy: Python type errors",
	Triggers: []string{": error: ", ": note: "},
	Starts:   []string{"mypy: error: ", "mypy: can't read file"},
	Lines: parse.Lines{
		{Text: "mypy: {?error: }{message}", Code: "usage", Category: store.CategoryType},
		{Text: "{place:.py|.pyi}: {?{#}:{#}: }" + mypyFinding, Category: store.CategoryType, Then: gradeMypy,
			Below: mypyPretty},
		{Text: "{file:.py|.pyi}: " + mypyFinding, Category: store.CategoryType, If: isMypyError, Then: gradeMypy,
			Below: mypyPretty},
		// A note explains the error before it, or shows the type that reveal_type asks for.
		{Text: "{place:.py|.pyi}: {?{#}:{#}: }note: {message}", Ignore: true},
		{Text: "{file:.py|.pyi}: note: {message}", Ignore: true},
	},
}

const mypyFinding = "error: {message}{? [{code}]}"

// isMypyError reports whether an error without a place comes from mypy. Scripts that use argparse print errors about
// their arguments in the same form, so these are excluded.
func isMypyError(d *parse.Draft) bool {
	return !hasAnyPrefix(d.Message, "the following arguments are required", "unrecognized arguments", "argument ",
		"invalid choice", "one of the arguments ", "too few arguments", "ambiguous option")
}

// gradeMypy sets the category of a syntax error to compile, because the file does not compile.
func gradeMypy(d *parse.Draft) {
	if d.Code == "syntax" {
		d.Category = store.CategoryCompile
	}
}

// mypyPlaced reads a line with a place. The place may be only a file.
var mypyPlaced = parse.Lines{
	{Text: "{place}: {message}"},
	{Text: "{file}: {message}"},
}

// cutCode splits "message  [code]".
func cutCode(message string) (text, code string) {
	if rest, ok := strings.CutSuffix(message, "]"); ok {
		if i := strings.LastIndex(rest, " ["); i >= 0 && strings.Trim(rest[i+2:], "abcdefghijklmnopqrstuvwxyz-") == "" {
			return strings.TrimRight(rest[:i], " "), rest[i+2:]
		}
	}
	return message, ""
}

// mypyPretty returns the block for the additional lines of --pretty: the wrapped rest of the message, the source line
// and a marker.
func mypyPretty(d *parse.Draft, l parse.Line) func(parse.Line) parse.Verdict {
	width, lines, source := len(l.Trim()), 0, false
	return func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		switch {
		case l.Indent() >= 4 && text != "" && lines < 8:
			d.Extend(l)
			source = true
			if strings.Trim(text, "^~") == "" {
				return parse.Last
			}
			return parse.Take
		case source || d.Code != "" || width < 50 || width > 200 || lines > 5 || l.Indent() > 0 || text == "" ||
			strings.HasPrefix(text, "Found "):
			return parse.Done
		}
		rest, code := cutCode(" " + text)
		if _, ok := mypyPlaced.Read(text); ok || code == "" && len(text) < 50 {
			return parse.Done
		}
		d.Message, d.Code = strings.TrimSpace(d.Message+rest), code
		d.Extend(l)
		return parse.Take
	}
}
