package query

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/store"
)

// sessions stores the sessions of the caller. The caller has at most one open session for each repository.
type sessions interface {
	// Session returns the open session of a repository. NotFound: no session is open.
	Session(ctx context.Context, at RealmAt) (store.Session, error)
	// OpenSession, TouchSession and EndSession work like the methods of store.Sessions.
	OpenSession(ctx context.Context, at RealmAt, s store.Session) (open store.Session, added bool, err error)
	TouchSession(ctx context.Context, at RealmAt, s store.Session, now time.Time) error
	EndSession(ctx context.Context, at RealmAt, s store.Session) error
	// ByID reports whether a caller must name a session to end the session. It returns true if several agents share
	// credentials.
	ByID() bool
	// Head returns the commit with the given name, or "" if there is none. The name "" means the commit on which the
	// caller works now.
	Head(ctx context.Context, at RealmAt, name string) (string, error)
	// Commits returns the number of first-parent commits between two commits. It counts the second commit, but not the
	// first.
	Commits(ctx context.Context, at RealmAt, from, to string) (int, error)
	// HasRuns reports whether the store has the runs of the repository.
	HasRuns(at RealmAt) bool
}

// Session is a period in which somebody works on a repository of a realm.
type Session struct {
	ID        string   `json:"id" jsonschema:"id"`
	Realm     string   `json:"realm" jsonschema:"name"`
	Repo      string   `json:"repo" jsonschema:"name in the realm"`
	StartedAt string   `json:"started_at" jsonschema:"time"`
	EndedAt   string   `json:"ended_at,omitempty" jsonschema:"time"`
	Duration  string   `json:"duration,omitempty" jsonschema:"such as 2h 15m"`
	RFC       string   `json:"active_rfc,omitempty" jsonschema:"document about the present work"`
	Domains   []string `json:"active_domains" jsonschema:"that the repository is in"`
	Modified  []string `json:"contracts_modified" jsonschema:"own contracts that differ from the baseline"`
	Watched   []string `json:"contracts_watched" jsonschema:"imported contracts"`
}

// SessionStartParams describe the work of a session.
type SessionStartParams struct {
	RealmAt
	RFC string `json:"active_rfc,omitempty" jsonschema:"document about the present work"`
	At  string `json:"at,omitempty" jsonschema:"branch or commit"`
}

// SessionStarted is an open session.
type SessionStarted struct {
	Status    string   `json:"status" jsonschema:"success; warning: one was open"`
	Message   string   `json:"message" jsonschema:"text"`
	Session   Session  `json:"session" jsonschema:"the open session"`
	NextSteps []string `json:"next_steps" jsonschema:"advice"`
}

// maxRFC is the max size of the name of an RFC, in bytes.
const maxRFC = 200

// SessionStart starts a session. If a session is open, it returns the open session. Invalid: the name of the RFC is not
// valid, or the repository cannot have sessions.
func (a *Asker) SessionStart(ctx context.Context, p SessionStartParams) (SessionStarted, error) {
	if len(p.RFC) > maxRFC || Clean(p.RFC) != p.RFC || strings.ContainsAny(p.RFC, "\t\n") {
		return SessionStarted{}, store.Errorf(store.Invalid, "active_rfc has at most %d bytes and no control characters",
			maxRFC)
	}
	found, err := a.working(ctx, &p.RealmAt, p.At)
	if err != nil {
		return SessionStarted{}, err
	}
	if found.Current == "" {
		return SessionStarted{}, store.Hint(store.Errorf(store.Invalid, "the realm's own repository has no sessions"),
			"start one in a member")
	}
	head, err := a.Work.Head(ctx, p.RealmAt, p.At)
	if err != nil {
		return SessionStarted{}, err
	}
	now := a.now().UTC().Truncate(time.Microsecond)
	s := store.Session{ID: sessionID(now), Realm: Clean(found.Name), Member: found.Current, RFC: p.RFC, At: p.At,
		Commit: head, Base: states(found.Baseline, found.Current), StartedAt: now, ActiveAt: now}
	describe(&s, found, s.Base)
	open, added, err := a.Work.OpenSession(ctx, p.RealmAt, s)
	if err != nil {
		return SessionStarted{}, err
	}
	if !added {
		return SessionStarted{"warning", "A session is open already", sessionOf(open),
			[]string{"Use session_stop to end it, before you start another one"}}, nil
	}
	return SessionStarted{succeeded, "Session started", sessionOf(open),
		[]string{"Use session_stop when done to get a summary"}}, nil
}

