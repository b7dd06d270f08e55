package realm

import (
	"fmt"
	"strings"
	"testing"
)

// Names in files may have invisible characters, and texts may be long. Findings then have only visible characters in
// names, and short messages.
func TestNamesAndTextsOfHostileFiles(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100_000)
	for _, odd := range []string{"../../x", "a/b", `"a\u202eb"`, `"a\e[31mb"`, `"a\nb"`, `".."`, long} {
		r := Read([]File{
			{Path: "domains/d/domain.yaml", Text: []byte("members: [" + odd + ", b]\n")},
			{Path: "domains/d/contracts/c.yaml", Text: []byte("name: " + odd + "\n")},
			{Path: "domains/d/contracts/o.yaml", Text: []byte("owner: " + odd + "\nversion: 1.0.0\n")},
			{Path: "domains/d/contracts/v.yaml", Text: []byte("version: " + odd + "\nevolution: [{version: " + odd + "}]\n")},
			{Path: "domains/d/bindings/b.yaml", Text: []byte("exports: [" + odd + "]\nimports: [" + odd + "]\n")},
			{Path: "domains/d/bindings/x.yaml", Text: []byte("repo: " + odd + "\n")}},
			Own{Repo: "b", Dir: "c", Files: []File{{Path: "c/y.yaml", Text: []byte("domain: " + odd + "\nversion: 1.0.0\n")}}})
		if len(r.Errors) != 7 {
			t.Errorf("%.20s: %d errors: %.1000v", odd, len(r.Errors), r.Errors)
		}
		names, messages := fmt.Sprint(r.Names(), r.Domains[0].Bindings), ""
		for _, f := range (Check{}).Of(r) {
			names += f.Contract + f.Repo + f.Domain
			messages += f.Message
		}
		if len(r.Domains) != 1 || len(names)+len(messages) > 10_000 || strings.ContainsAny(names, "\u202e\n\x1b") {
			t.Errorf("%.20s: %d domains, names %.100q, %d bytes", odd, len(r.Domains), names, len(messages))
		}
	}
	if v, ok := parseVersion("1.0.0-" + long); ok {
		t.Errorf("a version has %d bytes", len(v.pre[0]))
	}
}
