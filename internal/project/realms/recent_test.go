//go:build unix

package realms_test

import (
	"fmt"
	"testing"

	"github.com/blq-ci/blq/query"
)

// Files are cached between questions. Nevertheless each answer is about the files that are on the disk.
func TestEachQuestionSeesTheFilesAsTheyAre(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	a := m.in("blue", nil)
	for i, c := range []struct{ file, text, want string }{
		{"realm/domains/s3/contracts/c.yaml", contract("1.0.0", "integer"), "true []"},
		{"realm/domains/s3/contracts/c.yaml", contract("1.0.0", "string"),
			"false [BreakingWithoutMajor SchemaChangedWithoutBump]"},
		{"realm/domains/s3/contracts/c.yaml", contract("1.0.0", "integer") + "value: {size: x}\n",
			"false [ValueInvalid]"},
		{"realm/domains/s3/contracts/c.yaml", contract("1.0.0", "integer") + "value: {size: 1}\n", "true []"},
		{"realm/domains/s3/contracts/c.yaml", contract("1.0.0", "wrong"),
			"false [ContractInvalid BreakingWithoutMajor SchemaChangedWithoutBump]"},
		{"realm/domains/s3/contracts/c.yaml", contract("1.0.0", "integer"), "true []"},
		{"realm/domains/s3/bindings/fungal.yaml", "imports: [{contract: c, version: ^1.0.0}]", "true []"},
		{"blue/.blue/contracts/s3/c.yaml", contract("2.0.0", "string"), "false [VersionMismatch]"},
		{"realm/domains/s3/bindings/fungal.yaml", "imports: [{contract: c, version: ^2.0.0}]", "true []"},
	} {
		m.write(c.file, c.text)
		r, err := a.RealmCheck(t.Context(), query.RealmCheckParams{})
		m.ok(err)
		var kinds []string
		for _, f := range append(r.Errors, r.Warnings...) {
			kinds = append(kinds, f.Kind)
		}
		if got := fmt.Sprint(r.Valid, " ", kinds); got != c.want {
			t.Errorf("%d: %s, want %s", i, got, c.want)
		}
	}
}

// A contract in the realm's repository may have its schema in a file of the owner's repository. A check finds changes
// of this schema.
func TestASchemaMayBeInTheRepositoryOfTheOwner(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for _, c := range []struct{ file, before, after string }{
		{"api/c.schema.json", `{"type":"object","properties":{"size":{}}}`, `{"type":"object","properties":{}}`},
		{"api/c.proto", `syntax = "proto3"; import "b.proto"; message A { B b = 1; }`,
			`syntax = "proto3"; import "b.proto"; message A { string b = 1; }`},
		{"c.graphql", `type Query { a: Int }`, `type Query { a: String }`},
	} {
		m.write("realm/domains/s3/contracts/c.yaml", "owner: blue\nversion: 1.0.0\nschema_file: "+c.file+"\n")
		m.commit("realm", "c")
		m.write("blue/api/b.proto", `syntax = "proto3"; message B { string a = 1; }`)
		m.write("blue/"+c.file, c.before)
		m.commit("blue", "c")
		m.git("blue", "push", "-q", "origin", "main")
		for i, want := range []string{"true []", "false [BreakingWithoutMajor SchemaChangedWithoutBump]"} {
			if i == 1 {
				m.write("blue/"+c.file, c.after)
			}
			r, err := m.in("blue", nil).RealmCheck(t.Context(), query.RealmCheckParams{})
			m.ok(err)
			var kinds []string
			for _, f := range append(r.Errors, r.Warnings...) {
				kinds = append(kinds, f.Kind)
			}
			if got := fmt.Sprint(r.Valid, " ", kinds); got != want {
				t.Errorf("%s %d: %s, want %s: %+v", c.file, i, got, want, r)
			}
		}
	}
}
