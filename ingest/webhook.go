package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// maxWebhook is the max size in bytes of GitHub's payloads.
const maxWebhook = 25 << 20

// maxEnded is the max number of runs in each state that one delivery ends.
const maxEnded = 10_000

// webhook receives deliveries of GitHub. If a job has ended, its runs send no more heartbeats, so the service has to
// end these runs. If an enrolled repository was renamed, the service has to learn the new name. GitHub may send a
// delivery twice, or late.
func (s *Service) webhook(w http.ResponseWriter, r *http.Request) error {
	if len(s.WebhookSecrets) == 0 {
		return store.Errorf(store.NotFound, "nothing is served at this path")
	}
	if err := contentType(r, "application/json"); err != nil {
		return err
	}
	signature := r.Header.Get("X-Hub-Signature-256")
	if !strings.HasPrefix(signature, "sha256=") {
		return unsigned()
	}
	from := httpserver.Tenant(r.Context())
	if err := s.limited(limitBytes, s.rates.deliveries(from, bodySize(r, maxWebhook))); err != nil {
		return err
	}
	body, err := s.readBody(w, r, maxWebhook)
	if err != nil {
		return err
	}
	leave, err := s.bodyTurn(r.Context(), body)
	if err != nil {
		return err
	}
	by := s.signedBy(body, signature)
	var p payload.Event
	if by != nil {
		if err = s.holdJSON(r, body); err == nil {
			err = unmarshal(body, &p)
		}
	}
	leave()
	if by == nil {
		return unsigned()
	}
	owner := auth.TenantOf(cmp.Or(p.Repository.FullName, installed(p)))
	httpserver.SetCaller(r.Context(), "webhook", owner)
	if err := cmp.Or(err, s.limited(limitRequests, s.rates.requestOf("webhook "+owner))); err != nil {
		return err
	}
	if !by.speakFor(p.Repository.FullName) || !by.speakFor(installed(p)) {
		return store.Hint(store.Errorf(store.Forbidden, "the secret is not one of the repository's owner"),
			"sign with a secret of its owner")
	}
	d := payload.Delivery{ID: r.Header.Get("X-GitHub-Delivery"), Event: r.Header.Get("X-GitHub-Event"),
		Host: cmp.Or(r.Header.Get("X-GitHub-Enterprise-Host"), store.DefaultHost), Payload: p}
	if err := s.deliver(r.Context(), d); err != nil {
		return err
	}
	s.Observer.Received(KindWebhook, 1, int64(len(body)))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// maxDeliveryID is the max size in bytes of a delivery's ID.
const maxDeliveryID = 100

// maxKept is the max size in bytes of a queued delivery. Each worker reads one queued delivery at a time.
const maxKept = 4 << 20

// maxName is the max size in bytes of the name of a delivery's repository or account.
const maxName = 400

// deliver queues a delivery that needs work. It calls TakeDelivery instead if the delivery needs no work or names no
// repository and no account, if there is no queue, or if the storage quota is full.
func (s *Service) deliver(ctx context.Context, d payload.Delivery) error {
	if s.Deliver == nil || !d.NeedsWork() {
		return s.TakeDelivery(ctx, d)
	}
	if d.ID == "" || len(d.ID) > maxDeliveryID {
		return store.Errorf(store.Invalid, "the header X-GitHub-Delivery is not an ID")
	}
	name := cmp.Or(d.Payload.Repository.FullName, installed(d.Payload))
	if name == "" { // for example, an enterprise has no repositories
		return s.TakeDelivery(ctx, d)
	}
	if len(name) > maxName || !store.IsRepoName(name) && !store.IsRepoName(name+"x") {
		return store.Errorf(store.Invalid, "the delivery is about %.80q, which is no repository and no account", name)
	}
	kept, err := json.Marshal(d)
	switch {
	case err != nil:
		return err
	case len(kept) > maxKept:
		return store.Hint(store.Errorf(store.TooLarge, "what is kept of the delivery takes %d bytes, more than %d",
			len(kept), maxKept), "select fewer repositories at once")
	}
	done, err := s.claimWork(ctx, name, store.WorkRow+int64(len(kept)))
	if store.CodeOf(err) == store.Full { // deliveries about ended jobs and new names need no room
		return cmp.Or(s.TakeDelivery(ctx, d), err)
	}
	if err != nil {
		return err
	}
	defer done()
	return s.Deliver(ctx, d)
}

// installed returns the account on which the delivery's app is installed, as "owner/". It returns "" if the delivery
// does not name the account.
func installed(p payload.Event) string {
	if p.Installation == nil || p.Installation.Account.Login == "" {
		return ""
	}
	return p.Installation.Account.Login + "/"
}

// TakeDelivery does the work of a delivery. It ends the runs of an ended job or workflow run. It also updates the name,
// the default branch and the visibility of an enrolled repository. It may be called again for the same delivery.
func (s *Service) TakeDelivery(ctx context.Context, d payload.Delivery) error {
	if err := s.jobEnded(ctx, d.Event, d.Payload); err != nil {
		return err
	}
	return s.renamed(ctx, d.Host, d.Payload.Repository)
}

// unsigned returns the error for a delivery without a valid signature.
func unsigned() error {
	return store.Hint(store.Errorf(store.Unauthorized, "the signature is wrong"),
		"give the webhook and this server the same secret")
}

// ending is the end of a job or of a workflow run.
type ending struct {
	of         store.CIJob
	conclusion string
	at         time.Time
}

// endingOf returns the ending that an event reports. It returns false if the event reports no ending.
func endingOf(event string, p payload.Event) (ending, bool) {
	job, run := p.WorkflowJob, p.WorkflowRun
	switch {
	case p.Action != "completed" || p.Repository.FullName == "":
	case event == "workflow_job" && job != nil:
		of := store.CIJob{RunID: strconv.FormatInt(job.RunID, 10), RunAttempt: job.RunAttempt,
			CheckRunID: strconv.FormatInt(job.ID, 10)}
		return ending{of, job.Conclusion, job.CompletedAt}, true
	case event == "workflow_run" && run != nil:
		of := store.CIJob{RunID: strconv.FormatInt(run.ID, 10), RunAttempt: run.RunAttempt}
		return ending{of, run.Conclusion, run.UpdatedAt}, true
	}
	return ending{}, false
}

// jobEnded ends the running and orphaned runs of an ended job or workflow run. If the job was cancelled, its runs are
// cancelled. Otherwise the outcome of the runs is unknown. So they become orphaned, and their client may still finish
// them.
func (s *Service) jobEnded(ctx context.Context, event string, p payload.Event) error {
	e, ok := endingOf(event, p)
	if !ok {
		return nil
	}
	repo := p.Repository.FullName
	for _, state := range []store.State{store.StateOrphaned, store.StateRunning} {
		runs, err := s.Store.Runs(ctx, store.Repos(repo),
			store.RunFilter{Repo: repo, State: state, Job: e.of, Limit: maxEnded})
		if err != nil {
			return err
		}
		for _, run := range runs {
			if err := s.settle(ctx, run, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Service) settle(ctx context.Context, run store.Run, e ending) error {
	var err error
	if e.conclusion == "cancelled" {
		at := s.when(e.at, s.Now())
		if at.Before(run.StartedAt) {
			at = run.StartedAt
		}
		_, err = s.Store.FinishRun(ctx, run.Attempt, store.Finish{
			Ending: store.Ending{FinishedAt: at, Reason: store.ReasonCancelled,
				Lost: "the job was cancelled before all was sent"}, Chunks: -1, Batches: -1,
		})
	} else {
		_, err = s.Store.OrphanRun(ctx, run.Attempt, s.Now())
	}
	if store.CodeOf(err) == store.NotFound {
		return nil // the run was pruned in the meantime
	}
	return err
}

// renamed updates an enrolled repository if a delivery gives it another name, default branch or visibility. The owner
// who signed the delivery may have made up a name. Therefore the forge has to confirm the name: the repository that has
// this name on the forge must have the enrolled ID.
func (s *Service) renamed(ctx context.Context, host string, r payload.Repository) error {
	if s.Directory == nil || r.ID == 0 || !store.IsRepoName(r.FullName) {
		return nil
	}
	known, err := s.Directory.EnrolledRepo(ctx, host, r.ID)
	if store.CodeOf(err) == store.NotFound {
		return nil
	}
	if err != nil || known.Name == r.FullName && known.DefaultBranch == r.DefaultBranch && known.Public == !r.Private {
		return err
	}
	now, err := s.confirmed(ctx, known, r)
	if err != nil || now == known {
		return err
	}
	_, err = s.Directory.EnrolRepo(ctx, now)
	return err
}

// confirmed returns an enrolled repository with the facts that the forge has under a name. If the forge does not
// confirm the name, the known facts stay. There is one exception: if a delivery with the known name says that the
// repository is private, it becomes private, because the forge may be unable to show a private repository.
func (s *Service) confirmed(ctx context.Context, known store.EnrolledRepo, r payload.Repository) (
	store.EnrolledRepo, error) {
	doubted := known
	doubted.Public = known.Public && !(r.Private && r.FullName == known.Name)
	if s.Confirm == nil {
		s.Log.WarnContext(ctx, "rename not believed: GitHub cannot be asked", "repo", known.Name, "name", r.FullName)
		return doubted, nil
	}
	found, err := s.Confirm(ctx, known.Host, r.FullName)
	switch code := store.CodeOf(err); {
	case code == store.NotFound, code == store.Forbidden, err == nil && found.ID != known.ID:
		s.Log.WarnContext(ctx, "rename not believed: GitHub does not confirm it", "repo", known.Name, "name", r.FullName)
		return doubted, nil
	case err != nil:
		return known, err
	}
	known.Name, known.DefaultBranch, known.Public = found.FullName, found.DefaultBranch, !found.Private
	return known, nil
}
