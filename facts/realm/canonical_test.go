package realm

import (
	"testing"

	"github.com/gowebpki/jcs"
)

// TestCanonicalFormIsTheLibrarys compares the canonical form of values with the form that the library makes.
func TestCanonicalFormIsTheLibrarys(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`, `[]`, `{"b":[1,"x",{"d":true,"c":null}],"a":{}}`, `{"a!":1,"a":2,"A":3,"":4}`, `[[],[0,10,123456789012345]]`,
		`{"type":"object","properties":{"b":{"enum":["x","y"]},"a":{"type":"string"}}}`,
	} {
		if _, ok := canonical([]byte(text)); !ok {
			t.Errorf("%s is left to the library", text)
		}
		sameCanonical(t, text)
	}
	for _, text := range []string{
		``, `{`, `[`, `"`, `"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `[1`, `[1,`, `[1,]`, `[,1]`, `{,}`, `{1:2}`,
		`{"a":1,"a":2}`, `[01]`, `[1.0]`, `[1e3]`, `[-1]`, `[-0]`, `[1234567890123456789]`, `["\u00e9"]`, "[\"\u00e9\"]", `["<"]`,
		`{"a": 1}`, ` {}`, `{} `, `{}{}`, `truex`, `nul`, `[1 2]`, `{"a":1"b":2}`, `{"\ud83d\ude00":1,"\ufb33":2}`, "[\"\x7f\"]",
	} {
		sameCanonical(t, text)
	}
}

func sameCanonical(t *testing.T, text string) {
	t.Helper()
	got, ok := canonical([]byte(text))
	if !ok {
		return
	}
	if text == "" || text[0] != '{' && text[0] != '[' {
		text, got = "["+text+"]", []byte("["+string(got)+"]") // the library reads only objects and arrays
	}
	if want, err := jcs.Transform([]byte(text)); err != nil || string(got) != string(want) {
		t.Errorf("%s\ngot:  %s\nwant: %s, %v", text, got, want, err)
	}
}

func FuzzCanonical(f *testing.F) {
	f.Add(`{"b":[1,"x",{"d":true}],"a":{}}`)
	f.Fuzz(sameCanonical)
}
