package backend

import (
	"cmp"
	"context"
	"os"
	"strconv"

	"github.com/blq-ci/blq/store"
)

// localAttestations stores attestations in the .lq folder. The first attestation creates the folder.
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

// user returns the name of this machine's user. If the environment has no name, it returns the user's number, or "" if
// the number is unknown, too.
func user() string {
	if name := cmp.Or(os.Getenv("USER"), os.Getenv("LOGNAME"), os.Getenv("USERNAME")); name != "" {
		return name
	}
	if id := os.Getuid(); id >= 0 {
		return "uid " + strconv.Itoa(id)
	}
	return ""
}
