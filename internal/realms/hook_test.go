package realms_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/hook"
	"github.com/blq-ci/blq/internal/queue"
	"github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/store"
)

// receiver answers the first post with 502. It records the later posts.
type receiver struct {
	mu     sync.Mutex
	tries  int
	bodies []string
	ids    []string
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tries++; r.tries == 1 {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	r.bodies, r.ids = append(r.bodies, string(body)), append(r.ids, q.Header.Get("X-Blq-Delivery"))
}

// stopped is a store that never announces, as if the service had ended before.
type stopped struct{ store.Store }

func (stopped) Announce(context.Context, store.Announcement) (int, error) {
	return 0, errors.New("killed")
}

// A notification is posted once, even if the service ends before the notification is stored, and the first post fails.
func TestNotificationsArePosted(t *testing.T) {
	t.Parallel()
	got := &receiver{}
	server := httptest.NewServer(got)
	t.Cleanup(server.Close)
	sender, err := hook.New(hook.Config{Address: server.URL, Secret: "hush", Private: true})
	if err != nil {
		t.Fatal(err)
	}
	f, c, a := published(t, "2.0.0")
	jobs := f.store.(store.Queue)
	h := &realms.Hook{Store: f.store, Sender: sender, Now: func() time.Time { return c.Time },
		Put: func(ctx context.Context, list ...store.Work) (int, error) { return jobs.PutWork(ctx, c.Time, list...) }}
	work := func() {
		for range 4 {
			c.Time = c.Add(time.Minute)
			queue.New(queue.Config{Queue: jobs, UntilIdle: true, Now: h.Now,
				Handlers: map[string]queue.Handler{realms.KindPost: h.Post}}).Run(t.Context())
		}
	}
	a.Hook, a.Store = h, stopped{f.store}
	if err := a.Repo(t.Context(), "acme/azure"); err == nil {
		t.Fatal("a killed service announced")
	}
	work()
	if got.tries > 0 {
		t.Fatalf("posted before it was stored: %q", got.bodies)
	}
	a.Store = f.store
	f.ok(a.Repo(t.Context(), "acme/azure"))
	f.ok(a.Repo(t.Context(), "acme/azure")) // there is nothing new
	work()
	var said struct {
		ID, Contract, Change string
		New                  string   `json:"new_version"`
		To                   []string `json:"repositories"`
	}
	if len(got.bodies) != 1 || got.tries != 2 {
		t.Fatalf("%d tries, %q", got.tries, got.bodies)
	}
	if err := json.Unmarshal([]byte(got.bodies[0]), &said); err != nil || said.ID == "" || said.ID != got.ids[0] ||
		said.Contract != "permissions" || said.New != "2.0.0" || len(said.To) != 2 {
		t.Errorf("%s, %v", got.bodies[0], err)
	}
	open, err := jobs.CountWork(t.Context())
	if err != nil || len(open) > 0 {
		t.Errorf("jobs are left: %+v, %v", open, err)
	}
}

// The posts about a commit need storage quota of the commit's owner. So an owner without room does not delay the
// notifications about commits of other owners.
func TestAnOwnerWithoutRoomHoldsBackOnlyItsOwnCommits(t *testing.T) {
	t.Parallel()
	sender, err := hook.New(hook.Config{Address: "https://hooks.example.com/", Secret: "hush"})
	if err != nil {
		t.Fatal(err)
	}
	has := maps.Clone(aperture)
	has["repos/azure.yaml"] = "name: azure\nurl: https://git.example.com/full/azure\n"
	f := newFixture(t)
	f.push("acme/realm-aperture", 1, has, "main")
	for i, repo := range []string{"full/azure", "acme/fungal", "acme/crimson"} {
		f.push(repo, 10+i, files{".blue/config.yaml": config(repo[5:])}, "main")
	}
	c := &clock{now}
	a := f.announcer(c)
	f.ok(a.All(t.Context()))
	a.Hook = &realms.Hook{Store: f.store, Sender: sender, Now: func() time.Time { return c.Time },
		Put: func(_ context.Context, list ...store.Work) (int, error) {
			for _, w := range list {
				if strings.HasPrefix(w.Repo, "full/") {
					return 0, store.Errorf(store.Full, "%s has no room", w.Repo)
				}
			}
			return len(list), nil
		}}
	f.push("full/azure", 20, owned("2.0.0"), "main", 10)
	less := maps.Clone(has)
	delete(less, "domains/s3/contracts/permissions.yaml")
	f.push("acme/realm-aperture", 2, less, "main", 1)
	if err := a.All(t.Context()); store.CodeOf(err) != store.Full {
		t.Errorf("the owner without room: %v", err)
	}
	got := listed(t, f.reader(c, "me", "acme/fungal"), "acme/fungal", "pending")
	if !strings.Contains(got, "permissions ContractRemoved") {
		t.Errorf("the realm's own commit is held back: %s", got)
	}
}
