package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// cppcheckFormat reads what cppcheck before 1.84 printed; newer ones write
// like gcc.
var cppcheckFormat = parse.Format{
	Name:     "cppcheck",
	About:    "cppcheck before 1.84, and its XML",
	Triggers: []string{"]: (error", "]: (warning", "]: (style", "]: (performance", "]: (portability", "]: (information"},
	New:      parse.Stateless(matchCppcheck),
	Document: &parse.Document{
		Sniff: func(head []byte) bool { return strings.Contains(string(head), "<cppcheck ") },
		Read:  readCppcheckXML,
	},
}

// matchCppcheck reads "[a.c:4] -> [b.c:7]: (error) message".
func matchCppcheck(s *parse.Scan, l parse.Line) bool {
	places, rest, ok := strings.Cut(l.Trim(), "]: (")
	if !ok || !strings.HasPrefix(places, "[") {
		return false
	}
	word, message, ok := strings.Cut(rest, ") ")
	if !ok {
		return false
	}
	word, _, _ = strings.Cut(word, ",") // "warning, inconclusive"
	p, _, ok := parse.PlaceAt(places[strings.LastIndexByte(places, '[')+1:] + ": ")
	if !ok {
		return false
	}
	s.Add(parse.Draft{Event: store.Event{Severity: parse.SeverityOf(word, store.SeverityInfo), File: p.File, Line: p.Line, Message: message, Category: store.CategoryLint}})
	return true
}
