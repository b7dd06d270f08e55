package store

import (
	"context"
	"encoding/json"
	"time"
)

// Session is a time in which somebody works on a repository of a realm.
type Session struct {
	ID     string `json:"id"`
	Repo   string `json:"-"` // owner/name, "" where there is only one
	Reader string `json:"-"` // whose it is

	Realm    string   `json:"realm"` // name
	Member   string   `json:"repo"`  // name of the repository in the realm
	RFC      string   `json:"active_rfc,omitempty"`
	At       string   `json:"at,omitempty"`     // the branch or commit that is worked on, "" for the usual one
	Commit   string   `json:"commit,omitempty"` // at which it began
	Domains  []string `json:"active_domains"`
	Modified []string `json:"contracts_modified"`
	Watched  []string `json:"contracts_watched"`
	// Base has a digest of each contract of the repository, as it was when the session began; nil if that is not known.
	Base map[string]string `json:"base,omitempty"`

	StartedAt time.Time `json:"started_at"`
	ActiveAt  time.Time `json:"active_at"` // when the repository's realm was asked about last
}

// These bound sessions. One without questions ends, and is forgotten later.
const (
	SessionIdle = 24 * time.Hour
	SessionKept = 7 * 24 * time.Hour
)

// IsIdle reports whether the session has ended, because nobody asked anything for a long time.
func (s Session) IsIdle(now time.Time) bool { return !now.Before(s.ActiveAt.Add(SessionIdle)) }

// Sessions keeps the sessions of repositories. A reader has at most one of each repository.
type Sessions interface {
	// OpenSession adds a session, and reports whether it did: a session that is not idle at the time when the new one
	// starts stays, and is returned.
	OpenSession(ctx context.Context, s Session) (open Session, added bool, err error)

	// Session returns the session of a reader. NotFound: there is none.
	Session(ctx context.Context, repo, reader string) (Session, error)

	// TouchSession notes that a session is active.
	TouchSession(ctx context.Context, s Session, at time.Time) error

	// EndSession removes a session. NotFound: it is not there any more.
	EndSession(ctx context.Context, s Session) error

	// DropSessions removes sessions that were not active since a time, and returns their number.
	DropSessions(ctx context.Context, before time.Time) (int, error)
}

// NoSession returns the NotFound of a session that is not there.
func NoSession() error {
	return Next(Errorf(NotFound, "No active session. Nothing to stop."),
		NewCall("session_start", "starts one"))
}

// Body returns what engines store of the session in one column.
func (s Session) Body() (string, error) {
	text, err := json.Marshal(s)
	return string(text), err
}

// ReadBody reads what Body has returned.
func (s *Session) ReadBody(text string) error { return json.Unmarshal([]byte(text), s) }
