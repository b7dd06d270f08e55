package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// bisonFormat reads GNU Bison. Its places are ranges such as "a.y:5.1-4: error: …" and "a.y:5.1-7.3: …", or a file
// alone.
func bisonFormat() parse.Format {
	return parse.Format{
		Name:     "bison",
		About:    "GNU Bison: errors and warnings of a grammar",
		Triggers: append(eachDigit(".y:", ""), ".y: ", ".yy:", ".ypp:", ".y++:"),
		Lines: parse.Lines{
			{Text: "{range:" + bisonFiles + "}: " + bisonFinding, Category: store.CategoryCompile, Then: nameFlag,
				Below: gutterBelow},
			{Text: "{file:" + bisonFiles + "}: " + bisonFinding, Category: store.CategoryCompile, Then: nameFlag,
				Below: gutterBelow},
		},
		Match: matchBisonNote,
	}
}

const (
	bisonFiles   = ".y|.yy|.ypp|.y++"
	bisonFinding = "{severity:fatal error=error|error|warning}: {message}{? [{code}]}"
)

// nameFlag replaces the code of a finding by the name of the rule. The name is the same for warnings and errors, so
// -Werror=other becomes -Wother.
func nameFlag(d *parse.Draft) {
	d.Code = warningFlag(d.Code)
}

var bisonNote = parse.Lines{
	{Text: "{range}: note: {message}"},
	{Text: "{file}: note: {message}"},
}

// matchBisonNote reads a note that explains the finding before it: "note: shift/reduce conflict …".
func matchBisonNote(s *parse.Scan, l parse.Line) bool {
	d := s.Newest()
	if d == nil || d.Tool != "bison" {
		return false
	}
	if _, ok := bisonNote.Read(l.Text); !ok {
		return false
	}
	d.Extend(l)
	return true
}
