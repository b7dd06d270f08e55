package realms_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// watched records the objects that are read.
type watched struct {
	store.Blobs
	mu   sync.Mutex
	read []string
}

func (w *watched) Get(ctx context.Context, key string) ([]byte, error) {
	content, err := w.Blobs.Get(ctx, key)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read = append(w.read, string(content))
	return content, err
}

// reads asks for a contract as a caller who sees one repository. It returns the answer, and the objects that were
// read.
func (f fixture) reads(repo, domain, contract string) (answer string, read []string) {
	f.Helper()
	w := &watched{Blobs: f.blobs}
	all := f.facts()
	all.Blobs = w
	a := f.asker(repo)
	a.Realms = realms.Stored{Facts: all, Scope: store.Repos(repo), Told: f.store}
	answer = text(a.ContractGet(f.Context(), query.ContractGetParams{RealmAt: query.RealmAt{Repo: repo}, Domain: domain,
		Contract: contract}))
	slices.Sort(w.read)
	return answer, w.read
}

// A caller that names a foreign realm learns nothing from the time of the answer. From the realm, only the list of
// files and the file with the caller's own name are read. Nothing about the realm's members is read.
func TestTheRealmOfOthersIsNotRead(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.realm()
	f.push("evil/azure", 30, files{".blue/config.yaml": config("azure")}, "main")
	f.push("evil/jade", 31, files{".blue/config.yaml": config("jade")}, "main")
	f.push("evil/none", 32, files{".blue/config.yaml": strings.ReplaceAll(config("azure"), "acme", "nobody")}, "main")
	none, before := f.reads("evil/none", "s3", "permissions")
	for repo, extra := range map[string]int{"evil/jade": 1, "evil/azure": 2} { // the list of files, and one file
		answer, read := f.reads(repo, "s3", "permissions")
		if answer != none || len(read) != len(before)+extra {
			t.Errorf("%s: %s, want %s; %d objects are read, want %d", repo, answer, none, len(read), len(before)+extra)
		}
		for _, content := range read {
			if strings.Contains(content, "members:") || strings.Contains(content, "repo: fungal") {
				t.Errorf("%s: something of the realm is read: %s", repo, content)
			}
		}
	}
}

// A contract of a foreign domain is treated like a missing contract: the same objects are read, and the answer is the
// same.
func TestForeignContractsAreLikeThoseThatDoNotExist(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.realm()
	foreign, read := f.reads("acme/fungal", "other", "wire")
	none, likewise := f.reads("acme/fungal", "nosuc", "wire")
	if strings.ReplaceAll(foreign, "other", "nosuc") != none || !slices.Equal(read, likewise) || len(read) == 0 {
		t.Errorf("%s\n%s\n%d and %d objects", foreign, none, len(read), len(likewise))
	}
}
