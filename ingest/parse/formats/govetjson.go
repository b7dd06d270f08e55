package formats

import (
	"bytes"
	"encoding/json"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// goVetJSONFormat reads the output of go vet -json: findings by package and analyzer. The command does not fail because
// of findings.
var goVetJSONFormat = parse.Format{
	Name:  "govet-json",
	About: "go vet -json",
	Document: &parse.Document{
		Sniff: func(head []byte) bool { return hasAll(head, `"posn"`, `"message"`) },
		Read:  readGoVetJSON,
	},
}

func readGoVetJSON(s *parse.Scan, t *parse.Text) error {
	packages, err := decodeOrdered(json.NewDecoder(bytes.NewReader(t.Data)))
	if err != nil {
		return err
	}
	search := newSearch(t)
	analyzers, _ := packages.(jsonObject)
	for _, pkg := range analyzers {
		findings, _ := pkg.value.(jsonObject)
		for _, analyzer := range findings {
			list, _ := analyzer.value.([]any)
			for _, finding := range list {
				o, _ := finding.(jsonObject)
				at, _ := o.get("posn").(string)
				message, _ := o.get("message").(string)
				if p, rest, ok := parse.PlaceAt(at); ok && rest == "" && message != "" {
					s.Add(parse.Draft{Event: store.Event{Tool: "go", File: p.File, Line: p.Line, Column: p.Column,
						Message: message, Category: store.CategoryLint, LogLine: search.line(at)}})
				}
			}
		}
	}
	return nil
}
