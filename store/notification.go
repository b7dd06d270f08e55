package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// Notification tells a repository that a contract between repositories has changed.
type Notification struct {
	ID         string `json:"-"` // notif- and a ULID
	Key        string `json:"-"` // of the change; a change with the key of another one is not told again
	Realm      string `json:"realm"`
	Domain     string `json:"domain"`
	Contract   string `json:"contract"`
	From       string `json:"from"`      // the member that made the change
	FromRepo   string `json:"from_repo"` // its repository, owner/name
	Change     string `json:"change"`
	OldVersion string `json:"old_version,omitempty"`
	NewVersion string `json:"new_version,omitempty"`
	Breaking   bool   `json:"breaking,omitempty"`
	// Supersedes is the ID of an earlier one about the same contract, "" for none. It is set when it is added.
	Supersedes string    `json:"-"`
	CreatedAt  time.Time `json:"-"`

	// SeenAt and ExpiredAt are when the reader was told, and told that it is old; zero for not yet.
	SeenAt    time.Time `json:"-"`
	ExpiredAt time.Time `json:"-"`
}

// These bound how long notifications are kept. Expired ones are listed for some time.
const (
	NotificationExpires = 7 * 24 * time.Hour
	NotificationKept    = NotificationExpires + 30*24*time.Hour
)

// Announcement has the notifications about a realm, and the state of the realm after them.
type Announcement struct {
	Realm   string            // the realm's repository
	Heads   map[string]string // commits whose contracts are announced, by repository
	Version int               // of the state that it follows, see RealmState; 0 for none
	// News are the numbers of news that it answers, by repository, see Notifications.RealmNews.
	News map[string]int
	Told []Told
}

// Told is a notification, and the repositories that get it.
type Told struct {
	Notification
	To []string
}

// RealmState is what was announced of a realm.
type RealmState struct {
	Heads   map[string]string // commits, by repository
	Version int               // 0 for nothing
}

// Notifications keeps the notifications about contracts that repositories get.
type Notifications interface {
	// RealmNews returns the repositories that have sent contracts which were not looked at, each with a number that
	// grows with each snapshot.
	RealmNews(ctx context.Context) (map[string]int, error)

	// RealmState returns what was announced of a realm last. Its version is 0 if nothing was.
	RealmState(ctx context.Context, realm string) (RealmState, error)

	// Announce adds notifications and the state of a realm, and removes the news that it answers, all or none. It
	// returns how many notifications are new. Without a realm it only removes news. Conflict: the state is another one
	// by now.
	Announce(ctx context.Context, a Announcement) (int, error)

	// Notifications returns the notifications of a repository, newest first, as a reader has seen them.
	Notifications(ctx context.Context, sc Scope, repo, reader string) ([]Notification, error)

	// MarkNotifications notes that a reader has seen some notifications of a repository, and that others have expired.
	MarkNotifications(ctx context.Context, repo, reader string, seen, expired []string, at time.Time) error

	// DropNotifications removes notifications that were made before a time, and returns their number.
	DropNotifications(ctx context.Context, before time.Time) (int, error)
}

// Body returns what engines store of the notification in one column.
func (n Notification) Body() (string, error) {
	text, err := json.Marshal(n)
	return string(text), err
}

// ReadBody reads what Body has returned.
func (n *Notification) ReadBody(text string) error { return json.Unmarshal([]byte(text), n) }

// Subject is what the notification is about: a contract, or the binding of a member to it. A later notification about
// it supersedes an earlier one.
func (n Notification) Subject() string {
	subject := n.Domain + "/" + n.Contract
	if strings.HasPrefix(n.Change, "Binding") {
		subject += "/" + n.From
	}
	return subject
}

// Stale returns the Conflict of an announcement that follows an earlier state.
func (a Announcement) Stale() error {
	return Errorf(Conflict, "the realm %s was announced by somebody else meanwhile", a.Realm)
}
