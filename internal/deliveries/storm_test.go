package deliveries_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/deliveries"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/githubapp"
	"github.com/blq-ci/blq/internal/queue"
	"github.com/blq-ci/blq/store"
)

// jobsOfRun is the number of jobs in each workflow run of a storm.
const jobsOfRun = 5

// storm creates pull requests with failed jobs. It delivers the ends of the workflow runs and jobs out of order, some
// repeatedly, and sends forged deliveries in between. It returns the number of pull requests.
func (p *place) storm(size int, random *rand.Rand) int {
	p.Helper()
	pulls := max(1, size/(jobsOfRun+1)*2/3)
	var all []githubtest.Delivery
	for n := range pulls {
		sha, branch := fmt.Sprintf("%040x", n+1), fmt.Sprintf("f%d", n)
		p.github.AddPull(shop, githubtest.Pull{Number: n + 1, HeadSHA: sha, HeadRef: branch})
		run := githubtest.Run{ID: int64(n + 1), Event: "pull_request", HeadBranch: branch, HeadSHA: sha}
		for j := range jobsOfRun {
			run.Jobs = append(run.Jobs, failed(int64(n*jobsOfRun+j+1), fmt.Sprintf("build-%d", j)))
		}
		p.github.SetRun(shop, run)
		all = append(all, p.github.RunEnded(fmt.Sprint("run-", n), p.installed, shop, run.ID))
		for _, j := range run.Jobs {
			all = append(all, p.github.JobEnded(fmt.Sprint("job-", j.ID), p.installed, shop, j.ID))
		}
	}
	for len(all) < size {
		all = append(all, all[random.IntN(len(all))])
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	hook := p.webhook()
	for i, d := range all {
		p.tell(hook, d, p.app.Secret, http.StatusNoContent)
		if i%10 == 0 {
			p.forge(hook, d, i)
		}
	}
	return pulls
}

// webhook returns the service's webhook, which queues deliveries. The queued jobs process the deliveries as in the
// service.
func (p *place) webhook() http.Handler {
	s := ingest.New(ingest.Config{Store: p.store, Blobs: p.blobs, Directory: p.store, Gate: open{},
		WebhookSecrets: []ingest.WebhookSecret{{Secret: []byte(p.app.Secret)}}, Confirm: confirmBy(p.work.App),
		Limits: ingest.Limits{Requests: 1e9, RequestsBurst: 1 << 30},
		Deliver: func(ctx context.Context, d payload.Delivery) error {
			w, err := deliveries.Queued(d)
			if err == nil {
				_, err = p.queue.Put(ctx, w)
			}
			return err
		}})
	p.take = func(d payload.Delivery) error { return s.TakeDelivery(p.Context(), d) }
	return s.Handler()
}

// confirmBy returns a function that returns a repository from the fake GitHub.
func confirmBy(app *githubapp.App) func(ctx context.Context, host, name string) (payload.Repository, error) {
	return func(ctx context.Context, _, name string) (payload.Repository, error) {
		client, err := app.ForRepo(ctx, name)
		if err != nil {
			return payload.Repository{}, err
		}
		r, err := client.Repo(ctx, name)
		return payload.Repository{ID: r.ID, FullName: r.Name, DefaultBranch: r.DefaultBranch, Private: r.Private}, err
	}
}

// open allows every request, because a webhook checks the signature itself.
type open struct{ ingest.Gate }

func (open) Authorize(http.Header, *http.Request, auth.Action) (auth.Principal, error) {
	return auth.Principal{}, nil
}

// tell sends a delivery signed with a secret, and checks the response status.
func (p *place) tell(hook http.Handler, d githubtest.Delivery, secret string, status int) {
	p.Helper()
	r := httptest.NewRequestWithContext(p.Context(), http.MethodPost, "/webhooks/github", bytes.NewReader(d.Body))
	r.Header = d.Header(secret)
	r.Header.Set("X-GitHub-Enterprise-Host", p.host())
	w := httptest.NewRecorder()
	if hook.ServeHTTP(w, r); w.Code != status {
		p.Fatalf("%s: %d %s, want %d", d.ID, w.Code, w.Body, status)
	}
}

// forge sends forged deliveries: with a wrong signature, with an unknown installation, with the name of another
// repository, and with an unknown ID of the repository.
func (p *place) forge(hook http.Handler, d githubtest.Delivery, i int) {
	p.Helper()
	forged := func(kind string, change ...string) githubtest.Delivery {
		body := strings.NewReplacer(change...).Replace(string(d.Body))
		return githubtest.Delivery{ID: fmt.Sprintf("%s-%d", kind, i), Event: d.Event, Body: []byte(body)}
	}
	p.tell(hook, forged("unsigned", `"failure"`, `"success"`), "guessed", http.StatusUnauthorized)
	installed := fmt.Sprintf(`"installation":{"id":%d}`, p.installed)
	p.tell(hook, forged("foreign", installed, `"installation":{"id":999999}`), p.app.Secret, http.StatusNoContent)
	p.tell(hook, forged("taken", `"`+shop+`"`, `"mallory/shop"`), p.app.Secret, http.StatusNoContent)
	p.tell(hook, forged("unknown", fmt.Sprint(`"id":`, shopID), `"id":77`), p.app.Secret, http.StatusNoContent)
}

// renamed is the new name of the repository in a storm.
const renamed = "acme/store"

// rename renames the repository, and reports that twice.
func (p *place) rename(hook http.Handler) {
	p.Helper()
	p.github.Rename(shop, renamed)
	body := fmt.Sprintf(`{"action":"renamed","repository":{"id":%d,"full_name":%q,"default_branch":"main","private":true},`+
		`"installation":{"id":%d}}`, shopID, renamed, p.installed)
	for i := range 2 {
		p.tell(hook, githubtest.Delivery{ID: fmt.Sprint("renamed-", i), Event: "repository", Body: []byte(body)},
			p.app.Secret, http.StatusNoContent)
	}
}

// killed runs two replicas until they have made the given number of tries, and then ends them in the middle of
// further tries.
func (p *place) killed(tries int64) {
	p.Helper()
	ctx, kill := context.WithCancel(p.Context())
	defer kill()
	var done atomic.Int64
	var replicas sync.WaitGroup
	for range 2 {
		p.restart()
		c := p.queue.Config
		c.Done = func(queue.Try) {
			if done.Add(1) >= tries {
				kill()
			}
		}
		replicas.Go(func() { queue.New(c).Run(ctx) })
	}
	replicas.Wait()
	p.now = p.now.Add(time.Minute) // the leases of the killed replicas expire
}

// TestAStorm processes deliveries that are out of order, repeated or forged. Meanwhile replicas are killed and the
// repository is renamed. Each step must become one run. Each pull request must have one comment with all of its
// failures. BLQ_DELIVERIES=10000 is the full size.
func TestAStorm(t *testing.T) {
	size, err := strconv.Atoi(os.Getenv("BLQ_DELIVERIES"))
	if err != nil {
		size = 120
	}
	onEach(t, func(p *place) {
		began := time.Now()
		pulls := p.storm(size, rand.New(rand.NewPCG(1, 2)))
		p.Logf("%.0f deliveries a second were acknowledged", float64(size)/time.Since(began).Seconds())
		for i := range 20 {
			if i == 10 {
				p.rename(p.webhook())
			}
			p.killed(int64(max(3, size/30)))
		}
		p.restart()
		p.drain()
		p.same(p.dead(), []string(nil))
		runs, err := p.store.Runs(p.Context(), store.Everything(), store.RunFilter{})
		check(p.TB, err)
		jobs := map[string]int{}
		for _, r := range runs {
			if r.State != store.StateCompleted || r.Errors != 1 || r.Repo != renamed {
				p.Errorf("%s is %s with %d errors", r.Ref(), r.Status(), r.Errors)
			}
			jobs[r.CI.CheckRunID]++
		}
		if len(runs) != pulls*jobsOfRun || len(jobs) != len(runs) {
			p.Errorf("%d runs of %d jobs, want %d", len(runs), len(jobs), pulls*jobsOfRun)
		}
		for n := range pulls {
			all := p.github.Comments(renamed, n+1)
			if len(all) != 1 {
				p.Errorf("pull request %d has %d comments: %v", n+1, len(all), all)
				continue
			}
			for j := range jobsOfRun {
				if !strings.Contains(all[0].Body, fmt.Sprintf("build-%d", j)) {
					p.Errorf("the comment on pull request %d lacks build-%d:\n%s", n+1, j, all[0].Body)
				}
			}
		}
		open, err := p.store.Works(p.Context(), store.WorkFilter{State: store.WorkOpen})
		check(p.TB, err)
		p.same(len(open), 0)
	})
}
