package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
)

// cspellFormat reads CSpell, which may show the context of an unknown word.
var cspellFormat = parse.Format{
	Name:     "cspell",
	About:    "CSpell: words that are misspelled or not known",
	Triggers: []string{" - Unknown word (", " - Forbidden word (", " - Misspelled word ("},
	Lines: parse.Lines{
		{Text: "{place+column}- «{:Unknown|Forbidden|Misspelled} word ({_})»{*}", Code: "spelling"},
	},
}
