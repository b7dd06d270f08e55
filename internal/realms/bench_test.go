package realms_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/query"
)

// large returns a realm with 20 domains, 200 contracts and 50 members with 1,000 bindings.
func large() files {
	const members = 50
	of := files{"realm.yaml": "name: aperture\n"}
	var all []string
	for m := range members {
		all = append(all, fmt.Sprintf("m%d", m))
		of[fmt.Sprintf("repos/m%d.yaml", m)] = fmt.Sprintf("name: m%d\nurl: https://git.example.com/acme/m%d\n", m, m)
	}
	for d := range 20 {
		dir := fmt.Sprintf("domains/d%d/", d)
		of[dir+"domain.yaml"] = "members: [" + strings.Join(all, ", ") + "]\n"
		for c := range 10 {
			var fields strings.Builder
			for p := range 20 {
				fmt.Fprintf(&fields, "    f%d: {type: object, properties: {a: {type: string}, b: {enum: [x, y, z]}}}\n", p)
			}
			of[fmt.Sprintf("%scontracts/c%d.yaml", dir, c)] = fmt.Sprintf("name: c%d\nversion: 1.4.0\nowner: m%d\nschema:\n"+
				"  type: object\n  properties:\n%svalue: {f1: {a: x}}\n", c, c, fields.String())
		}
		for m := range members {
			text := fmt.Sprintf("exports: [c%d]\n", m)
			if m >= 10 {
				text = fmt.Sprintf("imports: [{contract: c%d, version: '>=1.0.0'}, {contract: c%d, version: ^1.2}]\n",
					m%10, (m+1)%10)
			}
			of[fmt.Sprintf("%sbindings/m%d.yaml", dir, m)] = text
		}
	}
	return of
}

// BenchmarkCheck asks for the check of a member. The facts have not changed since the previous question.
func BenchmarkCheck(b *testing.B) {
	a := largeAsker(b)
	for b.Loop() {
		checkLarge(b, a)
	}
}

// BenchmarkFirstCheck asks a service that has just started.
func BenchmarkFirstCheck(b *testing.B) {
	a := largeAsker(b)
	of := a.Realms.(realms.Stored)
	for b.Loop() {
		of.Files, of.Facts.Sets = realms.NewMemory(8<<20), facts.NewSets(8<<20)
		a.Realms = of
		checkLarge(b, a)
	}
}

func largeAsker(b *testing.B) *query.Asker {
	b.Helper()
	f := newFixture(b)
	f.push("acme/realm-aperture", 1, large(), "main")
	repos := []string{"acme/realm-aperture"}
	for m := range 50 {
		name := fmt.Sprintf("m%d", m)
		repos = append(repos, "acme/"+name)
		f.push("acme/"+name, 2+m, files{".blue/config.yaml": config(name)}, "main")
	}
	a := f.asker(repos...)
	of := a.Realms.(realms.Stored)
	of.Files, of.Facts.Sets = realms.NewMemory(8<<20), facts.NewSets(8<<20)
	a.Realms = of
	return a
}

func checkLarge(b *testing.B, a *query.Asker) {
	b.Helper()
	checked, err := a.RealmCheck(b.Context(), query.RealmCheckParams{RealmAt: query.RealmAt{Repo: "acme/m0"}})
	if err != nil || len(checked.SchemaHashes) != 200 || !checked.Valid {
		b.Fatal(err, len(checked.SchemaHashes), checked.Errors)
	}
}
