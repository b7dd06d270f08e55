package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// cppcheckFormat reads the text of cppcheck before 1.84, and the XML of all versions. Newer versions print text like
// gcc.
var cppcheckFormat = parse.Format{
	Name:     "cppcheck",
	About:    "cppcheck before 1.84, and its XML",
	Triggers: []string{"]: (error", "]: (warning", "]: (style", "]: (performance", "]: (portability", "]: (information"},
	Lines: parse.Lines{
		{Text: "{?[{*}] -> }[{place}]: ({severity:error|warning|*=info}{?,{_}}) {message}"},
	},
	Document: &parse.Document{
		Sniff: func(head []byte) bool { return strings.Contains(string(head), "<cppcheck ") },
		Read:  readCppcheckXML,
	},
}
