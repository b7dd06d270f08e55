package realms

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/internal/wait"
	"github.com/blq-ci/blq/store"
)

// refusal is the response time for a repository that names a foreign realm. It is longer than a check whether the realm
// exists. So the response time does not reveal the result of the check.
const refusal = 100 * time.Millisecond

// unknown returns the error for a realm that does not exist for the member.
func (m member) unknown() error {
	return store.Hint(store.Errorf(store.NotFound, "the repository of the realm %s is not known here", m.config.Realm),
		"it has to name this repository as a member, in a file repos/NAME.yaml, and to send its facts: blq facts push")
}

// shared returns the files of the realm's repository. A configuration may name any realm. So if the caller may not
// see the realm's repository, that repository must name the member. shared checks the name before it reads anything
// else of the repository.
func (m member) shared(ctx context.Context) (Files, error) {
	refused := time.Now().Add(refusal)
	found, err := m.Facts.At(ctx, facts.Query{Repo: m.realm, Kind: store.FactContracts})
	seen := m.Scope.All() || m.Scope.Has(m.realm)
	named := seen
	if err == nil && !seen {
		named, err = m.named(ctx, found.Set)
	}
	if store.CodeOf(err) == store.NotFound {
		named, err = false, nil
	}
	var shared Files
	if err == nil && named {
		shared, err = m.Files.read(ctx, m.realm, found.Set)
	}
	if err != nil || named && shared.IsRealm() {
		return shared, err
	}
	if !seen {
		if err := wait.For(ctx, time.Until(refused)); err != nil {
			return nil, err
		}
	}
	return nil, m.unknown()
}

// named reports whether the realm's repository lists the member with the member's own repository. It reads only the
// member's file, such as repos/NAME.yaml.
func (m member) named(ctx context.Context, set facts.Set) (bool, error) {
	for _, f := range set.Files() {
		for _, ending := range []string{"yaml", "yml"} {
			if f.Path != fmt.Sprintf("repos/%s.%s", m.config.Repo, ending) {
				continue
			}
			text, err := set.Read(ctx, f)
			if err != nil {
				return false, err
			}
			for _, r := range realm.Read([]realm.File{{Path: f.Path, Text: text}}).Repos {
				if r.Name == m.config.Repo && strings.EqualFold(place(r, m.realm), m.repo) {
					return true, nil
				}
			}
		}
	}
	return false, nil
}
