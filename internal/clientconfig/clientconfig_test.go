package clientconfig_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/clientconfig"
)

// A valid file gains one entry and loses nothing. A second install changes nothing.
func TestInstallAddsOneEntry(t *testing.T) {
	for _, text := range []string{
		`{}`, "{ }\n", "{\n}\n", "\ufeff{\"a\": 1}", `{"mcpServers":{}}`, `{"mcpServers": { } , "x": [ ] }`,
		"{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {}\r\n\t}\r\n}\r\n",
		`{"mcpServers":{"a":{"command":"b"},"c":{}},"mcpServer":{"blq":1}}`,
		"{\n      \"x\": {\"mcpServers\": {\"blq\": 1}}\n}",
		`{"\u006dcpServers": {"quo\"te\\": {}, "é{}[]:,": "\"mcpServers\": {"}}`,
		"{\"a\":\n1,\n\n\n\"mcpServers\":\n{\n}}",
		`{"mcpServers":{"a":{}},"z":"}"}`,
	} {
		for name, file := range clientconfig.Files {
			t.Chdir(t.TempDir())
			if name != "claude" {
				file.Path = "mcp.json"
			}
			if err := os.WriteFile(file.Path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if outcome, err := file.Install(false); err != nil || outcome != clientconfig.Added {
				t.Errorf("%q for %s: %v, %v", text, name, outcome, err)
				continue
			}
			got := read(t, file.Path)
			key := map[string]string{"vscode": "servers"}[name]
			if key == "" {
				key = "mcpServers"
			}
			servers := got[key].(map[string]any)
			if _, ok := servers["blq"]; !ok {
				t.Errorf("%q for %s: no entry in %v", text, name, got)
			}
			delete(servers, "blq")
			var want map[string]any
			if err := json.Unmarshal([]byte(trimMark(text)), &want); err != nil {
				t.Fatal(err)
			}
			if want[key] == nil {
				want[key] = map[string]any{}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q for %s, beside the entry (-before +after):\n%s", text, name, diff)
			}
			if outcome, err := file.Install(true); err != nil || outcome != clientconfig.Same {
				t.Errorf("%q for %s, again: %v, %v", text, name, outcome, err)
			}
		}
	}
}

func read(t *testing.T, path string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(trimMark(string(text))), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func trimMark(text string) string {
	if r := []rune(text); len(r) > 0 && r[0] == '\ufeff' {
		return string(r[1:])
	}
	return text
}
