package parse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

const eslintStylish = `{"problemMatcher": [{"owner": "stylish", "pattern": [
	{"regexp": "^([^\\s].*\\.lint)$", "file": 1},
	{"regexp": "^\\s+(\\d+):(\\d+)\\s+(error|warning|info)\\s+(.*)\\s\\s+(.*)$",
	"line": 1, "column": 2, "severity": 3, "message": 4, "code": 5, "loop": true}]}]}`

func TestMatchersRead(t *testing.T) {
	tests := []struct {
		name, matcher, input string
		want                 []store.Event
	}{
		{
			"one line", `{"problemMatcher": [{"owner": "acme", "severity": "warning", ` +
				`"pattern": [{"regexp": "^acme: (\\S+) at (.+)@(\\d+)$", "code": 1, "file": 2, "line": 3, "message": 1}]}]}`,
			"acme: E12 at src/a.x@14\nother: E12 at src/a.x@14\n",
			[]store.Event{{ID: 1, Severity: "warning", File: "src/a.x", Line: 14, Message: "E12", Code: "E12", Tool: "acme",
				Category: "lint", LogLine: 1, LogLineEnd: 1}},
		},
		{
			"several lines", `{"problemMatcher": [{"owner": "multi", "pattern": [{"regexp": "^begin (.*)$", "message": 1}, ` +
				`{"regexp": "^ in (\\S+) line (\\d+)$", "file": 1, "line": 2}]}]}`,
			"begin lost\nbegin found\n in a.x line 3\n",
			[]store.Event{{ID: 1, Severity: "error", File: "a.x", Line: 3, Message: "found", Tool: "multi",
				Category: "lint", LogLine: 2, LogLineEnd: 3}},
		},
		{
			"project file", `{"problemMatcher": [{"owner": "p", "pattern": [{"regexp": "^(\\S+) says no \\[(.+)\\]$", ` +
				`"file": 1, "message": 1, "fromPath": 2}]}]}`,
			"a.cs says no [src/app/app.csproj]\n",
			[]store.Event{{ID: 1, Severity: "error", File: "src/app/a.cs", Message: "a.cs", Tool: "p", Category: "lint",
				LogLine: 1, LogLineEnd: 1}},
		},
		{
			"loop", eslintStylish,
			"src/a.lint\n  1:2  error  odd thing  no-odd\n  3:4  warning  dull thing  no-dull\n\n" +
				"  5:6  error  nowhere  no-file\n",
			[]store.Event{
				{ID: 1, Severity: "error", File: "src/a.lint", Line: 1, Column: 2, Message: "odd thing", Code: "no-odd",
					Tool: "stylish", Category: "lint", LogLine: 2, LogLineEnd: 2},
				{ID: 2, Severity: "warning", File: "src/a.lint", Line: 3, Column: 4, Message: "dull thing", Code: "no-dull",
					Tool: "stylish", Category: "lint", LogLine: 3, LogLineEnd: 3},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list, err := ReadMatchers([]byte(tt.matcher))
			if err != nil {
				t.Fatal(err)
			}
			got := Bytes([]byte(tt.input), nil, Options{Matchers: list})
			for i := range got {
				got[i].Fingerprint, got[i].Pattern = "", ""
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMatcherErrorsNameTheField(t *testing.T) {
	for matcher, want := range map[string]string{
		`{}`:                                   "no problemMatcher list",
		`{"problemMatcher": [{}]}`:             "problem matcher 1: owner",
		`{"problemMatcher": [{"owner": "a"}]}`: `"a": pattern is missing`,
		`{"problemMatcher": [{"owner": "a", "severity": "bad", ` +
			`"pattern": [{"regexp": "x"}]}]}`: `"a": severity "bad"`,
		`{"problemMatcher": [{"owner": "a", "pattern": [{"regexp": "(x", ` +
			`"message": 1}]}]}`: `"a": pattern[0].regexp: error parsing`,
		`{"problemMatcher": [{"owner": "a", "pattern": [{"regexp": "(x)(?=y)", ` +
			`"message": 1}]}]}`: `"a": pattern[0].regexp: lookaround`,
		`{"problemMatcher": [{"owner": "a", "pattern": [{"regexp": "(x)\\1", ` +
			`"message": 1}]}]}`: `"a": pattern[0].regexp: the reference back`,
		`{"problemMatcher": [{"owner": "a", "pattern": [{"regexp": "(x)", ` +
			`"message": 2}]}]}`: `"a": pattern[0].message: group 2`,
		`{"problemMatcher": [{"owner": "a", "pattern": [{"regexp": "(x)", ` +
			`"file": 1}]}]}`: `"a": no pattern has a message`,
		`{"problemMatcher": [{"owner": "a", "pattern": [{"regexp": "(x)", "message": 1, "loop": true}, ` +
			`{"regexp": "(x)"}]}]}`: `"a": pattern[0].loop`,
		`{"problemMatcher": [{"owner": "a", "pattern": [{"regexp": "(x)", "message": 1}, {"regexp": "(x)", ` +
			`"loop": true}]}]}`: `"a": pattern[1].message`,
		`{"problemMatcher": [{"owner": "a", "pattern": [{"regexp": "(x)", ` +
			`"message": -1}]}]}`: `"a": pattern[0].message`,
		`{"problemMatcher": [{"owner": "a", "pattern": [{"regexp": "(x)", "message": 1, ` +
			`"loop": true}]}]}`: `"a": pattern[0].loop`,
		`{"problemMatcher": [{"owner": "a", "pattern": [{"message": 1}]}]}`: `"a": pattern[0].regexp: it is missing`,
	} {
		if _, err := ReadMatchers([]byte(matcher)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", matcher, err, want)
		}
	}
}

func TestRequiredLiterals(t *testing.T) {
	for expr, want := range map[string]string{
		`^acme: (\S+)$`:       "acme: ",
		`^(error|warning): x`: ": x",
		`(?i)error`:           "",
		`(.*)`:                "",
		`a?bcd+`:              "bc",
		`^(.+):(\d+) fatal$`:  " fatal",
	} {
		if got := requiredLiteral(expr); got != want {
			t.Errorf("requiredLiteral(%q) = %q, want %q", expr, got, want)
		}
	}
}
