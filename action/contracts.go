package action

import (
	"context"
	"os"
	"path/filepath"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/internal/findings"
	"github.com/blq-ci/blq/internal/project/realms"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/query/remote"
	"github.com/blq-ci/blq/store"
)

// checkContracts checks the contracts of a commit. It returns nil if the repository belongs to no realm, or if the
// contracts cannot be checked. checkContracts asks the server first, because the server knows the other members of
// the realm and reads all formats of contracts. If there is no server or the server fails, checkContracts reads the
// files of the realm. It then works only if the realm is checked out.
func (x *sending) checkContracts(ctx context.Context, r store.Run, commit string) *findings.Result {
	if !x.inRealm() {
		return nil
	}
	var err error
	if x.to != nil {
		var there query.RealmChecked
		at := query.RealmCheckParams{At: commit}
		if r.CI != nil {
			at.Repo = r.CI.Repo
		}
		there, err = questions.RealmCheck.Ask(ctx, &remote.Client{Server: x.to, Repo: at.Repo}, at)
		if err == nil {
			return findings.Contracts(there)
		}
	}
	asker := &query.Asker{Scope: store.Everything(), Root: x.w.Root(),
		Realms: realms.Project{Root: x.w.Root(), Home: x.Getenv("HOME")}}
	here, unread := asker.RealmCheck(ctx, query.RealmCheckParams{At: commit})
	switch {
	case unread == nil:
		return findings.Contracts(here)
	case err == nil:
		err = unread
	}
	if code := store.CodeOf(err); code != store.NotFound && code != store.Forbidden {
		x.lost = append(x.lost, "contracts are not checked: "+err.Error())
	} else {
		x.Say("contracts are not checked: %v", err)
	}
	return nil
}

// inRealm reports whether the repository is a member of a realm, or is itself the repository of a realm.
func (x *sending) inRealm() bool {
	for _, name := range []string{realm.ConfigFile, "realm.yaml", "realm.yml"} {
		if _, err := os.Stat(filepath.Join(x.w.Root(), filepath.FromSlash(name))); err == nil {
			return true
		}
	}
	return false
}