// working returns the realm of the repository on which the caller works. It also sets the repository's name in scope.
func (a *Asker) working(ctx context.Context, scope *RealmAt, commit string) (RealmFound, error) {
	of, err := a.realmOf(RealmOf{RealmAt: *scope, At: commit})
	if err != nil {
		return RealmFound{}, err
	}
	if a.Work == nil {
		return RealmFound{}, store.Errorf(store.Invalid, "nobody works on repositories here")
	}
	*scope = of.RealmAt
	return a.realm(ctx, of)
}

// sessionID returns a new session ID. A later ID sorts after an earlier ID.
func sessionID(now time.Time) string {
	var random [5]byte
	_, _ = rand.Read(random[:]) // Read never fails
	return fmt.Sprintf("sess-%011x%x", now.UnixMilli(), random)
}

// describe sets the realm's facts about the session's repository. base holds the states of contracts at the start of
// the session. A contract that the repository owns is modified if its state differs from base.
func describe(s *store.Session, found RealmFound, base map[string]string) {
	s.Domains, s.Modified, s.Watched = []string{}, []string{}, []string{}
	for _, d := range found.Domains {
		if !d.Has(s.Member) {
			continue
		}
		s.Domains = append(s.Domains, d.Name)
		for _, b := range d.Bindings {
			for _, i := range b.Imports {
				if name := d.Name + "/" + i.Contract; b.Repo == s.Member && !slices.Contains(s.Watched, name) {
					s.Watched = append(s.Watched, name)
				}
			}
		}
	}
	slices.Sort(s.Watched)
	if base == nil {
		return // the earlier state is unknown
	}
	now := states(found.Realm, s.Member)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if base[name] != now[name] {
			s.Modified = append(s.Modified, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(base)) {
		if now[name] == "" {
			s.Modified = append(s.Modified, name)
		}
	}
}

// maxStates is the max number of contracts whose states a session stores.
const maxStates = 5000

// states returns a digest of each contract that a member owns, by domain and name. It returns nil if there is no realm,
// or if the member owns too many contracts.
func states(r *realm.Realm, owner string) map[string]string {
	if r == nil {
		return nil
	}
	all := map[string]string{}
	for _, d := range r.Domains {
		for _, c := range d.Contracts {
			if c.Owner == owner {
				sum := sha256.Sum256([]byte(strings.Join([]string{c.Version, c.SchemaHash, c.ValueHash}, "\n")))
				all[d.Name+"/"+c.Name] = hex.EncodeToString(sum[:10])
			}
		}
	}
	if len(all) > maxStates {
		return nil
	}
	return all
}

// sessionOf returns a session in the form that answers show.
func sessionOf(s store.Session) Session {
	return Session{ID: Clean(s.ID), Realm: Clean(s.Realm), Repo: Clean(s.Member), StartedAt: stamp(s.StartedAt),
		RFC: Clean(s.RFC), Domains: orNone(s.Domains), Modified: orNone(s.Modified), Watched: orNone(s.Watched)}
}

// orNone returns the list, or an empty list for nil.
func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// SessionStopParams name a session.
type SessionStopParams struct {
	RealmAt
	ID string `json:"session_id,omitempty" jsonschema:"from session_start; servers need it"`
}

// SessionStopped is an ended session.
type SessionStopped struct {
	Status    string         `json:"status" jsonschema:"success"`
	Message   string         `json:"message" jsonschema:"text"`
	Summary   SessionSummary `json:"summary" jsonschema:"numbers of the session's work"`
	NextSteps []string       `json:"next_steps" jsonschema:"advice"`
}

// SessionSummary holds numbers about the work in a session.
type SessionSummary struct {
	Session
	Reason  string `json:"ended_reason,omitempty" jsonschema:"idle: it had ended by itself"`
	Runs    int    `json:"runs" jsonschema:"runs of the repository"`
	New     int    `json:"events_new" jsonschema:"errors that their runs did not have before"`
	Fixed   int    `json:"events_fixed" jsonschema:"errors that are gone"`
	Commits int    `json:"commits" jsonschema:"commits"`
}

// SessionStop ends a session. NotFound: no session is open, or the open session has another ID. Invalid: the caller
// must name the session.
func (a *Asker) SessionStop(ctx context.Context, p SessionStopParams) (SessionStopped, error) {
	of, err := a.realmOf(RealmOf{RealmAt: p.RealmAt})
	if err != nil {
		return SessionStopped{}, err
	}
	switch {
	case a.Work == nil:
		return SessionStopped{}, store.NoSession()
	case p.ID == "" && a.Work.ByID():
		return SessionStopped{}, store.Next(store.Errorf(store.Invalid, "which session? session_stop needs session_id"),
			store.NewCall("session_start", "says which one is open"))
	}
	s, err := a.Work.Session(ctx, of.RealmAt)
	if err != nil {
		return SessionStopped{}, err
	}
	if p.ID != "" && p.ID != s.ID {
		return SessionStopped{}, store.NoSession()
	}
	end := a.now()
	sum := SessionSummary{}
	if s.IsIdle(end) {
		end, sum.Reason = s.ActiveAt.Add(store.SessionIdle), "idle"
	}
	switch found, err := a.realm(ctx, RealmOf{RealmAt: of.RealmAt, At: s.At}); store.CodeOf(err) {
	case store.NotFound, store.Invalid: // the realm is gone now; the session keeps the earlier facts
	default:
		if err != nil {
			return SessionStopped{}, err
		}
		if s.Base == nil {
			s.Base = states(found.Baseline, s.Member)
		}
		describe(&s, found, s.Base)
	}
	if err := a.count(ctx, of.RealmAt, s, &sum); err != nil {
		return SessionStopped{}, err
	}
	if err := a.Work.EndSession(ctx, of.RealmAt, s); err != nil {
		return SessionStopped{}, err
	}
	sum.Session = sessionOf(s)
	sum.EndedAt, sum.Duration = stamp(end), lasting(end.Sub(s.StartedAt))
	return SessionStopped{succeeded, "Session ended after " + sum.Duration, sum,
		[]string{"Start a new session with session_start when ready"}}, nil
}

// lasting returns a duration in a short form: 2h 15m, 15m or 42s.
func lasting(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d >= time.Hour:
		return fmt.Sprintf("%dh %dm", int(d.Hours()), int(d.Minutes())%60)
	case d >= time.Minute:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	}
	return fmt.Sprintf("%ds", int(d.Seconds()))
}

