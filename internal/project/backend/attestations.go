package backend

import (
	"cmp"
	"context"
	"os"

	"github.com/blq-ci/blq/store"
)

// localAttestations keeps attestations in the .lq folder, which is created with the first one.
type localAttestations struct{ b *Backend }

// Attestations implements store.Attestations.
func (l localAttestations) Attestations(ctx context.Context, sc store.Scope, repo string) (
	[]store.Attestation, error) {
	return with(ctx, l.b, func(f *folder) ([]store.Attestation, error) { return f.Store.Attestations(ctx, sc, repo) })
}

// Attest implements store.Attestations.
func (l localAttestations) Attest(ctx context.Context, list []store.Attestation) error {
	return l.b.change(ctx, func(f *folder) error { return f.Store.Attest(ctx, list) })
}

// user returns the name of who uses this machine, "" if it is not known.
func user() string { return cmp.Or(os.Getenv("USER"), os.Getenv("USERNAME")) }
