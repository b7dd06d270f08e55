package deliveries_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/internal/queue"
	"github.com/blq-ci/blq/store"
)

// jobsOfRun is the number of jobs of each workflow run in a storm.
const jobsOfRun = 5

// storm makes pull requests with failed jobs, and delivers their ends out of order, some more than once. It returns the
// number of pull requests.
func (p *place) storm(deliveries int, random *rand.Rand) int {
	p.Helper()
	pulls := max(1, deliveries/(jobsOfRun+1)*2/3)
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
	for len(all) < deliveries {
		all = append(all, all[random.IntN(len(all))])
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, d := range all {
		p.deliver(d)
	}
	return pulls
}

// killed runs two replicas until they have done so many tries together, and ends them in the middle of others.
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
	p.now = p.now.Add(time.Minute) // the leases of the killed end
}

// TestAStorm works on deliveries that come out of order and repeated, while replicas are killed: each step becomes one
// run, and each pull request has one comment, with all of its failures. BLQ_DELIVERIES=10000 is the full size.
func TestAStorm(t *testing.T) {
	size, err := strconv.Atoi(os.Getenv("BLQ_DELIVERIES"))
	if err != nil {
		size = 120
	}
	onEach(t, func(p *place) {
		pulls := p.storm(size, rand.New(rand.NewPCG(1, 2)))
		for range 20 {
			p.killed(int64(max(3, size/30)))
		}
		p.restart()
		p.drain()
		p.same(p.dead(), []string(nil))
		runs, err := p.store.Runs(p.Context(), store.Everything(), store.RunFilter{})
		check(p.T, err)
		jobs := map[string]int{}
		for _, r := range runs {
			if r.State != store.StateCompleted || r.Errors != 1 {
				p.Errorf("%s is %s with %d errors", r.Ref(), r.Status(), r.Errors)
			}
			jobs[r.CI.CheckRunID]++
		}
		if len(runs) != pulls*jobsOfRun || len(jobs) != len(runs) {
			p.Errorf("%d runs of %d jobs, want %d", len(runs), len(jobs), pulls*jobsOfRun)
		}
		for n := range pulls {
			all := p.github.Comments(shop, n+1)
			if len(all) != 1 || !strings.Contains(all[0].Body, "build-4") {
				p.Errorf("pull request %d has %d comments: %v", n+1, len(all), all)
			}
		}
		open, err := p.store.Works(p.Context(), store.WorkFilter{State: store.WorkOpen})
		check(p.T, err)
		p.same(len(open), 0)
	})
}
