package realms

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/store"
)

// Announcer notifies repositories about changes of contracts that they use. It announces changes on the default
// branch of the owner. It never announces changes in pull requests or forks. An Announcer is safe for concurrent use,
// also by several processes.
type Announcer struct {
	Facts facts.Stored // of all repositories
	Store store.Notifications
	Now   func() time.Time
	Hook  *Hook // posts new notifications; it may be nil
}

// These limit the notifications about one commit.
const (
	maxChanges    = 200    // announced changes
	maxRecipients = 10_000 // recipients of each change
)

// All checks all repositories whose newly sent contracts have not been checked, for example because of a crash. It
// continues after errors, and returns the first error.
func (a Announcer) All(ctx context.Context) error {
	news, err := a.Store.RealmNews(ctx)
	if err != nil {
		return err
	}
	for repo, n := range news {
		if failed := a.repo(ctx, repo, n); err == nil {
			err = failed
		}
	}
	return err
}

// Repo checks the contracts of a repository, and stores notifications about changes. a.Hook posts them.
func (a Announcer) Repo(ctx context.Context, repo string) error {
	news, err := a.Store.RealmNews(ctx)
	if err != nil {
		return err
	}
	return a.repo(ctx, repo, news[repo])
}

// tries is the max number of tries to announce the changes of a repository. Another try follows if another process has
// announced changes of the same realm in the meantime.
const tries = 8

// repo checks a repository. It marks the news of the repository up to the number news as done. 0 means that there is no
// news.
func (a Announcer) repo(ctx context.Context, repo string, news int) (err error) {
	for range tries {
		if err = a.once(ctx, repo, news); store.CodeOf(err) != store.Conflict {
			break
		}
	}
	return err
}

// once tries one time to announce the changes of a repository. The error is Conflict if another process was faster.
func (a Announcer) once(ctx context.Context, repo string, news int) error {
	next := store.Announcement{News: map[string]int{}}
	if news > 0 {
		next.News[repo] = news
	}
	switch err := a.look(ctx, repo, &next); store.CodeOf(err) {
	case store.NotFound, store.Invalid, store.TooLarge: // there is nothing to announce
	default:
		if err != nil {
			return err
		}
	}
	if next.Realm == "" && len(next.News) == 0 {
		return nil
	}
	if err := a.Hook.enqueue(ctx, repo, next.Told); err != nil {
		return err
	}
	_, err := a.Store.Announce(ctx, next)
	return err
}

// look finds the changes of a repository that have to be announced, and adds them to the announcement. A repository
// without a realm has no changes.
func (a Announcer) look(ctx context.Context, repo string, next *store.Announcement) error {
	head, files, err := a.head(ctx, repo)
	if err != nil {
		return err
	}
	of, name := repo, ""
	if config := files.Get(realm.ConfigFile); config != nil {
		c, err := realm.ParseConfig(config)
		if err != nil {
			return err
		}
		of, name = repository(c.URL), c.Repo
	} else if !files.IsRealm() {
		return nil
	}
	state, err := a.Store.RealmState(ctx, of)
	if err != nil {
		return err
	}
	if state.Heads[repo] == head {
		return nil
	}
	w := &world{Announcer: a, realm: of, known: map[string]Files{repo + "@" + head: files}}
	if state.Version == 0 {
		heads, err := w.heads(ctx)
		if err != nil {
			return err
		}
		next.Realm, next.Heads = of, heads // there is no earlier state to compare with
		return nil
	}
	heads := maps.Clone(state.Heads)
	heads[repo] = head
	before, err := w.before(ctx, state.Heads, heads)
	if err != nil {
		return err
	}
	after, err := w.at(ctx, heads)
	if err != nil {
		return err
	}
	if repo != of && !after.has[repo] {
		return nil // the repository is not a member
	}
	if !after.HasRead(name) {
		return nil // the next commit that can be read is compared with the last one that could be read
	}
	next.Realm, next.Heads, next.Version = of, heads, state.Version
	next.Told = w.tell(before, after)
	return nil
}

// head returns the newest commit of the default branch whose contracts are known, and the files of this commit.
func (a Announcer) head(ctx context.Context, repo string) (string, Files, error) {
	found, err := a.Facts.At(ctx, facts.Query{Repo: repo, Kind: store.FactContracts})
	if err != nil {
		return "", nil, err
	}
	files, err := Read(ctx, found.Set)
	return found.Pin(), files, err
}

// world reads the files of a realm and its members, and returns the state of the realm at given commits.
type world struct {
	Announcer
	realm string
	mu    sync.Mutex
	known map[string]Files // files by repository and commit
}

// moment is the state of a realm at given commits of its members.
type moment struct {
	*realm.Realm
	places map[string]string // repositories by member
	has    map[string]bool   // repositories that are members
}

