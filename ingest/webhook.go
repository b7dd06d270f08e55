package ingest

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

// maxWebhook is how large GitHub's payloads can be.
const maxWebhook = 25 << 20

// webhook takes what GitHub tells: that jobs ended, whose runs then give no
// more signs of life, and that repositories have another name. What else it
// tells is acknowledged and left alone. A delivery may come twice, and late.
func (s *Service) webhook(w http.ResponseWriter, r *http.Request) error {
	if len(s.WebhookSecret) == 0 {
		return store.Errorf(store.NotFound, "nothing is served at this path")
	}
	if err := contentType(r, "application/json"); err != nil {
		return err
	}
	body, err := s.readBody(w, r, maxWebhook)
	if err != nil {
		return err
	}
	if !s.signed(body, r.Header.Get("X-Hub-Signature-256")) {
		return store.Hint(store.Errorf(store.Unauthorized, "the signature is wrong"), "give the webhook and this server the same secret")
	}
	var d delivery
	if err := unmarshal(body, &d); err != nil {
		return err
	}
	if err := s.jobEnded(r.Context(), r.Header.Get("X-GitHub-Event"), d); err != nil {
		return err
	}
	if err := s.renamed(r.Context(), r.Header, d.Repository); err != nil {
		return err
	}
	s.Observer.Received(KindWebhook, 1, int64(len(body)))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// signed says whether a body has a signature made with our secret.
func (s *Service) signed(body []byte, signature string) bool {
	given, err := hex.DecodeString(strings.TrimPrefix(signature, "sha256="))
	mac := hmac.New(sha256.New, s.WebhookSecret)
	mac.Write(body)
	return err == nil && hmac.Equal(given, mac.Sum(nil))
}

// delivery is what is read of a payload.
type delivery struct {
	Action      string      `json:"action"`
	Repository  hookRepo    `json:"repository"`
	WorkflowJob workflowJob `json:"workflow_job"`
	WorkflowRun workflowRun `json:"workflow_run"`
}

type hookRepo struct {
	ID            int64  `json:"id"`
	FullName      string `json:"full_name"`
	DefaultBranch string `json:"default_branch"`
	Private       bool   `json:"private"`
}

type workflowJob struct {
	ID          int64     `json:"id"` // that of its check run, too
	RunID       int64     `json:"run_id"`
	RunAttempt  int       `json:"run_attempt"`
	Conclusion  string    `json:"conclusion"`
	CompletedAt time.Time `json:"completed_at"`
}

type workflowRun struct {
	ID         int64     `json:"id"`
	RunAttempt int       `json:"run_attempt"`
	Conclusion string    `json:"conclusion"`
	UpdatedAt  time.Time `json:"updated_at"`
}

// ending is which runs ended, and how.
type ending struct {
	runID      string
	attempt    int
	job        string // ID of its check run, "" for all jobs
	conclusion string
	at         time.Time
}

// jobEnded settles the runs that still seem to run of a job, or of a workflow
// run, that ended. Those of a cancelled one were cancelled; of another one
// nobody knows how they went on: they are orphaned, and may come back.
func (s *Service) jobEnded(ctx context.Context, event string, d delivery) error {
	if d.Action != "completed" || d.Repository.FullName == "" {
		return nil
	}
	var e ending
	switch j, run := d.WorkflowJob, d.WorkflowRun; event {
	case "workflow_job":
		e = ending{strconv.FormatInt(j.RunID, 10), j.RunAttempt, strconv.FormatInt(j.ID, 10), j.Conclusion, j.CompletedAt}
	case "workflow_run":
		e = ending{strconv.FormatInt(run.ID, 10), run.RunAttempt, "", run.Conclusion, run.UpdatedAt}
	default:
		return nil
	}
	for _, state := range []store.State{store.StateRunning, store.StateOrphaned} {
		runs, err := s.Store.Runs(ctx, store.Repos(d.Repository.FullName), store.RunFilter{Repo: d.Repository.FullName, State: state, Limit: 10_000})
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
	ci := run.CI
	if ci == nil || ci.RunID != e.runID || ci.RunAttempt != e.attempt || e.job != "" && ci.CheckRunID != e.job {
		return nil
	}
	var err error
	if e.conclusion == "cancelled" {
		at := s.when(e.at, s.Now())
		if at.Before(run.StartedAt) {
			at = run.StartedAt
		}
		_, err = s.Store.FinishRun(ctx, run.Attempt, store.Finish{
			Ending: store.Ending{FinishedAt: at, Reason: store.ReasonCancelled, Lost: "the job was cancelled before all was sent"}, Chunks: -1, Batches: -1,
		})
	} else {
		_, err = s.Store.OrphanRun(ctx, run.Attempt, s.Now())
	}
	if store.CodeOf(err) == store.NotFound {
		return nil // pruned meanwhile
	}
	return err
}

// renamed takes up what changed of an enrolled repository. A delivery that
// comes again does so in vain: the name may be another one by now.
func (s *Service) renamed(ctx context.Context, h http.Header, r hookRepo) error {
	if s.Directory == nil || r.ID == 0 || !store.IsRepoName(r.FullName) {
		return nil
	}
	known, err := s.Directory.EnrolledRepo(ctx, cmp.Or(h.Get("X-GitHub-Enterprise-Host"), store.DefaultHost), r.ID)
	if store.CodeOf(err) == store.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	now := known
	now.Name, now.DefaultBranch, now.Public = r.FullName, r.DefaultBranch, !r.Private
	if now == known {
		return nil
	}
	if delivered := h.Get("X-GitHub-Delivery"); delivered != "" {
		err := s.Directory.UseOnce(ctx, "github delivery "+delivered, s.Now().Add(30*24*time.Hour))
		if store.CodeOf(err) == store.Conflict {
			return nil
		}
		if err != nil {
			return err
		}
	}
	_, err = s.Directory.EnrolRepo(ctx, now)
	return err
}
