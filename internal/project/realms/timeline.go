package realms

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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

// changed returns the notifications for the member about changes in the repositories of the realm, newest first. It
// processes the commits that changed contracts on the default branches, in the order of their times. It compares the
// realm after each commit with the realm before the commit. So a member is notified of a change only if it imported the
// contract when the contract changed.
func changed(ctx context.Context, found query.RealmFound, tips map[string]string) ([]notice, error) {
	w, commits, err := start(ctx, found, tips)
	if err != nil || w.shared == nil {
		return nil, err
	}
	var all []notice
	before := w.realm()
	for _, c := range commits {
		last := *w
		last.owns = maps.Clone(w.owns)
		ok, err := w.move(ctx, c)
		if err != nil {
			return nil, err
		}
		after := w.realm()
		if !ok || !after.HasRead(c.member) {
			*w = last // the next commit that can be read is compared with the last one that could be read
			continue
		}
		for _, change := range realm.Changes(before, after) {
			if c.member != found.Current && slices.Contains(realm.Recipients(change, before, after), found.Current) {
				n := change.Notice(found.ID, found.Name, "", c.at)
				all = append(all, notice{n, n.ID, n.Key, "", n.CreatedAt})
			}
		}
		before = after
	}
	sort.SliceStable(all, func(i, j int) bool {
		return cmp.Or(all[i].At.Compare(all[j].At), cmp.Compare(all[i].ID, all[j].ID)) < 0
	})
	return newestFirst(all), nil
}

// world is a realm with a commit for each of its repositories.
type world struct {
	found  query.RealmFound
	shared files
	owns   map[string]realm.Own
}

// start returns the realm before the first of the commits that are searched for changes. It also returns these commits,
// oldest first. If the search reaches the first commit of a repository, the realm already has the repository at that
// commit, because nobody is notified of its first state.
func start(ctx context.Context, found query.RealmFound, tips map[string]string) (*world, []dated, error) {
	w := &world{found: found, owns: map[string]realm.Own{}}
	var all []dated
	names := slices.Collect(maps.Keys(tips))
	// Among commits of the same second, those of the member come first.
	sort.Slice(names, func(i, j int) bool {
		if names[i] == found.Current || names[j] == found.Current {
			return names[i] == found.Current && names[j] != found.Current
		}
		return names[i] < names[j]
	})
	for _, name := range names {
		last := dated{member: name, hash: tips[name]}
		if _, err := w.move(ctx, last); err != nil {
			return nil, nil, err
		}
		has := w.shared
		if name != "" {
			has = w.owns[name].Files
		}
		commits, err := touching(ctx, found.Clones[name], last, w.owns[name].Dir, has)
		if err != nil {
			return nil, nil, err
		}
		if len(commits) > 0 {
			if _, err := w.move(ctx, commits[0]); err != nil {
				return nil, nil, err
			}
			all = append(all, commits[1:]...)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].at.Before(all[j].at) })
	return w, all, nil
}

// move puts the commit c into the world, as the state of its repository. If the repository has not joined the realm
// at this commit, it has no contracts. ok is false if its configuration cannot be read.
func (w *world) move(ctx context.Context, c dated) (ok bool, err error) {
	has, err := atCommit(ctx, w.found.Clones[c.member], c.hash)
	if err != nil {
		return false, err
	}
	if c.member == "" {
		w.shared = has
		return true, nil
	}
	delete(w.owns, c.member)
	text := has.Get(realm.ConfigFile)
	config, err := realm.ParseConfig(text)
	if err == nil && config.Repo == c.member {
		w.owns[c.member] = realm.Own{Repo: c.member, Dir: config.ContractsDir, Files: has}
	}
	return err == nil || text == nil, nil
}

// realm returns the realm at the present commits.
func (w *world) realm() *realm.Realm {
	return realm.Read(w.shared, slices.Collect(maps.Values(w.owns))...)
}

// dated is a commit of a member's default branch, with its time.
type dated struct {
	member, hash string
	at           time.Time
}

// touching returns the newest maxCommits commits of a branch that changed contracts, up to the commit tip. The oldest
// commit comes first, after its parent if it has one. The search goes back as far as notifications are kept. contracts
// is the member's directory of contracts, "" for none. tipFiles holds the files of the commit tip. A commit that
// changed one of the schemas in tipFiles counts, too.
func touching(ctx context.Context, dir string, tip dated, contracts string, tipFiles files) ([]dated, error) {
	args := []string{"--literal-pathspecs", "log", "--first-parent", "--format=%H %ct %P",
		"--max-count=" + strconv.Itoa(maxCommits), fmt.Sprintf("--since=%d.seconds", int(store.NotificationKept.Seconds())),
		tip.hash, "--", "realm.yaml", "realm.yml", "repos", "domains", ".blue", cmp.Or(contracts, ".blue")}
	isSchema := realm.Sources(tipFiles)
	for _, f := range tipFiles {
		if isSchema(f.Path) {
			args = append(args, f.Path)
		}
	}
	out, err := ci.GitCommand(ctx, dir, args...).Output()
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
		list = append(list, dated{tip.member, words[0], time.Unix(seconds, 0)})
		if parent = ""; len(words) > 2 {
			parent = words[2]
		}
	}
	if parent != "" {
		list = append(list, dated{member: tip.member, hash: parent})
	}
	slices.Reverse(list)
	return list, nil
}
