package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// guileFormat reads GNU Guile: "a.scm:3:2: In procedure car: Wrong type argument", and the failed tests of SRFI 64.
var guileFormat = parse.Format{
	Name:     "guile",
	About:    "GNU Guile: uncaught errors, failed tests of SRFI 64",
	Triggers: []string{".scm:"},
	Lines: parse.Lines{
		{Text: "^{place:.scm|.sld}FAIL {test}", Message: "failed", Category: store.CategoryTest},
		{Text: "^{place:.scm|.sld}In procedure {message}", Category: store.CategoryRuntime, Weight: parse.Likely,
			Then: notOfGuile, Below: guileMessage},
	},
}

// notOfGuile removes a place in the libraries of Guile.
func notOfGuile(d *parse.Draft) {
	if hasAnyPrefix(d.File, "ice-9/", "srfi/", "system/", "/usr/share/guile/") {
		d.File, d.Line, d.Column = "", 0, 0
	}
}

// guileMessage reads the message below "In procedure lp:". It may begin with the place.
func guileMessage(d *parse.Draft, _ parse.Line) func(parse.Line) parse.Verdict {
	return func(l parse.Line) parse.Verdict {
		if !strings.HasSuffix(d.Message, ":") || l.Trim() == "" {
			return parse.Done
		}
		d.Message = l.Trim()
		if p, message, ok := parse.PlaceAt(d.Message); ok {
			d.File, d.Line, d.Column, d.Message = p.File, p.Line, p.Column, message
		}
		d.Extend(l)
		return parse.Last
	}
}