// heads returns the newest commits of the realm and of its members.
func (w *world) heads(ctx context.Context) (map[string]string, error) {
	head, files, err := w.head(ctx, w.realm)
	if err != nil {
		return nil, err
	}
	heads := map[string]string{w.realm: head}
	for _, m := range realm.Read(files).Repos {
		repo := place(m, w.realm)
		head, _, err := w.head(ctx, repo)
		if store.CodeOf(err) == store.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		heads[repo] = head
	}
	return heads, nil
}

// readers is the number of repositories that are read concurrently.
const readers = 8

// load reads the files of repositories at the given commits.
func (w *world) load(ctx context.Context, heads map[string]string) error {
	var wanted [][2]string
	for repo, commit := range heads {
		if _, known := w.known[repo+"@"+commit]; !known {
			wanted = append(wanted, [2]string{repo, commit})
		}
	}
	var next atomic.Int64
	var all sync.WaitGroup
	var failed error
	for range min(readers, len(wanted)) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(wanted); i = int(next.Add(1)) - 1 {
				files, err := w.files(ctx, wanted[i][0], wanted[i][1])
				w.mu.Lock()
				w.known[wanted[i][0]+"@"+wanted[i][1]] = files
				if failed == nil {
					failed = err
				}
				w.mu.Unlock()
			}
		})
	}
	all.Wait()
	return failed
}

// files returns the files of a repository at a commit. It returns nil if the files have been removed. If a repository
// other than the realm's repository has a single file, this file only names the realm. So files does not read it, and
// returns an empty list.
func (w *world) files(ctx context.Context, repo, commit string) (Files, error) {
	list, err := w.Facts.Store.Snapshots(ctx, store.Repos(repo), store.SnapshotFilter{Repo: repo, Commit: commit,
		Kind: store.FactContracts})
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(s store.Snapshot) bool { return s.Fork })
	if len(list) == 0 {
		return nil, nil
	}
	if list[0].Files < 2 && repo != w.realm {
		return Files{}, nil
	}
	set, err := w.Facts.Set(ctx, list[0])
	if err == nil {
		var files Files
		if files, err = Read(ctx, set); err == nil {
			return files, nil
		}
	}
	if store.CodeOf(err) == store.NotFound {
		return nil, nil
	}
	return nil, err
}

// before returns the realm as it was last announced. If the files of an announced commit have been removed, it uses the
// files of the repository's commit in heads.
func (w *world) before(ctx context.Context, announced, heads map[string]string) (moment, error) {
	if err := w.load(ctx, announced); err != nil {
		return moment{}, err
	}
	then := maps.Clone(announced)
	for repo, commit := range announced {
		if w.known[repo+"@"+commit] == nil {
			then[repo] = heads[repo]
		}
	}
	return w.at(ctx, then)
}

// at returns the realm at the given commits.
func (w *world) at(ctx context.Context, heads map[string]string) (moment, error) {
	if err := w.load(ctx, heads); err != nil {
		return moment{}, err
	}
	shared := w.known[w.realm+"@"+heads[w.realm]]
	bare := realm.Read(shared)
	m := moment{places: map[string]string{}, has: map[string]bool{}}
	called := map[string]string{} // repositories by their lower-case names
	for repo := range heads {
		called[strings.ToLower(repo)] = repo
	}
	var all []realm.Own
	for _, r := range bare.Repos {
		m.places[r.Name] = place(r, w.realm)
		repo := called[strings.ToLower(m.places[r.Name])]
		own, joined := joined(r.Name, w.realm, "", w.known[repo+"@"+heads[repo]])
		if m.has[repo] = joined; joined {
			all = append(all, own)
		}
	}
	m.Realm = realm.Read(shared, all...)
	return m, nil
}

// tell returns at most maxChanges changes between two moments, with at most maxRecipients recipients of each change. It
// omits changes without recipients.
func (w *world) tell(before, after moment) []store.Told {
	var all []store.Told
	now := w.Now()
	for _, c := range realm.Changes(before.Realm, after.Realm) {
		if len(all) == maxChanges {
			break
		}
		t := store.Told{Notification: c.Notice(w.realm, after.Name, w.place(c.From, after), now)}
		for _, name := range realm.Recipients(c, before.Realm, after.Realm) {
			if len(t.To) < maxRecipients {
				t.To = append(t.To, w.place(name, after))
			}
		}
		if len(t.To) > 0 {
			all = append(all, t)
		}
	}
	return all
}

// place returns the repository of a member.
func (w *world) place(name string, m moment) string {
	if repo := m.places[name]; repo != "" {
		return repo
	}
	return place(realm.Repo{Name: name}, w.realm)
}
