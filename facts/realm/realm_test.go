package realm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/blq-ci/blq/facts/realm"
)

// base is a realm without findings.
const base = `
-- realm.yaml --
name: aperture
-- repos/blue.yaml --
name: blue
url: https://git.example.com/acme/blue
-- repos/fungal.yaml --
name: fungal
-- domains/s3-access/domain.yaml --
name: s3-access
members: [blue, fungal]
-- domains/s3-access/contracts/s3-permissions.yaml --
name: s3-permissions
version: 1.4.0
owner: blue
compatibility: {backwards: true, forwards: false}
schema:
  type: object
  required: [read, write]
  properties:
    read: {type: array, items: {type: string}}
    write: {type: array, items: {type: string}}
    level: {enum: [low, high]}
value:
  read: [a]
  write: []
evolution:
  - {version: 1.0.0, changes: Initial release, compatible: true}
  - {version: 1.4.0, changes: [more]}
-- domains/s3-access/bindings/blue.yaml --
repo: blue
role: provider
exports:
  - contract: s3-permissions
    source_files: [models/permissions.py]
-- domains/s3-access/bindings/fungal.yaml --
repo: fungal
role: consumer
imports:
  - contract: s3-permissions
    version: ">=1.0.0, <2.0.0"
    binding: src/permissions.rs
    resolved_version: 1.4.0
`

// edited returns the files of the base after replacements. The edits are pairs of an old and a new text. A pair that
// begins with "+" adds files.
func edited(t *testing.T, edits ...string) []realm.File {
	t.Helper()
	text := base
	for i := 0; i+1 < len(edits); i += 2 {
		if edits[i] == "+" {
			text += edits[i+1] + "\n"
			continue
		}
		if !strings.Contains(text, edits[i]) {
			t.Fatalf("%q is not in the base", edits[i])
		}
		text = strings.Replace(text, edits[i], edits[i+1], 1)
	}
	var files []realm.File
	for _, f := range txtar.Parse([]byte(text)).Files {
		files = append(files, realm.File{Path: f.Name, Text: f.Data})
	}
	return files
}

// lines returns findings as lines.
func lines(found []realm.Finding) string {
	var out []string
	for _, f := range found {
		out = append(out, fmt.Sprintf("%s %s %s:%d %s", f.Severity, f.Kind, f.Place.File, f.Place.Line, f.Message))
	}
	return strings.Join(out, "\n")
}

const (
	contractFile = "domains/s3-access/contracts/s3-permissions.yaml"
	fungalFile   = "domains/s3-access/bindings/fungal.yaml"
	blueFile     = "domains/s3-access/bindings/blue.yaml"
)

