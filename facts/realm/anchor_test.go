package realm

import (
	"encoding/json"
	"testing"
)

// Values are checked with schemas that refer to anchors.
func TestValuesOfSchemasWithAnchors(t *testing.T) {
	t.Parallel()
	const tree = `{"$dynamicAnchor":"node","type":"object","required":["data"],
		"properties":{"data":{"$ref":"#text"},"children":{"items":{"$dynamicRef":"#node"}}},
		"$defs":{"text":{"$anchor":"text","type":"string"}}}`
	for value, fits := range map[string]bool{
		`{"data":"a","children":[{"data":"b"}]}`:                          true,
		`{"data":"a","children":[{"data":"b","children":[{"data":1}]}]}`:  false,
		`{"data":"a","children":[{"children":[]}]}`:                       false,
		`{"data":"a","children":[{"data":"b","children":[{"data":""}]}]}`: true,
	} {
		if err := checkSchema(json.RawMessage(tree), json.RawMessage(value)); (err == nil) != fits {
			t.Errorf("%s: %v", value, err)
		}
	}
	for _, schema := range []string{`{"$ref":"#none"}`, `{"$dynamicRef":"#none"}`,
		`{"$dynamicAnchor":"a","$dynamicRef":"#a"}`} {
		if err := checkSchema(json.RawMessage(schema), json.RawMessage(`1`)); err == nil {
			t.Errorf("%s is accepted", schema)
		}
	}
}
