package yamlfile_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/yamlfile"
)

func TestValuesAsJSON(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"nothing": {"", "null"},
		"scalars": {"[1, 0x10, 1.50, true, no, ~, 'x', 2026-01-24, 1e3, 9007199254740993]",
			`[1,16,1.5,true,"no",null,"x","2026-01-24",1000,9007199254740993]`},
		"order":    {"b: 1\na: {d: 2, c: 3}\n", `{"b":1,"a":{"d":2,"c":3}}`},
		"alias":    {"a: &x {n: 1}\nb: *x\n", `{"a":{"n":1},"b":{"n":1}}`},
		"merge":    {"a: &x {n: 1, m: 2}\nb: {<<: *x, n: 3}\n", `{"a":{"n":1,"m":2},"b":{"m":2,"n":3}}`},
		"block":    {"a: |\n  one\n  two\n", `{"a":"one\ntwo\n"}`},
		"keys":     {"1: a\ntrue: b\n", `{"1":"a","true":"b"}`},
		"markup":   {"a: '<b>&'\n", `{"a":"\u003cb\u003e\u0026"}`},
		"unquoted": {"version: 1.10.0\n", `{"version":"1.10.0"}`},
		// JSON in a file of YAML
		"slash": {`{"a\/b": "c\/d", "e": "\\/"}`, `{"a/b":"c/d","e":"\\/"}`},
		"pair": {"a: 'it \"\\/\"'\n# isn\"t\nb: [\"\\ud83d\\uDE00\",\"\\\\ud83d\"]\nc: x \"\\/\"\n",
			`{"a":"it \"\\/\"","b":["😀","\\ud83d"],"c":"x \"\\/\""}`},
	} {
		v, err := yamlfile.Parse([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := v.JSON()
		if err != nil || string(got) != c.want || !json.Valid(got) {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
}

func TestHostileFilesAreRefusedWithALine(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		p := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+p+",", 10), ",") + "]\n"
	}
	for name, c := range map[string]struct {
		text, want string
		line       int
	}{
		"syntax":      {"a: 1\nb: [\n", "did not find expected node content", 2},
		"bomb":        {bomb, "more than 200000 values", 2},
		"long bomb":   {"a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a,", 20) + "]\n", "bytes", 1},
		"cycle":       {"a: &a\n  b: *a\n", "contains it", 2},
		"deep":        {strings.Repeat("[", 200) + strings.Repeat("]", 200), "nested more than 100", 1},
		"twice":       {"a: 1\na: 2\n", `"a" is there twice`, 2},
		"documents":   {"a: 1\n---\nb: 2\n", "second document", 2},
		"large":       {strings.Repeat("#", 2<<20+1), "at most", 0},
		"mapping key": {"{a: 1}: b\n", "not a text", 1},
		"bytes":       {"a: \xff\xfe\n", "", 0},
		"lone":        {"a: \"\\/\"\nb: \"\\ud800x\"\n", "invalid Unicode character", 2},
		"reversed":    {"a: 1\nb: \"\\ude00\\ud83d\"\n", "invalid Unicode character", 2},
	} {
		_, err := yamlfile.Parse([]byte(c.text))
		var e *yamlfile.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, c.want) || c.want != "" && e.Line != c.line {
			t.Errorf("%s: %v", name, err)
		}
	}
	for text, want := range map[string]string{
		"a:\n  b: .inf\n":           "line 2: JSON has no number .inf",
		"a:\n  b: 1e400\n":          "line 2: JSON has no number as large as 1e400",
		"a:\n  b: [-1.5e+999, 1]\n": "line 2: JSON has no number as large as -1.5e+999",
	} {
		v, err := yamlfile.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.JSON(); err == nil || err.Error() != want {
			t.Error(err)
		}
	}
}

func TestLinesAndKinds(t *testing.T) {
	t.Parallel()
	v, err := yamlfile.Parse([]byte("name: x\nlist:\n  - one\n  - two\nsingle: three\nyes: true\nnull_: null\n"))
	if err != nil {
		t.Fatal(err)
	}
	list := v.Get("list")
	if list.Line() != 3 || v.LineOf("list") != 2 || v.LineOf("missing") != 1 || list.List()[1].Line() != 4 {
		t.Error("lines", list.Line(), v.LineOf("list"), v.LineOf("missing"))
	}
	if got := strings.Join(append(list.Texts(), v.Get("single").Texts()...), " "); got != "one two three" {
		t.Error(got)
	}
	if !v.Get("yes").Bool(false) || !v.Get("name").Bool(true) || v.Get("name").Bool(false) {
		t.Error("truth values")
	}
	if !v.Get("null_").IsZero() || v.Get("null_").Text() != "" || v.Get("list").Text() != "" ||
		v.Get("name").Get("x").Line() != 0 {
		t.Error("values that are none")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("a: &x [1]\nb: {<<: {c: *x}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := yamlfile.Parse([]byte(text))
		if err != nil {
			return
		}
		if out, err := v.JSON(); err == nil && !json.Valid(out) {
			t.Errorf("%q is not JSON", out)
		}
	})
}
