package realms

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// maxCommits is the max number of a repository's commits that are searched for changes.
const maxCommits = 50

// noted is the stored state of a member's notifications: the commits from which the notifications were made, and
// which notifications were seen.
type noted struct {
	Tips    map[string]string    `json:"tips"` // commits of default branches, by member; "" is the realm
	Told    []one                `json:"told"`
	Seen    map[string]time.Time `json:"seen"`
	Expired map[string]time.Time `json:"expired"`
}

// one is a notification with the fields that its JSON leaves out.
type one struct {
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
	tips := map[string]string{}
	for name, dir := range found.Clones {
		if commit, err := tip(ctx, dir); err == nil && name != found.Current {
			tips[name] = commit
		}
	}
	if !maps.Equal(tips, n.Tips) {
		told, err := changed(ctx, found, tips)
		if err != nil {
			return nil, err
		}
		n.Tips, n.Told = tips, told
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

// notedFile returns the file with the state of a member's notifications. The names have been checked and contain no
// slashes.
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

// changed returns the notifications for the member about changes in the repositories of the realm, newest first.
func changed(ctx context.Context, found query.RealmFound, tips map[string]string) ([]one, error) {
	h := history{found: found, owns: map[string]realm.Own{}}
	for name, commit := range tips {
		has, err := atCommit(ctx, found.Clones[name], commit)
		if err != nil {
			return nil, err
		}
		if name == "" {
			h.shared = has
		} else if c, err := realm.ParseConfig(has.Get(realm.ConfigFile)); err == nil && c.Repo == name {
			h.owns[name] = realm.Own{Repo: name, Dir: c.ContractsDir, Files: has}
		}
	}
	if h.shared == nil {
		return nil, nil
	}
	var all []one
	for _, name := range slices.Sorted(maps.Keys(tips)) {
		list, err := h.of(ctx, name, tips[name])
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	sort.SliceStable(all, func(i, j int) bool {
		return cmp.Or(all[i].At.Compare(all[j].At), cmp.Compare(all[i].ID, all[j].ID)) < 0
	})
	return newestFirst(all), nil
}

// newestFirst links notifications about the same contract, drops repeated notifications, and reverses the order.
func newestFirst(all []one) []one {
	newest, told := map[string]string{}, map[string]bool{}
	var list []one
	for _, o := range all {
		if told[o.Key] {
			continue
		}
		told[o.Key] = true
		o.Supersedes = newest[o.Subject()]
		newest[o.Subject()] = o.ID
		list = append(list, o)
	}
	slices.Reverse(list)
	return list
}

// history is a realm that changes in one repository at a time.
type history struct {
	found  query.RealmFound
	shared files
	owns   map[string]realm.Own
}

// of returns the notifications about changes in a repository.
func (h history) of(ctx context.Context, name, tip string) ([]one, error) {
	commits, err := touching(ctx, h.found.Clones[name], tip, h.owns[name].Dir)
	if err != nil {
		return nil, err
	}
	var all []one
	var before *realm.Realm
	for i, c := range commits {
		after, err := h.at(ctx, name, c.hash)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			for _, change := range realm.Changes(before, after) {
				if slices.Contains(realm.Recipients(change, before, after), h.found.Current) {
					n := change.Notice(h.found.ID, h.found.Name, "", c.at)
					all = append(all, one{n, n.ID, n.Key, "", n.CreatedAt})
				}
			}
		}
		before = after
	}
	return all, nil
}

// at returns the realm with one repository at the state of a commit.
func (h history) at(ctx context.Context, name, commit string) (*realm.Realm, error) {
	has, err := atCommit(ctx, h.found.Clones[name], commit)
	if err != nil {
		return nil, err
	}
	shared, owns := h.shared, maps.Clone(h.owns)
	if name == "" {
		shared = has
	} else if own, joined := owns[name]; joined {
		own.Files = has
		owns[name] = own
	}
	return realm.Read(shared, slices.Collect(maps.Values(owns))...), nil
}

// dated is a commit with its time.
type dated struct {
	hash string
	at   time.Time
}

// touching returns the commits of a branch that changed contracts, oldest first. The parent of the oldest commit is
// added in front. The search goes back as long as notifications are kept. contracts is the member's directory of
// contracts, "" for none.
func touching(ctx context.Context, dir, tip, contracts string) ([]dated, error) {
	out, err := ci.GitCommand(ctx, dir, "log", "--first-parent", "--format=%H %ct %P",
		"--max-count="+strconv.Itoa(maxCommits), fmt.Sprintf("--since=%d.seconds", int(store.NotificationKept.Seconds())),
		tip, "--", "realm.yaml", "realm.yml", "repos", "domains", ".blue", cmp.Or(contracts, ".blue")).Output()
	if err != nil {
		return nil, fmt.Errorf("list commits of %s: %w", dir, err)
	}
	var list []dated
	parent := ""
	for line := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		seconds, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("list commits of %s: %w", dir, err)
		}
		list = append(list, dated{words[0], time.Unix(seconds, 0)})
		if parent = ""; len(words) > 2 {
			parent = words[2]
		}
	}
	if parent != "" {
		list = append(list, dated{hash: parent})
	}
	slices.Reverse(list)
	return list, nil
}
