package store

import (
	"context"
	"encoding/json"
	"time"
)

// Session is a period in which somebody works on a repository of a realm.
type Session struct {
	ID     string `json:"id"`
	Repo   string `json:"-"` // owner/name, "" if there is only one repository
	Reader string `json:"-"` // person or agent that works

	Realm    string   `json:"realm"` // name of the realm
	Member   string   `json:"repo"`  // name of the repository in the realm
	RFC      string   `json:"active_rfc,omitempty"`
	At       string   `json:"at,omitempty"`     // branch or commit of the work, "" for the default
	Commit   string   `json:"commit,omitempty"` // commit at the start of the session
	Domains  []string `json:"active_domains"`
	Modified []string `json:"contracts_modified"`
	Watched  []string `json:"contracts_watched"`
	// Base holds a digest of each contract of the repository at the start of the session, by name. It is nil if the
	// contracts were unknown.
	Base map[string]string `json:"base,omitempty"`

	StartedAt time.Time `json:"started_at"`
	ActiveAt  time.Time `json:"active_at"` // time of the last question about the repository's realm
}

// A session ends after the time SessionIdle without questions. It is removed after the time SessionKept without
// questions.
const (
	SessionIdle = 24 * time.Hour
	SessionKept = 7 * 24 * time.Hour
)

// IsIdle reports whether the session has ended because there were no questions for the time SessionIdle.
func (s Session) IsIdle(now time.Time) bool { return !now.Before(s.ActiveAt.Add(SessionIdle)) }

// Sessions stores the sessions of repositories. A reader has at most one session for each repository.
type Sessions interface {
	// OpenSession adds a session. If the reader already has a session that is not idle, it adds nothing and returns
	// that session. added reports whether it added a session.
	OpenSession(ctx context.Context, s Session) (open Session, added bool, err error)

	// Session returns the session of a reader. NotFound: there is no session.
	Session(ctx context.Context, repo, reader string) (Session, error)

	// TouchSession records that a session is active.
	TouchSession(ctx context.Context, s Session, at time.Time) error

	// EndSession removes a session. NotFound: the session does not exist any more.
	EndSession(ctx context.Context, s Session) error

	// DropSessions removes the sessions whose last activity was earlier than the given time. It returns the number of
	// the removed sessions.
	DropSessions(ctx context.Context, before time.Time) (int, error)
}

// NoSession returns the NotFound error for a session that does not exist.
func NoSession() error {
	return Next(Errorf(NotFound, "No active session. Nothing to stop."),
		NewCall("session_start", "starts one"))
}

// Body returns the part of the session that engines store in one column.
func (s Session) Body() (string, error) {
	text, err := json.Marshal(s)
	return string(text), err
}

// ReadBody parses the result of Body.
func (s *Session) ReadBody(text string) error { return json.Unmarshal([]byte(text), s) }
