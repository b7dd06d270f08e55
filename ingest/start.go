package ingest

import (
	"net/http"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// start starts a run. If the run exists already, the answer says which parts of the run the service has.
func (s *Service) start(w http.ResponseWriter, r *http.Request) error {
	var in api.Start
	if err := s.readJSON(w, r, &in); err != nil {
		return err
	}
	p := caller(r.Context())
	run, err := s.newRun(p, in)
	if err != nil {
		return err
	}
	before, err := s.known(r, p, run.Attempt)
	if err != nil {
		return err
	}
	if before == nil {
		if err := s.checkRunning(r.Context(), run.Repo); err != nil {
			return err
		}
		done, err := s.claim(r.Context(), run.Repo, store.Claim{Runs: 1, Bytes: store.RunRow + run.TextBytes()})
		if err != nil {
			return err
		}
		defer done()
		run, err = s.Store.StartRun(r.Context(), run)
		if store.CodeOf(err) == store.Conflict {
			return taken(in.AttemptID)
		}
		if err != nil {
			return err
		}
		if !p.MayWriteRun(run) { // another request was faster
			return taken(in.AttemptID)
		}
		s.Observer.Received(KindRun, 1, httpserver.BytesIn(r.Context()))
		s.Observer.Lag(KindRun, max(0, s.Now().Sub(run.StartedAt)))
	} else if before.Repo != run.Repo {
		return taken(in.AttemptID)
	} else if run, err = s.hideFacts(r.Context(), *before, run); err != nil {
		return err
	}
	answer, err := s.started(r, run)
	if err != nil {
		return err
	}
	status := http.StatusCreated
	if before != nil {
		status = http.StatusOK
	}
	w.Header().Set("Location", "/v1/runs/"+run.Attempt)
	httpserver.WriteJSON(w, status, answer)
	return nil
}

// known returns the run of an attempt that the caller started before. It returns nil if the attempt is new.
func (s *Service) known(r *http.Request, p auth.Principal, attempt string) (*store.Run, error) {
	run, err := s.Store.Run(r.Context(), store.Everything(), store.Ref{Attempt: attempt})
	switch {
	case store.CodeOf(err) == store.NotFound:
		return nil, nil
	case err != nil:
		return nil, err
	case !p.MayWriteRun(run):
		return nil, taken(attempt)
	}
	return &run, nil
}

// taken returns the error for an attempt ID that another run uses, or that a pruned run used. The error does not say
// whose run it is.
func taken(attempt string) error {
	return store.Hint(store.Errorf(store.Conflict, "attempt %s cannot be used: it is taken, or its run was pruned",
		attempt), "make a new UUID for a new run")
}

// newRun returns a run with the facts that the client sends. If the caller's token proves some of these facts, the
// facts of the token are used instead.
func (s *Service) newRun(p auth.Principal, in api.Start) (store.Run, error) {
	attempt, err := attemptID(in.AttemptID)
	if err != nil {
		return store.Run{}, err
	}
	if !store.IsSourceName(in.Source) || in.Source == "latest" {
		return store.Run{}, store.Hint(store.Errorf(store.Invalid, "source_name: %.100q cannot name a source", in.Source),
			"take the name of the step, such as build or test")
	}
	if err := checkStart(in); err != nil {
		return store.Run{}, err
	}
	now := s.Now()
	run := store.Run{
		Attempt: attempt, Repo: in.Repo, Source: in.Source, Command: in.Command, Cwd: in.Cwd,
		StartedAt: s.when(toServiceClock(in.StartedAt, in.SentAt, now), now), HeartbeatAt: now,
		Hostname: in.Hostname, Platform: in.Platform, Arch: in.Arch, CI: in.CI, Format: in.Format, Shape: in.Shape,
		Git: store.Git{Commit: in.Commit, Branch: in.Branch, Dirty: in.Dirty, Root: in.GitRoot},
	}
	run.Undated = in.SentAt.IsZero() && now.Sub(run.StartedAt) > maxSkew
	if p.Facts != nil {
		p.Facts.Overrule(&run)
	}
	if run.Repo, err = writable(p, run.Repo); err != nil {
		return store.Run{}, err
	}
	if run.CI != nil {
		run.CI.Repo = run.Repo
	}
	return run, nil
}

// maxSkew is the max difference between the clocks of a client and the service. If the difference is larger, the
// service corrects the client's times.
const maxSkew = time.Minute

// toServiceClock converts a time of the client's clock to the service's clock. The parameter sent is the time at
// which the client sent the request, by the client's clock. It is zero if unknown. The parameter now is the service's
// time.
func toServiceClock(t, sent, now time.Time) time.Time {
	if off := now.Sub(sent); !sent.IsZero() && t.Year() >= 2000 && off.Abs() > maxSkew {
		return t.Add(off)
	}
	return t
}

// when returns a client's time in the form in which it is stored. If the time is before the year 2000, or more than
// Limits.Skew ahead of now, the result is now. Any other time is only truncated to microseconds, so that durations stay
// correct.
func (s *Service) when(t, now time.Time) time.Time {
	if t.Year() < 2000 || t.After(now.Add(s.Limits.Skew)) {
		return now
	}
	return t.UTC().Truncate(time.Microsecond)
}

// writable returns the repository of a new run or snapshot. This is the repository that the client names. If the client
// names none, it is the only repository to which the caller may send, or "" for a caller that may send to all
// repositories. Invalid: the repository is missing, or its name is not valid. NotFound: the caller may not send to it.
func writable(p auth.Principal, repo string) (string, error) {
	if repo == "" {
		repo = p.Repo
	}
	if names := p.Write.Names(); repo == "" && !p.Write.All() && len(names) == 1 && p.WriteOwners == nil {
		repo = names[0]
	}
	if repo == "" && !p.Write.All() {
		return "", store.Next(store.Errorf(store.Invalid, "repo is missing"),
			store.NewCall("push", "the field repo of the API", "repo", "owner/name"))
	}
	if repo != "" && (!store.IsRepoName(repo) || len(repo) > 200 ||
		strings.ContainsFunc(repo, func(r rune) bool { return r <= ' ' || r > '~' })) {
		return "", store.Hint(store.Errorf(store.Invalid, "repo: %.100q is not a repository", repo),
			"name it as owner/name")
	}
	if !p.MayWrite(repo) {
		return "", store.Hint(store.Errorf(store.NotFound, "no repository %s that you may send runs for", repo),
			"use a token that is good for it, or have it enrolled")
	}
	return repo, nil
}
