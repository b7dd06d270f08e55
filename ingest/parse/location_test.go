package parse_test

import (
	"testing"

	"github.com/blq-ci/blq/ingest/parse"
)

func TestPartsOfFileNamesMayBeSecrets(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"/home/***/a.go": true, "***/a.go": true, "src/***.ts": true, "src/lib-***-x/***/a.c": true, `C:\***\a.cs`: true,
		"*** /src/a.go": false, "/src/*** /a.go": false, "src/**/a.go": false, "src/*.go": false, "src/****/a.go": false,
		"***": false, "*** [all]": false,
	} {
		if got := parse.IsFileName(name); got != want {
			t.Errorf("%q is a file name: %v", name, got)
		}
	}
	p, rest, ok := parse.PlaceAt("/home/***/a.go:3:4: undefined: y")
	if want := (parse.Place{File: "/home/***/a.go", Line: 3, Column: 4}); !ok || p != want || rest != "undefined: y" {
		t.Errorf("%v, %+v, %q", ok, p, rest)
	}
}
