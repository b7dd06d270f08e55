package realm_test

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts/realm"
)

// Errors in files of visible members are reported, even if a path or an error contains the name of a hidden member.
// Errors in files of hidden members are not reported.
func TestHidingNamesHidesNoErrorsOfOthers(t *testing.T) {
	t.Parallel()
	broken := edited(t, "+", "-- repos/e.yaml --\nurl: [\n-- domains/s3-access/bindings/e.yaml --\n- [\n"+
		"-- domains/s3-access/contracts/read.yaml --\n- [\n-- domains/s3-access/contracts/twice.yaml --\n"+
		"name: s3-permissions\nversion: 1.0.0\nowner: e\n")
	own := []realm.Own{
		{Repo: "blue", Dir: ".blue/contracts", Files: []realm.File{
			{Path: ".blue/contracts/s3-access/mine.yaml", Text: []byte("version: 1.0.0\nowner: e\n")}}},
		{Repo: "e", Dir: ".blue/contracts", Files: []realm.File{
			{Path: ".blue/contracts/s3-access/secret.yaml", Text: []byte("- [")}}},
	}
	r := realm.Read(broken, own...)
	all := lines(r.Errors)
	for _, file := range []string{"repos/e.yaml", "bindings/e.yaml", "secret.yaml", "which belongs to 'e'"} {
		if !strings.Contains(all, file) {
			t.Fatalf("%s is not told: %s", file, all)
		}
	}
	if hidden := r.Hide([]string{"e"}); len(hidden) != 1 || hidden[0] != "hidden-1" {
		t.Errorf("%q", hidden)
	}
	got := lines(r.Errors)
	for _, want := range []string{"contracts/read.yaml", "'blue' declares contract 'mine', which belongs to 'hidden-1'",
		"contract 's3-permissions' is declared twice"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not told any more:\n%s", want, got)
		}
	}
	for _, word := range []string{"/e.yaml", "secret", "'e'"} {
		if strings.Contains(got, word) {
			t.Errorf("%s is told:\n%s", word, got)
		}
	}
}

// A contract's file cannot be read. A caller that sees the file learns that the file cannot be read. For a caller that
// must not see the file, the contract does not exist, so an import of the contract is broken.
func TestAnImportOfAHiddenFileThatCannotBeReadIsBroken(t *testing.T) {
	t.Parallel()
	own := realm.Own{Repo: "e", Dir: ".blue/contracts", Files: []realm.File{
		{Path: ".blue/contracts/s3-access/secret.yaml", Text: []byte("- [")}}}
	files := edited(t, "imports:\n", "imports:\n  - {contract: secret}\n")
	check := realm.Check{Repo: "fungal"}
	if got := lines(check.Of(realm.Read(files, own))); strings.Contains(got, "BindingBroken") ||
		!strings.Contains(got, "secret.yaml cannot be read") {
		t.Errorf("who sees the file: %s", got)
	}
	r := realm.Read(files, own)
	r.Hide([]string{"e"})
	want := "imports contract 'secret', which domain 's3-access' does not have"
	if got := lines(check.Of(r)); !strings.Contains(got, want) || strings.Contains(got, "cannot be read") {
		t.Errorf("who does not: %s", got)
	}
}

// A caller that sees only the domains of a member learns nothing about other members: no files, no names, no number
// of members.
func TestWithinADomainNothingIsSaidOfOthers(t *testing.T) {
	t.Parallel()
	r := realm.Read(edited(t, "+", "-- repos/far.yaml --\nname: far\n-- repos/lost.yaml --\n[\n"+
		"-- domains/far/domain.yaml --\nmembers: [far]\n-- domains/far/contracts/x.yaml --\n- [\n"+
		"-- domains/s3-access/contracts/y.yaml --\n- [\n"), realm.Own{Repo: "far", Dir: ".blue/contracts",
		Files: []realm.File{{Path: ".blue/contracts/far/z.yaml", Text: []byte("- [")}}})
	r.Within("fungal")
	if got := lines(r.Errors); strings.Contains(got, "far") || strings.Contains(got, "lost") ||
		!strings.Contains(got, "s3-access/contracts/y.yaml") {
		t.Error(got)
	}
	if len(r.Domains) != 1 || len(r.Repos) != 2 {
		t.Errorf("%d domains, %d members", len(r.Domains), len(r.Repos))
	}
}

// If the earlier schema cannot be read, a finding says that the new schema was not compared. If the new schema cannot
// be read, one finding says so.
func TestAnUnreadableBaselineIsSaid(t *testing.T) {
	t.Parallel()
	proto := func(text, version string) []realm.File {
		return edited(t, "+", "-- domains/s3-access/contracts/p.yaml --\nversion: "+version+
			"\nowner: blue\nformat: protobuf\nschema: '"+text+"'\n")
	}
	check := realm.Check{Baseline: realm.Read(proto("message M {", "1.0.0"))}
	got := lines(check.Of(realm.Read(proto("message M {}", "1.1.0"))))
	if !strings.Contains(got, "warning SchemaUnchecked") ||
		!strings.Contains(got, "Contract 'p' was not compared with v1.0.0: the earlier schema cannot be read") {
		t.Error(got)
	}
	check.Baseline = realm.Read(proto("message M {}", "1.0.0"))
	if got := lines(check.Of(realm.Read(proto("message M {", "1.1.0")))); strings.Count(got, "contract 'p'") != 2 {
		t.Errorf("besides that nobody imports it one finding says that it is invalid: %s", got)
	}
}
