package realms_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
)

// past returns the versions in an answer about azure's contract, one on each line, with commit and breaking changes.
func (f fixture) past(at string, n int, repos ...string) string {
	f.Helper()
	r, err := f.asker(repos...).ContractGet(f.Context(), query.ContractGetParams{
		RealmAt: query.RealmAt{Repo: repos[0]}, Domain: "s3", Contract: "permissions", At: at, Versions: n})
	f.ok(err)
	var lines []string
	for _, v := range r.Versions {
		breaking := "?"
		if v.Breaking != nil {
			breaking = fmt.Sprint(*v.Breaking)
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %.2s %s %s %s", v.Version, v.Commit, v.In, breaking,
			strings.Join(v.Breaks, ","))))
		if len(v.SchemaHash) != 64 {
			f.Errorf("%s has the hash %q", v.Version, v.SchemaHash)
		}
	}
	if r.More {
		lines = append(lines, "more")
	}
	if r.Unknown != "" {
		lines = append(lines, r.Unknown)
	}
	return strings.Join(lines, "\n")
}

// The commits of versions are found across commits without facts, other files, and a move to the owner's repository.
func TestVersionsOverCommits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.realm()
	own := func(file, version, schema string) files {
		return files{".blue/config.yaml": config("azure"), "contracts/other.yaml": "a: " + version + schema,
			".blue/contracts/s3/" + file + ".yaml": "name: permissions\nversion: " + version + "\nschema: " + schema + "\n"}
	}
	const wide, narrow = "{properties: {a: {type: string}, b: {type: string}}}", "{properties: {a: {type: string}}}"
	f.push("acme/azure", 20, own("permissions", "1.5.0", wide), "main", 10)
	commented := own("permissions", "1.5.0", wide)
	commented[".blue/contracts/s3/permissions.yaml"] += "# a comment\n"
	f.push("acme/azure", 21, commented, "main", 20, 10)
	f.push("acme/azure", 23, own("moved", "1.5.0", wide), "main", 22, 21, 20, 10) // commit 22 has sent no facts
	f.push("acme/azure", 24, own("moved", "1.5.1", narrow), "main", 23, 22, 21, 20, 10)
	f.push("acme/azure", 25, own("moved", "2.0.0", wide), "main", 24, 23, 22, 21, 20, 10)
	f.push("acme/azure", 40, own("moved", "1.6.0", wide), "topic", 23, 22, 21, 20, 10)
	const first = "1.5.0 14 azure true 'level' was removed\n1.4.0 01  ?"
	for _, tt := range []struct {
		at   string
		n    int
		want string
	}{
		{"", 0, "2.0.0 19 azure true\n1.5.1 18 azure true 'b' was removed\n" + first},
		{"topic", 0, "1.6.0 28 azure false\n" + first},
		{hash(21), 0, first},
		{"", 2, "2.0.0 19 azure true\n1.5.1 18 azure true 'b' was removed\nmore"},
		{"", 1, "2.0.0 19 azure true\nmore"},
	} {
		if got := f.past(tt.at, tt.n, "acme/azure", "acme/realm-aperture"); got != tt.want {
			t.Errorf("%q, %d:\n%s\nwant\n%s", tt.at, tt.n, got, tt.want)
		}
	}
	if got := f.past("", 0, "acme/azure"); !strings.HasSuffix(got, "the repository with its file may not be seen") ||
		!strings.HasPrefix(got, "2.0.0 19 azure true\n") {
		t.Errorf("who may not see the realm's repository: %s", got)
	}
	const hidden = "2.0.0  hidden-1 ?\nthe repository with its file may not be seen"
	if got := f.past("", 0, "acme/fungal"); got != hidden {
		t.Errorf("who may not see the owner: %q", got)
	}
	if got := f.past("", 0, "acme/fungal", "acme/azure", "acme/realm-aperture"); !strings.HasPrefix(got, "2.0.0 19 azure") {
		t.Errorf("a consumer who may see all: %s", got)
	}
}
