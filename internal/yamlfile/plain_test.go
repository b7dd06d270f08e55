package yamlfile

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestPlainFilesAreReadAsByTheLibrary reads files without the library, and compares the values with the library's.
func TestPlainFilesAreReadAsByTheLibrary(t *testing.T) {
	t.Parallel()
	for _, text := range plainFiles {
		if Plain([]byte(text)) == nil {
			t.Errorf("not read as plain YAML: %q", text)
		}
		sameAsLibrary(t, text)
	}
	for _, text := range otherFiles {
		sameAsLibrary(t, text)
	}
	// Also compare each file with one line removed or indented, with one byte removed, and with odd text inserted at
	// each position.
	for _, text := range plainFiles {
		lines := strings.SplitAfter(text, "\n")
		for i := range lines {
			sameAsLibrary(t, strings.Join(lines[:i], "")+strings.Join(lines[i+1:], ""))
			sameAsLibrary(t, strings.Join(lines[:i], "")+"  "+strings.Join(lines[i:], ""))
		}
		for i := range text {
			sameAsLibrary(t, text[:i]+text[i+1:])
			for _, odd := range []string{" ", "\n", ":", ": ", "#", " #", "-", "- ", "'", `"`, ",", "{", "]", "?", "~", "&a "} {
				sameAsLibrary(t, text[:i]+odd+text[i:])
			}
		}
	}
}

var plainFiles = []string{
	"name: orders\nversion: 1.4.0\nowner: blue\ncompatibility: {backwards: true, forwards: no}\n",
	"# A contract.\n---\nname: 'orders'\n\nschema:\n  type: object\n  required: [id, \"a b\"]  # both\n" +
		"  properties:\n    id: {type: string, enum: [x, y z, 1, 1.5, ~, null, 2026-01-24]}\n    $ref: \"#/a\"\n",
	"imports:\n- contract: s3\n  version: '>=1.0.0, <2.0.0'\n  status:\n- contract: b\n  version: ^1.2\n",
	"imports:\n  - contract: s3\n    files:\n    - a/b.go\n    - c.go # why\n  -\n    x: 1\n  - - 1\n    - -2\n  - {}\n  - []\n",
	"a:\n  b:\n    c: d e f\n  0x10: 017\n  yes: on\ni: 12345678901234567890\nj: [.5, -.inf, +1, 1e3, 1_000]\nurl: http://a.b/c#d\n",
	"- a\n- b: 1\n  c: 2\n-\n- d:\n  - e\n  -   f: g\n      h: i\n",
}

var otherFiles = []string{
	"", "a", "[]", "{}", "a: 1\n---\nb: 2\n", "a: 1\n...\n", "%YAML 1.2\n---\na: 1\n", " a: 1\n", "a: |\n  b\n", "a: b\n  c\n",
	"a: [b,\n c]\n", "{a: 1}: b\n", "? a\n: b\n", "a: &x 1\nb: *x\n", "<<: {a: 1}\n", "a: !!str 1\n", "a:\tb\n", "a: b\r\n",
	"a: \"\\n\"\n", "a: 'it''s'\n", "a: {b:1}\n", "a: {b}\n", "a: {b: }\n", "a: [b: c]\n", "a: [b,]\n", "a: [,]\n", "a:\n b: 1\n  c: 2\n",
	"a: \u00e9\n", "- a\nb: c\n", "a: -\n", "a: - b\n", "--- a: b\n", "a: b: c\n", "a: b:\n", "a #b: c\n", "a: 'b' c\n", "a: [b] c\n",
	"a: @b\n", "a: `b`\n", "a: %b\n", "-a: b\n", "a:\n- b\n c: d\n", "a: # c\n  b: d\n", "- # c\n  b: d\n", "a: 'b'#c\n",
	"---\n---\na: 1\n", strings.Repeat("a", 1100) + ": b\n", "a: " + strings.Repeat("[", 150) + strings.Repeat("]", 150) + "\n",
}

// sameAsLibrary checks that a file which is read as plain YAML has the values that the library finds in it.
func sameAsLibrary(t *testing.T, text string) {
	t.Helper()
	got := Plain([]byte(text))
	if got == nil {
		return
	}
	want, err := decode([]byte(text))
	if err != nil || want == nil {
		t.Errorf("the library does not read %q: %v", text, err)
	} else if a, b := shown(got), shown(want.Content[0]); a != b {
		t.Errorf("%q\ngot:\n%s\nwant:\n%s", text, a, b)
	}
}

func shown(n *yaml.Node) string {
	var b strings.Builder
	var show func(n *yaml.Node, depth int)
	show = func(n *yaml.Node, depth int) {
		fmt.Fprintf(&b, "%*d %d %s %q %v\n", 2*depth, n.Line, n.Kind, n.ShortTag(), n.Value, n.Style&^yaml.FlowStyle)
		for _, c := range n.Content {
			show(c, depth+1)
		}
	}
	show(n, 0)
	return b.String()
}

func FuzzPlain(f *testing.F) {
	for _, text := range append(plainFiles, otherFiles...) {
		f.Add(text)
	}
	f.Fuzz(sameAsLibrary)
}
