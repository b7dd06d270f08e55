package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// Notification tells repositories about a change of a contract, or of a member's binding to a contract.
type Notification struct {
	ID         string `json:"-"` // notif- followed by a ULID
	Key        string `json:"-"` // identifies the change; each notification has another key
	Realm      string `json:"realm"`
	Domain     string `json:"domain"`
	Contract   string `json:"contract"`
	From       string `json:"from"`      // member that made the change
	FromRepo   string `json:"from_repo"` // repository of the member that made the change, owner/name
	Change     string `json:"change"`
	OldVersion string `json:"old_version,omitempty"`
	NewVersion string `json:"new_version,omitempty"`
	Breaking   bool   `json:"breaking,omitempty"`
	// Supersedes is the ID of an earlier notification about the same subject. It is "" if there is none. The store sets
	// it.
	Supersedes string    `json:"-"`
	CreatedAt  time.Time `json:"-"`

	// SeenAt is the time at which the reader first saw the notification. ExpiredAt is the time at which the reader saw
	// that it had expired. Each of the two is zero until then.
	SeenAt    time.Time `json:"-"`
	ExpiredAt time.Time `json:"-"`
}

// NotificationExpires is the age at which a notification expires. NotificationKept is the age at which the notification
// is no longer listed.
const (
	NotificationExpires = 7 * 24 * time.Hour
	NotificationKept    = NotificationExpires + 30*24*time.Hour
)

// MaxNotifications is the max number of notifications of a repository that are listed. Other members of a realm decide
// how many notifications a repository gets, and many questions read them.
const MaxNotifications = 1000

// Announcement holds new notifications about a realm, and the new state of the realm.
type Announcement struct {
	Realm   string            // the realm's repository
	Heads   map[string]string // announced commit of each repository
	Version int               // version of the stored state before this one, see RealmState; 0 for none
	// News holds the repositories whose news are processed, each with its number from Notifications.RealmNews.
	News map[string]int
	Told []Told
}

// Told is a notification with the repositories that receive it.
type Told struct {
	Notification
	To []string
}

// RealmState is the last announced state of a realm.
type RealmState struct {
	Heads   map[string]string // announced commit of each repository
	Version int               // 0 before the first announcement
}

// Notifications stores the notifications about contracts for repositories.
type Notifications interface {
	// RealmNews returns the repositories whose new contracts are not processed yet, each with a number. Each snapshot
	// of contracts that has a new commit or a new branch gives its repository a number that was never used before.
	RealmNews(ctx context.Context) (map[string]int, error)

	// RealmState returns the last announced state of a realm. The version is 0 if no state was announced.
	RealmState(ctx context.Context, realm string) (RealmState, error)

	// Announce adds notifications, stores the state of a realm, and removes the processed news, or does none of these
	// if there is an error. It returns the number of new notifications. If a.Realm is "", it only removes news.
	// Conflict: the version of the stored state is not a.Version.
	Announce(ctx context.Context, a Announcement) (int, error)

	// Notifications returns the newest notifications of a repository, newest first, at most MaxNotifications. Each
	// notification says when the reader saw it.
	Notifications(ctx context.Context, sc Scope, repo, reader string) ([]Notification, error)

	// Notified reports whether a repository has the notification with the given ID.
	Notified(ctx context.Context, repo, id string) (bool, error)

	// MarkNotifications records that a reader has seen the notifications in seen. It also records that the
	// notifications in expired have expired.
	MarkNotifications(ctx context.Context, repo, reader string, seen, expired []string, at time.Time) error

	// DropNotifications removes notifications that are older than a time, and returns their number.
	DropNotifications(ctx context.Context, before time.Time) (int, error)
}

// Body returns the part of the notification that engines store in one column.
func (n Notification) Body() (string, error) {
	text, err := json.Marshal(n)
	return string(text), err
}

// ReadBody parses the result of Body.
func (n *Notification) ReadBody(text string) error { return json.Unmarshal([]byte(text), n) }

// Subject returns the subject of the notification: a contract, or the binding of a member to a contract. A later
// notification supersedes an earlier notification about the same subject.
func (n Notification) Subject() string {
	subject := n.Domain + "/" + n.Contract
	if strings.HasPrefix(n.Change, "Binding") {
		subject += "/" + n.From
	}
	return subject
}

// Stale returns the Conflict error for an announcement that is based on an old state: the version of the stored state
// is higher than a.Version.
func (a Announcement) Stale() error {
	return Errorf(Conflict, "the realm %s was announced by somebody else meanwhile", a.Realm)
}
