package redact

import (
	"strings"
	"testing"
)

// The fields name and value may be on lines with the same text of a log before them, and in a string with escaped line
// ends.
func TestPairsOfFieldsInLogs(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	const v = "Zq8vT3xKm1N0pQrS"
	for _, prefix := range []string{"2026-01-02T03:04:05.678Z ", "web-1  | ", "INFO: ", "##[debug]", "[pod/x] ",
		"E       "} {
		for _, value := range []string{v, `"` + v + `"`, "'" + v + "'"} {
			text := prefix + "- name: DB_PASSWORD\n" + prefix + "  value: " + value + "\n" + prefix + "- name: X\n"
			escaped := strings.NewReplacer(`"`, `\"`, "\n", `\n`).Replace(strings.ReplaceAll(text, prefix, ""))
			escaped = `{"msg":"first line\n` + escaped + "\"}\n"
			for _, text := range []string{text, strings.ReplaceAll(text, "\n", "\r\n"), escaped} {
				for _, got := range []string{whole(red, text), inLines(red, text), byBytes(red, text)} {
					if strings.Contains(got, v) || !strings.Contains(got, "name: X") {
						t.Errorf("%q became %q", text, got)
					}
				}
			}
		}
	}
	changes(t, map[string]string{
		"web-1  | - name: DB_PASSWORD\nweb-2  |   value: hunter2 is no value": "",
		"INFO: name: token\nINFO: the value: see below":                       "",
		"INFO: - name: password\nINFO:   required: true":                      "",
	})
}
