package realm_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts/realm"
)

// ofFile returns the base realm with a contract in a file of its owner.
func ofFile(t *testing.T, format, file, text, version string, more ...realm.File) *realm.Realm {
	t.Helper()
	shared := edited(t, "+", "-- domains/s3-access/contracts/api.yaml --\nname: api\nversion: "+version+
		"\nowner: blue\n"+format+"schema_file: "+file+
		"\n-- domains/s3-access/bindings/other.yaml --\nrepo: other\nimports: [{contract: api}]")
	own := append([]realm.File{{Path: file, Text: []byte(text)}}, more...)
	return realm.Read(shared, realm.Own{Repo: "blue", Dir: ".blue/contracts", Files: own})
}

// each returns each finding as a line.
func each(found []realm.Finding) []string { return strings.Split(lines(found), "\n") }

func TestContractsInOtherFormats(t *testing.T) {
	t.Parallel()
	const api = "openapi: 3.0.0\npaths:\n  /a:\n    get: {responses: {200: {description: ok}}}\n"
	for _, c := range []struct{ name, format, file, before, after, version, want string }{
		{"equal", "", "api/openapi.yaml", api, "# more\n" + api, "1.0.0", ""},
		{"broken", "", "api/openapi.yaml", api, strings.Replace(api, "get:", "put:", 1), "1.0.1",
			"error BreakingWithoutMajor domains/s3-access/contracts/api.yaml:4 Contract 'api' breaks consumers without a new " +
				"major version (v1.0.0 to v1.0.1): GET /a was removed"},
		{"with a new major version", "", "api/openapi.yaml", api, strings.Replace(api, "get:", "put:", 1), "2.0.0", ""},
		{"added without a version", "", "api/openapi.yaml", api, api + "  /b: {}\n", "1.0.0",
			"warning SchemaChangedWithoutBump domains/s3-access/contracts/api.yaml:4 Schema changed without version bump: " +
				"contract 'api' is still at v1.0.0"},
		{"a name that does not say it", "format: openapi\n", "doc.yaml", api,
			strings.Replace(api, "get:", "put:", 1), "1.1.0",
			"error BreakingWithoutMajor domains/s3-access/contracts/api.yaml:5"},
		{"protobuf", "", "a.proto", "message A { int32 a = 1; }", "message A { }", "1.1.0",
			"error BreakingWithoutMajor domains/s3-access/contracts/api.yaml:4"},
		{"only a comment", "", "a.proto", "message A { int32 a = 1; }", "message A { int32 a = 1; } // b", "1.0.0", ""},
		{"a name on the wire", "compatibility: {rules: wire}\n", "a.proto", "message A { int32 a = 1; }",
			"message A { int32 b = 1; }", "1.1.0", "warning DangerousChange domains/s3-access/contracts/api.yaml:5"},
		{"graphql", "", "s.graphqls", "type A { a: Int }", "type A { b: Int }", "1.1.0", "error BreakingWithoutMajor"},
		{"surprise", "", "s.graphql", "enum A { B }", "enum A { B C }", "1.1.0",
			"warning DangerousChange domains/s3-access/contracts/api.yaml:4 Contract 'api' may surprise consumers"},
		{"JSON Schema in a file", "", "a.schema.json", `{"properties":{"a":{}}}`, `{"properties":{}}`, "1.1.0",
			"error BreakingWithoutMajor"},
	} {
		before := ofFile(t, c.format, c.file, c.before, "1.0.0")
		after := ofFile(t, c.format, c.file, c.after, c.version)
		var got []string
		for _, line := range each(realm.Check{Repo: "blue", Baseline: before}.Of(after)) {
			if !strings.Contains(line, "VersionMismatch") && strings.Contains(line, "'api'") {
				got = append(got, line)
			}
		}
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) == 0 || !strings.HasPrefix(got[0], c.want)) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestImportsOfProtocolBuffersAreOfTheContract(t *testing.T) {
	t.Parallel()
	const text = `import "common/a.proto"; message B { A a = 1; }`
	imported := func(text string) realm.File { return realm.File{Path: "proto/common/a.proto", Text: []byte(text)} }
	before := ofFile(t, "", "proto/b.proto", text, "1.0.0", imported("message A { int32 a = 1; }"))
	after := ofFile(t, "", "proto/b.proto", text, "1.1.0", imported("message A { }"))
	got := each(realm.Check{Repo: "blue", Baseline: before}.Of(after))
	if !slices.ContainsFunc(got, func(l string) bool { return strings.Contains(l, "field 'A.a' (1) was removed") }) {
		t.Errorf("%q", got)
	}
}

func TestSchemaFilesThatAreNotRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, format, file, text, want string }{
		{"outside", "", "../a.proto", "message A { }", "error ContractInvalid domains/s3-access/contracts/api.yaml:4 " +
			"schema_file of contract 'api' has to be in the repository"},
		{"absolute", "", "/etc/passwd", "", "error ContractInvalid domains/s3-access/contracts/api.yaml:4"},
		{"no format", "format: soap\n", "a.wsdl", "", "error ContractInvalid domains/s3-access/contracts/api.yaml:4 " +
			"contract 'api' " +
			"has the format \"soap\""},
		{"not valid", "", "a.proto", "message A {", "error ContractInvalid " +
			"domains/s3-access/contracts/api.yaml:4 Schema of contract " +
			"'api' is invalid: line 1"},
		{"a bomb", "", "openapi.yaml", "a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n" +
			"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e]\n" +
			"g: [*f,*f,*f,*f,*f,*f,*f,*f]", "error ContractInvalid openapi.yaml:"},
		{"an address", "", "openapi.json", `{"openapi":"3.0.0","paths":{"/a":{"$ref":"https://example.com/a"}}}`,
			"error ContractInvalid domains/s3-access/contracts/api.yaml:4 Schema of contract 'api' is invalid: $ref " +
				`"https://example.com/a" is outside of the contract`},
		{"10 MB", "", "a.proto", strings.Repeat("//", 5<<20), "error ContractInvalid a.proto:0"},
	} {
		got := each(realm.Check{Repo: "blue"}.Of(ofFile(t, c.format, c.file, c.text, "1.0.0")))
		if !slices.ContainsFunc(got, func(l string) bool { return strings.HasPrefix(l, c.want) }) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	shared := edited(t, "+", "-- domains/s3-access/contracts/api.yaml --\nname: api\nversion: 1.0.0\nowner: blue\n"+
		"schema_file: a.proto")
	got := lines(realm.Check{}.Of(realm.Read(shared)))
	if !strings.Contains(got, "warning SchemaUnchecked") || !strings.Contains(got, "'blue', which is not here") {
		t.Error(got)
	}
}

func TestADescriptionAmongContractsIsNone(t *testing.T) {
	t.Parallel()
	shared := edited(t, "+", "-- domains/s3-access/contracts/openapi.yaml --\nopenapi: 3.0.0\npaths: {}")
	if got := lines(realm.Check{}.Of(realm.Read(shared))); got != "" {
		t.Errorf("%q", got)
	}
}
