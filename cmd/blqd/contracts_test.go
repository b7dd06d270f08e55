package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/store"
)

// contractFacts stores the files of commit n of a repository, and the commits before it as its ancestors.
func contractFacts(t *testing.T, p *places, repo string, n int, files map[string]string) {
	t.Helper()
	var entries []facts.Entry
	for path, text := range files {
		entries = append(entries, facts.Entry{File: facts.File{Path: path, Digest: facts.Digest([]byte(text)),
			Size: int64(len(text))}})
	}
	slices.SortFunc(entries, func(a, b facts.Entry) int { return cmp.Compare(a.Path, b.Path) })
	m, text, err := facts.NewManifest(store.FactContracts, entries)
	check(t, err)
	set := facts.NewListed(m, text, func(_ context.Context, f facts.File) ([]byte, error) {
		return []byte(files[f.Path]), nil
	})
	var before []string
	for i := n - 1; i > 0; i-- {
		before = append(before, fmt.Sprintf("%040x", i))
	}
	_, err = facts.Save(t.Context(), p.store, p.blobs, store.Snapshot{Repo: repo, Commit: fmt.Sprintf("%040x", n),
		Branch: "main", Kind: store.FactContracts, Verified: true, CreatedAt: time.Now()}, before, set)
	check(t, err)
}

// receiver receives notifications about contracts. It kills the service that posts the first notification of each
// change.
type receiver struct {
	mu   sync.Mutex
	got  map[string][]string // by version: IDs of notifications; a repeated one is listed again
	to   map[string]int      // by ID: number of repositories that the notification names
	kill func(version string) bool
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var body struct {
		ID           string   `json:"id"`
		NewVersion   string   `json:"new_version"`
		Repositories []string `json:"repositories"`
	}
	if err := json.NewDecoder(q.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	slices.Sort(body.Repositories)
	r.mu.Lock()
	r.got[body.NewVersion] = append(r.got[body.NewVersion], body.ID)
	r.to[body.ID] = len(slices.Compact(body.Repositories))
	r.mu.Unlock()
	if r.kill(body.NewVersion) {
		panic(http.ErrAbortHandler) // the reader of the answer is dead
	}
}

// Each consumer is told once about a change, and the webhook gets the change. The service is killed while it tells the
// consumers and while it posts.
func TestKilledWhileConsumersAreTold(t *testing.T) {
	t.Parallel()
	for engine, url := range map[string]func() string{
		"sqlite": func() string { return "" }, "postgres": func() string { return pgtest.New(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			env := []string{"BLQ_DATA=" + data, "BLQ_UPKEEP=1s", "BLQ_CONTRACTS_SECRET=s", "BLQ_CONTRACTS_PRIVATE=true"}
			a := &app{config: defaults()}
			a.config.Data = data
			if a.config.Database = url(); a.config.Database != "" {
				env = append(env, "BLQ_DATABASE_URL="+a.config.Database)
				check(t, migrated(t.Context(), a.config.Database))
			}
			p, err := a.open(t.Context())
			check(t, err)
			t.Cleanup(func() { p.Close() })
			killConsumers(t, p, env)
		})
	}
}

func killConsumers(t *testing.T, p *places, env []string) {
	t.Helper()
	const consumers, changes = 1000, 2
	realm := map[string]string{"realm.yaml": "name: aperture", "repos/azure.yaml": "org: acme",
		"domains/s3/domain.yaml": "members: [azure]"}
	for i := range consumers {
		name := fmt.Sprintf("c%04d", i)
		realm["repos/"+name+".yaml"] = "org: acme"
		realm["domains/s3/bindings/"+name+".yaml"] = "imports: [permissions]"
	}
	azure := func(version int) map[string]string {
		return map[string]string{".blue/config.yaml": "realm: {name: aperture, url: 'https://git.example.com/acme/realm'}\n" +
			"repo: azure", ".blue/contracts/s3/permissions.yaml": fmt.Sprintf("version: 1.%d.0", version)}
	}
	contractFacts(t, p, "acme/realm", 1, realm)
	contractFacts(t, p, "acme/azure", 1, azure(0))
	announcer := realms.Announcer{Store: p.store, Now: time.Now,
		Facts: facts.Stored{Store: p.store, Blobs: p.blobs, Scope: store.Everything()}}
	check(t, announcer.All(t.Context()))

	var running *process
	var mu sync.Mutex
	killed := map[string]bool{}
	r := &receiver{got: map[string][]string{}, to: map[string]int{}, kill: func(version string) bool {
		mu.Lock()
		defer mu.Unlock()
		if killed[version] || running == nil {
			return false
		}
		killed[version] = true
		_ = running.cmd.Process.Kill() // it may have ended
		return true
	}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	env = append(env, "BLQ_CONTRACTS_URL="+server.URL)
	start := func() *process {
		s := serve(t, env)
		mu.Lock()
		defer mu.Unlock()
		running = s
		return s
	}
	deaths := 0
	for change := 1; change <= changes; change++ {
		version := fmt.Sprintf("1.%d.0", change)
		contractFacts(t, p, "acme/azure", change+1, azure(change))
		for _, after := range []time.Duration{0, 100 * time.Millisecond, 300 * time.Millisecond} {
			s := start()
			time.Sleep(after * time.Duration(change)) // the moment of the kill differs each time
			s.kill()
			deaths++
		}
		s := start()
		until(t, "the webhook of "+version, func() bool {
			select {
			case <-s.ended: // the receiver killed it
				return true
			default:
				return false
			}
		})
		deaths++
		s = start()
		until(t, "the webhook of "+version+" again", func() bool {
			r.mu.Lock()
			defer r.mu.Unlock()
			return len(r.got[version]) > 1
		})
		s.terminate()
		s.wait()
	}
	toldOnce(t, p.store, consumers, "1.2.0 1.1.0")
	r.mu.Lock()
	defer r.mu.Unlock()
	for change := 1; change <= changes; change++ {
		ids := r.got[fmt.Sprintf("1.%d.0", change)]
		slices.Sort(ids)
		if one := slices.Compact(slices.Clone(ids)); len(one) != 1 || r.to[one[0]] != consumers {
			t.Errorf("1.%d.0 was posted as %q, for %d", change, ids, r.to[ids[0]])
		}
	}
	t.Logf("killed %d times; posted %v", deaths, r.got)
}

// toldOnce checks the versions that each consumer was told about.
func toldOnce(t *testing.T, from store.Notifications, consumers int, want string) {
	t.Helper()
	for i := range consumers {
		repo := fmt.Sprintf("acme/c%04d", i)
		list, err := from.Notifications(t.Context(), store.Repos(repo), repo, "")
		check(t, err)
		var versions []string
		for _, n := range list {
			versions = append(versions, n.NewVersion)
		}
		if got := strings.Join(versions, " "); got != want {
			t.Fatalf("%s was told of %s", repo, got)
		}
	}
}
