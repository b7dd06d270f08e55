package realms

import (
	"context"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/store"
)

// maxLikely is the max number of states of the default branch that are compared with a fork.
const maxLikely = 50

// likeliest returns the commit at which a fork has probably left the default branch. This is the commit whose files
// differ least from the files of the fork. Among several such commits, it is the newest. A fork whose owner does not
// follow the default branch has old files. Such old files are not changes of the fork.
func (m member) likeliest(ctx context.Context) (string, error) {
	head, err := m.Facts.At(ctx, facts.Query{Repo: m.repo, Kind: store.FactContracts})
	if err != nil {
		return "", err
	}
	line := &storedLine{facts: m.Facts, repo: m.repo}
	if err := line.load(ctx, head.Commit); err != nil {
		return "", err
	}
	likely, least := head.Commit, differences(m.fork, head.Set)
	last, read := "", 0
	for _, s := range line.snapshots {
		if least == 0 || read == maxLikely {
			break
		}
		if s.Manifest == last {
			continue
		}
		last = s.Manifest
		read++
		set, err := m.Facts.Set(ctx, s)
		if store.CodeOf(err) == store.NotFound {
			continue
		}
		if err != nil {
			return "", err
		}
		if n := differences(m.fork, set); n < least {
			likely, least = s.Commit, n
		}
	}
	return likely, nil
}

// differences returns the number of files that differ between two sets, or that only one of them has.
func differences(a, b facts.Set) int {
	digests := map[string]string{}
	for _, f := range a.Files() {
		digests[f.Path] = f.Digest
	}
	n := 0
	for _, f := range b.Files() {
		digest, there := digests[f.Path]
		if delete(digests, f.Path); !there || digest != f.Digest {
			n++
		}
	}
	return n + len(digests)
}
