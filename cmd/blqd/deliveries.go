package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/deliveries"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/githubapp"
	"github.com/blq-ci/blq/internal/hook"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/internal/queue"
	"github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/internal/wait"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// checkApp checks the settings of the GitHub App.
func (c *Config) checkApp() error {
	choices := []deliveries.Checks{deliveries.NoChecks, deliveries.ChecksNever, deliveries.ChecksOnErrors,
		deliveries.ChecksNewErrors}
	switch {
	case !slices.Contains(choices, deliveries.Checks(c.Checks)):
		return wrong("checks", fmt.Sprintf("it must be one of %v, not %q", choices, c.Checks), "blqd serve --checks never")
	case c.AppID == 0 && c.AppKey == "":
		return nil
	case c.AppID == 0 || c.AppKey == "":
		return store.Next(wrong("app-id", "a GitHub App needs both its ID and "+envName("app-key"), ""),
			store.Shell{Line: "blqd app create", Why: "makes an app"})
	case c.GitHubAPI == "":
		return wrong("app-id", "a GitHub App needs GitHub's API, and it is turned off",
			"blqd serve --github-api https://api.github.com")
	case c.Webhook == "" && c.OwnerHooks == "":
		return store.Next(wrong("app-id", "a GitHub App needs the secret of its webhook", ""),
			store.Shell{Line: "export BLQ_WEBHOOK_SECRET_FILE=/run/secrets/webhook"})
	}
	return nil
}

// app returns the service's GitHub App, or nil if there is none.
func (c *Config) app() (*githubapp.App, error) {
	if c.AppID == 0 {
		return nil, nil
	}
	app, err := githubapp.New(githubapp.Config{ID: int64(c.AppID), Key: c.AppKey,
		Client: github.Config{API: c.GitHubAPI, Agent: "blqd", Patience: -1}})
	return app, store.Next(err, store.Shell{Line: "export BLQ_APP_KEY_FILE=/run/secrets/app.pem"})
}

// newQueue creates the queue of the service and the handlers of its jobs.
func (s *service) newQueue() (err error) {
	notify, contracts, err := s.config.hooks()
	if err != nil {
		return err
	}
	s.deliveries = deliveries.New(deliveries.Config{Store: s.places.store, Blobs: s.places.blobs,
		Directory: s.places.store, Notes: s.places.store, Remover: s.places.store, Posted: s.metrics.posted,
		App: s.app, Log: s.log, Turn: s.turn,
		Line: cmdline.Words, Checks: deliveries.Checks(s.config.Checks), Notify: notify,
		Ask: func(repo string) *query.Asker {
			return &query.Asker{Store: s.places.store, Blobs: s.places.blobs, Scope: store.Repos(repo),
				Ancestry: branches{s.places.store}, Texts: s.texts, Page: s.config.pageURL}
		},
		Take: func(ctx context.Context, d payload.Delivery) error { return s.ingest.TakeDelivery(ctx, d) },
		Claim: func(ctx context.Context, repo string, c store.Claim) (func(), error) {
			return s.ingest.Claim(ctx, repo, c)
		}})
	s.hook = &realms.Hook{Store: s.places.store, Sender: contracts, Now: time.Now,
		Put: s.putInRoom}
	handlers := s.deliveries.Handlers()
	handlers[realms.KindPost] = s.hook.Post
	for kind, work := range handlers {
		handlers[kind] = inTurns(work)
	}
	s.queue = queue.New(queue.Config{Queue: s.places.store, Workers: s.config.Workers, Log: s.log, Done: s.metrics.tried,
		Handlers: handlers})
	s.summaries = s.newSummaries()
	return nil
}

// inTurns runs each job of a repository with the limits of the repository's owner. Brief requests of the owner go
// first.
func inTurns(work queue.Handler) queue.Handler {
	return func(ctx context.Context, w store.Work) ([]store.Work, error) {
		if w.Repo != "" {
			ctx = httpserver.Background(ctx, auth.TenantOf(w.Repo))
		}
		return work(ctx, w)
	}
}