// maxSessionRuns is the max number of runs that are read for a session, or for the checks of a commit.
const maxSessionRuns = 10_000

// count sets the numbers about the work in a session.
func (a *Asker) count(ctx context.Context, at RealmAt, s store.Session, sum *SessionSummary) error {
	head, err := a.Work.Head(ctx, at, s.At)
	if err != nil && store.CodeOf(err) != store.NotFound {
		return err
	}
	if head != "" && s.Commit != "" {
		if sum.Commits, err = a.Work.Commits(ctx, at, s.Commit, head); err != nil {
			return err
		}
	}
	if !a.Work.HasRuns(at) {
		return nil
	}
	runs, err := a.reader().Runs(ctx, a.Scope, store.RunFilter{Repo: at.Repo, Since: s.StartedAt, Own: true,
		Limit: maxSessionRuns})
	if err != nil {
		return err
	}
	sum.Runs = len(runs)
	newest, first := map[store.Step]store.Run{}, map[store.Step]int{}
	for _, r := range runs {
		step := r.Step()
		if _, known := newest[step]; !known && r.Ended() {
			newest[step] = r
		}
		if n := first[step]; n == 0 || r.Serial < n {
			first[step] = r.Serial
		}
	}
	for step, head := range newest {
		before, err := store.RunsOfStep(ctx, a.reader(), a.Scope, head, store.RunFilter{Repo: head.Repo, Before: first[step],
			Baseline: true, Limit: 1})
		if err != nil {
			return err
		}
		if len(before) == 0 {
			continue // without a baseline nothing is new
		}
		c, err := a.compare(ctx, before[0], head, 1)
		if err != nil {
			return err
		}
		sum.New, sum.Fixed = sum.New+c.Counts.New, sum.Fixed+c.Counts.Fixed
	}
	return nil
}

// touchAfter is the min time between two records of a session's activity.
const touchAfter = 10 * time.Minute

// session returns the open session of a repository. It also records that the session is active. NotFound: no session is
// open, or the open session is idle.
func (a *Asker) session(ctx context.Context, at RealmAt) (store.Session, error) {
	if a.Work == nil {
		return store.Session{}, store.NoSession()
	}
	s, err := a.Work.Session(ctx, at)
	if err != nil {
		return s, err
	}
	now := a.now()
	switch {
	case s.IsIdle(now):
		return s, store.NoSession()
	case now.Sub(s.ActiveAt) >= touchAfter:
		err = a.Work.TouchSession(ctx, at, s, now)
	}
	return s, err
}
