package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// groovyFormat reads messages of the Groovy compiler: "A.groovy: 5: message". The column may be on a line below.
var groovyFormat = parse.Format{
	Name:     "groovy",
	About:    "Groovy compiler: errors",
	Triggers: []string{".groovy: "},
	Lines: parse.Lines{
		{Text: "{file:.groovy}: {line}: {message}{? @ line {#}, column {column}.}", Category: store.CategoryCompile,
			Below: groovyBelow},
	},
}

// groovyBelow reads the lines below a message: the rest of the message, the column, the source and the caret.
func groovyBelow(d *parse.Draft, _ parse.Line) func(parse.Line) parse.Verdict {
	lines := 0
	return func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		if said, column, ok := cutGroovyPlace(" " + text); ok {
			d.Column = column
			if said = strings.TrimSpace(said); said != "" {
				d.Message += "\n" + said
			}
		} else if text == "^" {
			d.Extend(l)
			return parse.Last
		} else if text == "" && lines > 1 || lines > 12 || strings.Contains(text, ".groovy: ") {
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	}
}

// cutGroovyPlace splits "unable to resolve class X @ line 5, column 1."
func cutGroovyPlace(text string) (message string, column int, ok bool) {
	i := strings.LastIndex(text, " @ line ")
	if i < 0 {
		return text, 0, false
	}
	_, after, ok := strings.Cut(text[i:], ", column ")
	column, n := parse.Number(after)
	return text[:i], column, ok && n > 0
}
