package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

// attestation returns attestation n of o/a.
func attestation(n int) store.Attestation {
	return store.Attestation{Repo: "o/a", Node: "core", Doc: "docs/ü\x00.md", Code: fmt.Sprintf("core/%d.go", n),
		DocDigest: sha(1), CodeDigest: sha(n), By: "ann", At: start.Add(time.Duration(n) * time.Hour)}
}

// attested returns the attestations of a repository that a caller with the scope can see.
func (f fixture) attested(sc store.Scope, repo string) []store.Attestation {
	f.Helper()
	list, err := f.s.Attestations(f.Context(), sc, repo)
	f.ok(err)
	return list
}

var attestationTests = map[string]func(f fixture){
	"attestations are returned as they were added": func(f fixture) {
		gone := attestation(3)
		gone.CodeDigest = ""
		want := []store.Attestation{attestation(1), attestation(2), gone}
		f.ok(f.s.Attest(f.Context(), []store.Attestation{want[2], want[0]}))
		f.ok(f.s.Attest(f.Context(), want[1:2]))
		f.ok(f.s.Attest(f.Context(), nil))
		f.equal(f.attested(everything, "o/a"), want)
		f.equal(f.attested(store.Repos("o/a"), "o/a"), want)
	},
	"nobody sees those of others": func(f fixture) {
		f.ok(f.s.Attest(f.Context(), []store.Attestation{attestation(1)}))
		f.equal(f.attested(store.Repos("o/b"), "o/a"), []store.Attestation(nil))
		f.equal(len(f.attested(everything, "o/b")), 0)
	},
	"what is attested again has the new author": func(f fixture) {
		again := attestation(1)
		f.ok(f.s.Attest(f.Context(), []store.Attestation{again}))
		again.By, again.At = "bob", start.Add(9*time.Hour)
		other := again
		other.CodeDigest = sha(7)
		f.ok(f.s.Attest(f.Context(), []store.Attestation{again, other}))
		f.equal(len(f.attested(everything, "o/a")), 2)
		f.equal(f.attested(everything, "o/a")[0].By, "bob")
	},
	"long names push out the oldest ones": func(f fixture) {
		name := strings.Repeat("x", 4096)
		batch := func(from, n int) (list []store.Attestation) {
			for i := range n {
				a := attestation(from + i)
				a.Node, a.Doc, a.By = name, name, name
				list = append(list, a)
			}
			return list
		}
		most := store.MaxAttestationBytes / (store.AttestationRow + 3*len(name) + len(attestation(1000).Code))
		f.ok(f.s.Attest(f.Context(), batch(1000, most)))
		f.equal(len(f.attested(everything, "o/a")), most)
		other := attestation(1)
		other.Repo = "o/b"
		f.ok(f.s.Attest(f.Context(), []store.Attestation{other}))
		f.ok(f.s.Attest(f.Context(), batch(1000+most, 9)))
		left := f.attested(everything, "o/a")
		f.equal([]any{len(left), left[0].Code}, []any{most, "core/1009.go"})
		f.equal(len(f.attested(everything, "o/b")), 1)
	},
	"what is not whole is refused, and the others with it": func(f fixture) {
		for _, change := range []func(a *store.Attestation){
			func(a *store.Attestation) { a.Node = "" }, func(a *store.Attestation) { a.Doc = "" },
			func(a *store.Attestation) { a.DocDigest = "" }, func(a *store.Attestation) { a.CodeDigest = "x" },
			func(a *store.Attestation) { a.At = time.Time{} }, func(a *store.Attestation) { a.Repo = "o/b" },
			func(a *store.Attestation) { a.Code = strings.Repeat("x", 5000) },
		} {
			bad := attestation(2)
			change(&bad)
			f.refused(f.s.Attest(f.Context(), []store.Attestation{attestation(1), bad}), store.Invalid)
		}
		f.equal(len(f.attested(everything, "o/a")), 0)
	},
}