// hooks returns the receivers of notifications. notify sends notifications about new failures on default branches, and
// contracts sends notifications about changed contracts. The error is Malformed if an address is not allowed, and
// Invalid if notifications about contracts have no secret.
func (c *Config) hooks() (notify deliveries.Notify, contracts *hook.Sender, err error) {
	if c.ContractsURL != "" && c.ContractsKey == "" {
		return notify, nil, store.Hint(store.Errorf(store.Invalid, "a webhook of notifications needs a secret to sign with"),
			"set BLQ_CONTRACTS_SECRET")
	}
	contracts, err = hook.New(hook.Config{Address: c.ContractsURL, Secret: c.ContractsKey, Private: c.ContractsIn})
	if err != nil {
		return notify, nil, err
	}
	notify.Hook, err = hook.New(hook.Config{Address: c.NotifyURL, Secret: c.NotifySecret, Private: c.NotifyIn})
	if err != nil {
		return notify, nil, err
	}
	notify.Slack, err = hook.New(hook.Config{Address: c.SlackURL, Private: c.NotifyIn})
	return notify, contracts, err
}

// putInRoom puts jobs into the queue if the quota of each owner has room for the owner's jobs. If a quota has no room,
// it puts no job into the queue and returns a Full error.
func (s *service) putInRoom(ctx context.Context, jobs ...store.Work) (int, error) {
	for _, w := range jobs {
		done, err := s.ingest.RoomForJob(ctx, w.Repo, w.StoredBytes())
		if err != nil {
			return 0, err
		}
		defer done() // the claims add up until all jobs are stored
	}
	return s.queue.Put(ctx, jobs...)
}

// sweepEvery is the interval between searches for changes that no delivery reported.
const sweepEvery = 15 * time.Minute

// sweep searches regularly for GitHub events for which no delivery has arrived, until ctx ends. Only one replica makes
// each search.
func (s *service) sweep(ctx context.Context) {
	for s.app != nil && ctx.Err() == nil {
		slot := time.Now().Truncate(sweepEvery)
		err := s.places.store.UseOnce(ctx, "sweep "+slot.Format(time.RFC3339), slot.Add(time.Hour))
		if err == nil {
			err = s.deliveries.Sweep(ctx, s.queue)
		}
		if err != nil && store.CodeOf(err) != store.Conflict && ctx.Err() == nil {
			s.log.ErrorContext(ctx, "sweep failed", "error", err)
		}
		_ = wait.For(ctx, time.Until(slot.Add(sweepEvery))+rand.N(time.Second)) // the loop checks ctx
	}
}

// deliver puts a delivery of a webhook into the queue.
func (s *service) deliver(ctx context.Context, d payload.Delivery) error {
	w, err := deliveries.Queued(d)
	if err == nil {
		_, err = s.queue.Put(ctx, w)
	}
	return err
}

// ended is called when a client has sent a run completely. It queues the removal of duplicates, if logs of the same CI
// job were fetched. If ended fails, the duplicates are found when the next run of this CI job ends.
func (s *service) ended(ctx context.Context, r store.Run) {
	if err := s.deliveries.Ended(ctx, s.queue, r); err != nil {
		s.log.WarnContext(ctx, "doubles of a run were not looked for", "run", r.Ref(), "error", err)
	}
}

// tried counts one try of a queued job.
func (m *metrics) tried(t queue.Try) {
	m.tries.WithLabelValues(t.Kind, string(t.Result)).Inc()
	m.tryTime.WithLabelValues(t.Kind).Observe(t.Took.Seconds())
}

// posted counts posted reports, by their state.
func (m *metrics) posted(state store.PostState) { m.posts.WithLabelValues(string(state)).Inc() }

// waiting collects the metrics of the queue.
type waiting struct {
	queue store.Queue
}

var inQueue = prometheus.NewDesc("blq_queue_jobs", "Jobs in the queue that wait or are worked on (open), or have "+
	"failed for good (dead), on all replicas.", []string{"kind", "state"}, nil)

// Describe implements prometheus.Collector.
func (waiting) Describe(ch chan<- *prometheus.Desc) { ch <- inQueue }

// Collect implements prometheus.Collector.
func (w waiting) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), liveTimeout)
	defer cancel()
	counts, err := w.queue.CountWork(ctx)
	if err != nil {
		return // the metric blq_ready shows that the database cannot be used
	}
	for _, c := range counts {
		ch <- prometheus.MustNewConstMetric(inQueue, prometheus.GaugeValue, float64(c.Jobs), c.Kind, string(c.State))
	}
}
