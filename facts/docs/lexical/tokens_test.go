package lexical

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// all returns the terms of a text with their positions, without stems.
func all(text string) []string {
	var terms []string
	t := tokenizer{emit: func(term []byte, position int, k kind) {
		if k != stemmed {
			terms = append(terms, fmt.Sprintf("%s@%d", term, position))
		}
	}}
	t.run([]byte(text))
	return terms
}

func TestTerms(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"Test  runner.":          "test@0 runner@1",
		"snake_case":             "snake@0 case@1 snake_case@0",
		"__init__":               "init@0 __init__@0",
		"camelCase x":            "camelcase@0 camel@0 case@0 x@1",
		"HTTPServer":             "httpserver@0 http@0 server@0",
		"URLs":                   "urls@0",
		"os.path.join()":         "os@0 path@1 join@2 os.path.join@0",
		"std::vec":               "std@0 vec@1 std::vec@0",
		"src/node_x/a.b.c":       "src@0 node@1 x@2 a@3 b@4 c@5 src/node_x/a.b.c@0 node_x@1 a.b.c@3",
		"c++, C#":                "c@0 c++@0 c@1 c#@1",
		"a+b C+":                 "a@0 b@1 a+b@0 c@2",
		"#include <x>":           "include@0 #include@0 x@1",
		"## Heading":             "heading@0",
		"--flag-name=3":          "flag@0 name@1 --flag-name@0 flag-name@0 3@2",
		"-v - -- ---x":           "v@0 -v@0 x@1 --x@1",
		"E0308: TS2345.":         "e0308@0 ts2345@1",
		"$HOME @scope/pkg .env":  "home@0 $home@0 scope@1 pkg@2 @scope/pkg@1 scope/pkg@1 @scope@1 env@3 .env@3",
		"well-known, (well-)":    "well@0 known@1 well-known@0 well@2",
		"Schlüssel":              "schlussel@0 schluessel@0",
		"Schlu\u0308ssel":        "schlussel@0 schluessel@0",
		"GRÖSSE Größe":           "grosse@0 groesse@0 grosse@1 groesse@1",
		"é ñ Ł œ":                "e@0 n@1 l@2 oe@3",
		"don't “x”—y":            "don@0 t@1 x@2 y@3",
		"日本語 ab":                 "日@0 日本@0 本@1 本語@1 語@2 ab@3",
		"ab日本":                   "ab@0 日@1 日本@1 本@2",
		"Привет МИР":             "привет@0 мир@1",
		"a\x00b\xffc":            "a@0 b@1 c@2",
		"---- ==== ....":         "",
		strings.Repeat("x", 101): "",
		strings.Repeat("x", 100): strings.Repeat("x", 100) + "@0",
	} {
		got := strings.Join(all(text), " ")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestStems(t *testing.T) {
	for stemOf, words := range map[string]string{
		"redact":    "redact redacts redacted redacting redaction redactions",
		"cach":      "cache caches cached caching",
		"run":       "run runs running",
		"cancel":    "cancel cancels cancelled canceled cancelling cancellation",
		"configur":  "configure configures configured configuring configuration configurations",
		"authentic": "authentic authenticate authenticated authenticating authentication",
		"proxy":     "proxy proxies",
		"match":     "match matches matched matching",
		"process":   "process processes processed",
		"option":    "option options",
		"fil":       "file files",
		"bus":       "bus",
		"string":    "string strings",
		"as":        "as",
		"é":         "é",
		"x86s":      "x86s",
		"statu":     "statue",
		"status":    "status",
		"axis":      "axis",
	} {
		for word := range strings.FieldsSeq(words) {
			if got := string(stem([]byte(word))); got != stemOf {
				t.Errorf("%s: got %s, want %s", word, got, stemOf)
			}
		}
	}
}