func TestChecks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		edits []string
		want  string
	}{
		{"nothing is wrong", nil, ""},
		{"version", []string{"version: 1.4.0\nowner", "version: v1.4\nowner"},
			"error ContractInvalid " + contractFile +
				":2 Contract 's3-permissions' has invalid version 'v1.4': a version is written as 1.2.3"},
		{"evolution", []string{"- {version: 1.0.0", "- {version: one"},
			"error ContractInvalid " + contractFile +
				":16 Contract 's3-permissions' has invalid version 'one' in its evolution"},
		{"evolution behind", []string{"version: 1.4.0\nowner", "version: 1.5.0\nowner"},
			"warning EvolutionBehind " + contractFile +
				":2 Contract 's3-permissions' is at v1.5.0, but its evolution ends at v1.4.0\n" +
				"warning Outdated " + fungalFile +
				":5 Binding 'fungal' uses v1.4.0 of 's3-permissions'; v1.5.0 fulfils its requirement '>=1.0.0, <2.0.0'"},
		{"missing contract", []string{"imports:\n  - contract: s3-permissions", "imports:\n  - contract: s3-permission"},
			"error BindingBroken " + fungalFile +
				":5 Binding 'fungal' imports contract 's3-permission', which domain 's3-access' does not have\n" +
				"warning UnusedContract " + contractFile + ":1 No repository imports contract 's3-permissions'"},
		{"export of a missing contract", []string{"exports:\n  - contract: s3-permissions", "exports:\n  - contract: gone"},
			"error BindingBroken " + blueFile +
				":4 Binding 'blue' exports contract 'gone', which domain 's3-access' does not have"},
		{"export by another", []string{"owner: blue", "owner: fungal"},
			"error OwnershipViolation " + blueFile +
				":4 Binding 'blue' exports contract 's3-permissions', which belongs to 'fungal'"},
		{"version mismatch", []string{">=1.0.0, <2.0.0", ">=2.0.0"},
			"error VersionMismatch " + fungalFile + ":5 Binding 'fungal' requires '>=2.0.0' but contract is at v1.4.0"},
		{"range", []string{">=1.0.0, <2.0.0", "newest"},
			"warning VersionMismatch " + fungalFile +
				`:5 Binding 'fungal' has a requirement of 's3-permissions' that cannot be read: "newest" is not a range of versions, such as >=1.0.0, <2.0.0`},
		{"broken", []string{"    resolved_version", "    status: broken\n    resolved_version"},
			"error ImportUnsatisfied " + fungalFile + ":5 Binding 'fungal' marks its import of 's3-permissions' as broken"},
		{"deprecated", []string{"owner: blue", "owner: blue\ndeprecated: {since: 1.3.0, replaced_by: s3-grants}"},
			"warning DeprecatedPattern " + fungalFile +
				":5 Binding 'fungal' imports contract 's3-permissions', which is deprecated since v1.3.0; use 's3-grants'"},
		{"syntax", []string{"owner: blue", "owner: [blue"},
			"error ContractInvalid " + contractFile + ":2 " + contractFile +
				" cannot be read: did not find expected ',' or ']'"},
		{"type", []string{"level: {enum: [low, high]}", "level: {type: text}"},
			"error ContractInvalid " + contractFile +
				":5 Schema of contract 's3-permissions' is invalid: type \"text\" is not one of null, boolean, object, array, " +
				"number, string, integer"},
		{"reference to a file", []string{"level: {enum: [low, high]}", "level: {$ref: 'file:///etc/passwd'}"},
			"error ContractInvalid " + contractFile +
				":5 Schema of contract 's3-permissions' is invalid: $ref \"file:///etc/passwd\" is outside of the contract, " +
				"and is not followed"},
		{"name with a path", []string{"name: s3-permissions", "name: ../../x"},
			"error ContractInvalid " + contractFile +
				":1 \"../../x\" cannot name a contract: write it without slashes and invisible characters"},
		{"repository with a path", []string{"+", "-- repos/blue.yaml --\nname: ../../x"},
			"error ContractInvalid repos/blue.yaml:1 \"../../x\" cannot name a repository: write letters, digits and ._-"},
		{"reference to itself", []string{"level: {enum: [low, high]}", "read: {$ref: '#/properties/read'}",
			"    read: {type: array, items: {type: string}}\n", ""},
			"error ContractInvalid " + contractFile +
				":5 Schema of contract 's3-permissions' is invalid: it refers to itself without end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			found := realm.Check{Repo: "fungal"}.Of(realm.Read(edited(t, c.edits...)))
			if got := lines(found); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

func TestAValueThatDoesNotFit(t *testing.T) {
	t.Parallel()
	found := realm.Check{}.Of(realm.Read(edited(t, "  read: [a]", "  read: a")))
	if len(found) != 1 || found[0].Kind != realm.ValueInvalid || found[0].Place.Line != 12 ||
		!strings.HasPrefix(found[0].Message, "Value of contract 's3-permissions' does not fit its schema: ") {
		t.Error(lines(found))
	}
}

func TestChangesAgainstTheBaseline(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		edits []string
		want  string
	}{
		{"order and space are no change",
			[]string{"    read: {type: array, items: {type: string}}\n", "", "    level: {enum: [low, high]}\n",
				"    level: {enum: [low, high]}\n    read:\n      items:\n        type: string\n      type: array\n"}, ""},
		{"added without a new version",
			[]string{"level: {enum: [low, high]}", "level: {enum: [low, high]}\n    more: {type: string}"},
			"warning SchemaChangedWithoutBump " + contractFile +
				":5 Schema changed without version bump: contract 's3-permissions' is still at v1.4.0"},
		{"removed with a new minor version",
			[]string{"    level: {enum: [low, high]}\n", "", "version: 1.4.0\nowner", "version: 1.5.0\nowner",
				"- {version: 1.4.0", "- {version: 1.5.0", "resolved_version: 1.4.0", "resolved_version: 1.5.0"},
			"error BreakingWithoutMajor " + contractFile +
				":5 Contract 's3-permissions' breaks consumers without a new major version (v1.4.0 to v1.5.0): 'level' was " +
				"removed"},
		{"a warning if that is not promised", []string{"backwards: true", "backwards: false",
			"    level: {enum: [low, high]}\n", "", "version: 1.4.0\nowner", "version: 1.5.0\nowner",
			"- {version: 1.4.0", "- {version: 1.5.0", "resolved_version: 1.4.0", "resolved_version: 1.5.0"},
			"warning BreakingWithoutMajor " + contractFile +
				":5 Contract 's3-permissions' breaks consumers without a new major version (v1.4.0 to v1.5.0): 'level' was " +
				"removed"},
		{"removed with a new major version",
			[]string{"    level: {enum: [low, high]}\n", "", "version: 1.4.0\nowner", "version: 2.0.0\nowner",
				"- {version: 1.4.0", "- {version: 2.0.0", ">=1.0.0, <2.0.0", ">=2.0.0", "resolved_version: 1.4.0",
				"resolved_version: 2.0.0"}, ""},
		{"back", []string{"version: 1.4.0\nowner", "version: 1.3.0\nowner", "- {version: 1.4.0", "- {version: 1.3.0"},
			"error VersionRegressed " + contractFile +
				":2 Version of contract 's3-permissions' went back from v1.4.0 to v1.3.0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			check := realm.Check{Baseline: realm.Read(edited(t))}
			if got := lines(check.Of(realm.Read(edited(t, c.edits...)))); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

func TestFilesOfABindingAreMissed(t *testing.T) {
	t.Parallel()
	check := realm.Check{Repo: "fungal", Exists: func(string) bool { return false }}
	want := "warning DeprecatedPattern " + fungalFile +
		":5 Binding 'fungal' uses contract 's3-permissions' in src/permissions.rs, which does not exist"
	if got := lines(check.Of(realm.Read(edited(t)))); got != want {
		t.Error(got)
	}
	check.Repo = "blue" // the files of other repositories are not here
	if got := lines(check.Of(realm.Read(edited(t)))); got != "" {
		t.Error(got)
	}
}

func TestCycles(t *testing.T) {
	t.Parallel()
	text := "-- domains/a/contracts/x.yaml --\nversion: 1.0.0\nowner: one\n-- domains/a/bindings/two.yaml " +
		"--\nimports: [x]\n" +
		"-- domains/b/contracts/y.yaml --\nversion: 1.0.0\nowner: two\n-- domains/b/bindings/three.yaml --\nimports: [y]\n" +
		"-- domains/c/contracts/z.yaml --\nversion: 1.0.0\nowner: three\n-- domains/c/bindings/one.yaml --\nimports: [z]\n"
	r := realm.Read(edited(t, "+", text))
	want := "error CycleDetected domains/b/bindings/three.yaml:1 Dependency cycle: two → three → one → two (domains: " +
		"a, b, c)"
	if got := lines(realm.Check{Repo: "two"}.Of(r)); got != want {
		t.Error(got)
	}
	if got := lines(realm.Check{Repo: "fungal"}.Of(r)); got != "" {
		t.Error("the cycle of others", got)
	}
}

func TestContractsOfMembers(t *testing.T) {
	t.Parallel()
	own := func(repo, name, text string) realm.Own {
		return realm.Own{Repo: repo, Dir: ".blue/contracts",
			Files: []realm.File{{Path: ".blue/contracts/" + name, Text: []byte(text)}}}
	}
	r := realm.Read(edited(t), own("blue", "s3-access/contracts/s3-permissions.yaml", "version: 1.6.0\n"))
	if c := r.Domain("s3-access").Contract("s3-permissions"); c.Version != "1.6.0" || c.Place.In != "blue" ||
		len(r.Errors) > 0 {
		t.Error("the owner's own file does not count", c.Version, lines(r.Errors))
	}
	for name, o := range map[string]realm.Own{
		"takes over": own("fungal", "s3-access/s3-permissions.yaml", "version: 9.0.0\nowner: fungal\n"),
		"for others": own("fungal", "s3-access/s3-permissions.yaml", "version: 9.0.0\nowner: blue\n"),
		"new":        own("fungal", "other.yaml", "domain: s3-access\nversion: 9.0.0\nowner: blue\n"),
	} {
		r := realm.Read(edited(t), o)
		if c := r.Domain("s3-access").Contract("s3-permissions"); c.Version != "1.4.0" || len(r.Errors) != 1 ||
			r.Errors[0].Kind != realm.OwnershipViolation || r.Errors[0].Place.In != "fungal" {
			t.Error(name, c.Version, lines(r.Errors))
		}
		for _, repo := range []string{"", "blue", "fungal"} {
			found := realm.Check{Repo: repo}.Of(r)
			if f := found[0]; f.Kind != realm.OwnershipViolation || f.Domain != "s3-access" || f.Repo != "fungal" ||
				name != "new" && f.Contract != "s3-permissions" || name == "new" && f.Contract != "other" {
				t.Errorf("%s, checked for %q: %+v", name, repo, f)
			}
		}
		if found := (realm.Check{Repo: "elsewhere"}).Of(r); len(found) > 0 {
			t.Errorf("%s: a repository outside of the domain is told: %s", name, lines(found))
		}
	}
	both := []realm.Own{own("blue", "s3-access/new.yaml", "version: 1.0.0\n"),
		own("azure", "s3-access/new.yaml", "version: 9.0.0\nowner: azure\n")}
	for _, files := range [][]realm.File{
		edited(t), // azure is no member of the domain
		edited(t, "members: [blue, fungal]", "members: [azure, blue]", "exports:\n", "exports:\n  - contract: new\n"),
	} {
		r := realm.Read(files, both...)
		slices.Reverse(both)
		again := realm.Read(files, both...)
		for _, r := range []*realm.Realm{r, again} {
			if c := r.Domain("s3-access").Contract("new"); c.Owner != "blue" || len(r.Errors) != 1 ||
				r.Errors[0].Kind != realm.OwnershipViolation || r.Errors[0].Place.In != "azure" {
				t.Error("the owner depends on who asks", c.Owner, lines(r.Errors))
			}
		}
	}
	r = realm.Read(edited(t), own("fungal", "other.yaml", "domain: s3-access\nversion: 0.1.0\n"))
	if c := r.Domain("s3-access").Contract("other"); c == nil || c.Owner != "fungal" {
		t.Error("a new contract of a member", lines(r.Errors))
	}
}

func TestSchemasThatCostTooMuch(t *testing.T) {
	t.Parallel()
	var doubling strings.Builder
	doubling.WriteString("schema:\n  $ref: '#/$defs/a0'\n  $defs:\n")
	for i := range 40 {
		fmt.Fprintf(&doubling, "    a%d: {allOf: [{$ref: '#/$defs/a%d'}, {$ref: '#/$defs/a%d'}]}\n", i, i+1, i+1)
	}
	doubling.WriteString("    a40: {}\nvalue: {}\n")
	for name, text := range map[string]string{
		"doubling": doubling.String(),
		"recursive": "schema:\n  properties: {a: {allOf: [{$ref: '#'}, {$ref: '#'}]}}\nvalue: " + strings.Repeat("{a: ", 60) +
			"1" + strings.Repeat("}", 60) + "\n",
	} {
		files := []realm.File{{Path: "domains/d/contracts/c.yaml", Text: []byte("version: 1.0.0\nowner: x\n" + text)}}
		found := realm.Check{}.Of(realm.Read(files))
		if len(found) == 0 || found[0].Kind != realm.SchemaUnchecked ||
			!strings.Contains(found[0].Message, "it would take too long") {
			t.Error(name, lines(found))
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	var files []realm.File
	for d := range 10 {
		for c := range 20 {
			files = append(files, realm.File{Path: fmt.Sprintf("domains/d%d/contracts/c%d.yaml", d, c), Text: []byte(
				fmt.Sprintf("version: 1.4.0\nowner: r0\nschema: {type: object, properties: {a%d: {type: string}, b: {"+
					"type: array, items: {enum: [x, y]}}}}\nvalue: {a%d: x}\n", d*20+c, c))})
		}
		for r := range 20 {
			text := "imports:\n"
			for i := range 5 {
				text += fmt.Sprintf("  - {contract: c%d, version: '>=1.0.0, <2.0.0'}\n", (r+i)%20)
			}
			files = append(files, realm.File{Path: fmt.Sprintf("domains/d%d/bindings/r%d.yaml", d, r+1), Text: []byte(text)})
		}
	}
	for b.Loop() { // like a question: it reads files for the members, the realm and the baseline
		for i := range files {
			files[i] = realm.Keep(files[i].Path, files[i].Text)
		}
		realm.Read(files)
		if found := (realm.Check{Baseline: realm.Read(files)}).Of(realm.Read(files)); len(found) > 0 {
			b.Fatal(lines(found))
		}
	}
}
