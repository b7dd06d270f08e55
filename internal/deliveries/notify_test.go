package deliveries_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/blq-ci/blq/internal/deliveries"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/store"
)

// If a repository is renamed while a notification waits, the notification and its links have the new name. The old
// name may belong to somebody else.
func TestNotificationsFollowARename(t *testing.T) {
	onEach(t, func(p *place) {
		var mu sync.Mutex
		var open atomic.Bool
		got := map[string]string{}
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			defer mu.Unlock()
			if !open.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			got[r.URL.Path] = string(body)
		}))
		p.Cleanup(receiver.Close)
		p.notify = deliveries.Notify{Hook: p.sender(receiver.URL+"/hook", "s3cret"),
			Slack: p.sender(receiver.URL+"/slack", "")}
		p.restart()
		p.passed()
		p.github.SetRun(shop, githubtest.Run{ID: 2, HeadSHA: strings.Repeat("2", 40),
			Jobs: []githubtest.Job{failed(12, "build")}})
		p.jobEnded(12)
		p.same(len(got), 0)
		p.github.Rename(shop, renamed)
		_, err := p.store.EnrolRepo(p.Context(), store.EnrolledRepo{Host: p.host(), ID: shopID, Name: renamed,
			DefaultBranch: "main", EnrolledAt: p.now})
		check(p.TB, err)
		open.Store(true)
		for range 20 {
			p.drain()
		}
		var n struct {
			Repo string `json:"repo"`
			ID   int64  `json:"repo_id"`
			Ref  string `json:"ref"`
			Run  string `json:"run_ref"`
			URL  string `json:"url"`
			Page string `json:"page"`
		}
		check(p.TB, json.Unmarshal([]byte(got["/hook"]), &n))
		p.same([]any{n.Repo, n.ID, n.Run, n.Ref, n.Page, strings.Contains(n.URL, "/"+renamed+"/actions/runs/2/")},
			[]any{renamed, int64(shopID), renamed + "@Build-check:2", renamed + "@2:1",
				"https://blq.example.com/ui/" + renamed + "@2:1", true})
		for path, text := range got {
			if strings.Contains(text, shop) || !strings.Contains(text, renamed) {
				p.Errorf("%s: %s", path, text)
			}
		}
	})
}
