package realms

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// noted is the stored state of a member's notifications. It has the notifications, the commits from which they
// were made, and the times at which they were seen or expired.
type noted struct {
	Tips    map[string]string    `json:"tips"` // commits of default branches, by member; "" is the realm
	Told    []notice             `json:"told"`
	Seen    map[string]time.Time `json:"seen"`
	Expired map[string]time.Time `json:"expired"`
}

// notice is a notification in the state file. Its own fields are not in the JSON of a store.Notification.
type notice struct {
	store.Notification
	ID, Key, Supersedes string
	At                  time.Time
}

// Member implements query.Realms.
func (p Project) Member(ctx context.Context, of query.RealmOf) (query.RealmFound, error) {
	if _, err := os.Stat(filepath.Join(p.Root, filepath.FromSlash(realm.ConfigFile))); err != nil {
		return query.RealmFound{}, query.NoRealm()
	}
	return p.Realm(ctx, of)
}

// Notices implements query.Realms. It makes notifications from the commits on the default branches of the realm's
// repository and of other members. Only commits on this machine count.
func (p Project) Notices(ctx context.Context, found query.RealmFound) ([]store.Notification, error) {
	if found.Current == "" {
		return nil, nil
	}
	n := p.noted(found)
	tips := maps.Clone(found.Tips)
	maps.DeleteFunc(tips, func(_, commit string) bool { return commit == "" })
	if !maps.Equal(tips, n.Tips) {
		news, err := changed(ctx, found, tips)
		if err != nil {
			return nil, err
		}
		n.Tips, n.Told = tips, news
		p.note(found, n)
	}
	var all []store.Notification
	for _, o := range n.Told {
		if time.Since(o.At) < store.NotificationKept {
			s := o.Notification
			s.ID, s.Key, s.Supersedes, s.CreatedAt = o.ID, o.Key, o.Supersedes, o.At
			s.SeenAt, s.ExpiredAt = n.Seen[o.ID], n.Expired[o.ID]
			all = append(all, s)
		}
	}
	return all, nil
}

// Mark implements query.Realms.
func (p Project) Mark(_ context.Context, found query.RealmFound, seen, expired []string, at time.Time) error {
	n := p.noted(found)
	for _, id := range seen {
		n.Seen[id] = at.UTC()
	}
	for _, id := range expired {
		n.Expired[id] = at.UTC()
	}
	p.note(found, n)
	return nil
}

// notedFile returns the file with the state of a member's notifications. The names in the path have been checked and
// contain no slashes.
func (p Project) notedFile(found query.RealmFound) string {
	return filepath.Join(p.Home, ".blue", "notifications", found.ID, found.Current+".json")
}

// noted reads the stored state, or returns an empty state if the file cannot be read.
func (p Project) noted(found query.RealmFound) noted {
	var n noted
	if text, err := os.ReadFile(p.notedFile(found)); err == nil && json.Unmarshal(text, &n) != nil {
		n = noted{}
	}
	if n.Seen == nil {
		n.Seen = map[string]time.Time{}
	}
	if n.Expired == nil {
		n.Expired = map[string]time.Time{}
	}
	return n
}

// note stores the state of notifications. If the state cannot be written, the notifications stay pending.
func (p Project) note(found query.RealmFound, n noted) {
	if p.Home == "" || !realm.IsName(found.ID) {
		return
	}
	name := p.notedFile(found)
	text, err := json.Marshal(n)
	if err != nil || os.MkdirAll(filepath.Dir(name), 0o755) != nil {
		return
	}
	temp := name + "." + strconv.Itoa(os.Getpid())
	if os.WriteFile(temp, text, 0o644) != nil || os.Rename(temp, name) != nil {
		_ = os.Remove(temp) // the file may not exist
	}
}

// newestFirst reverses the order of notifications, and drops notifications with the same key. It links each
// notification to the one before it about the same subject.
func newestFirst(all []notice) []notice {
	newest, seen := map[string]string{}, map[string]bool{}
	var list []notice
	for _, o := range all {
		if seen[o.Key] {
			continue
		}
		seen[o.Key] = true
		o.Supersedes = newest[o.Subject()]
		newest[o.Subject()] = o.ID
		list = append(list, o)
	}
	slices.Reverse(list)
	return list
}
