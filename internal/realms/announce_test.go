package realms_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// clock is a time that tests set.
type clock struct{ time.Time }

func (f fixture) announcer(c *clock) realms.Announcer {
	return realms.Announcer{Facts: f.facts(), Store: f.store, Now: func() time.Time { return c.Time }}
}

// reader returns the asker of a reader who may see a repository.
func (f fixture) reader(c *clock, name, repo string) *query.Asker {
	a := f.asker(repo)
	a.Now = func() time.Time { return c.Time }
	s := a.Realms.(realms.Stored)
	s.Reader = name
	a.Realms = s
	return a
}

// listed returns the notifications to a repository that have a state, then the counts, and then the first next step.
func listed(t *testing.T, a *query.Asker, repo, state string) string {
	t.Helper()
	p := query.NotificationsListParams{RealmAt: query.RealmAt{Repo: repo}, State: state}
	l, err := a.NotificationsList(t.Context(), p)
	if err != nil {
		return err.Error()
	}
	var lines []string
	for _, n := range l.Notifications {
		lines = append(lines, fmt.Sprintf("%s %s %s %s>%s of %s", n.State, n.Contract, n.ChangeType, n.Changes.OldVersion,
			n.Changes.NewVersion, n.FromRepo))
	}
	s := l.Summary
	return fmt.Sprintf("%s [%d %d %d %d] %s", strings.Join(lines, "; "), s.Total, s.Pending, s.Seen, s.ExpiredCleaned,
		l.NextSteps[0])
}

// owned returns the files of azure with a version of its contract.
func owned(version string) files {
	return files{".blue/config.yaml": config("azure"),
		".blue/contracts/s3/permissions.yaml": strings.Replace(permissions, "1.4.0", version, 1)}
}

// published returns a realm in which a member has sent a new version of its contract. The version is not announced
// yet.
func published(t *testing.T, version string) (fixture, *clock, realms.Announcer) {
	t.Helper()
	f := newFixture(t)
	f.realm()
	c := &clock{now}
	a := f.announcer(c)
	f.ok(a.All(t.Context()))
	f.push("acme/azure", 20, owned(version), "main", 10)
	return f, c, a
}

// A notification replaces the earlier notification about the same contract. But the notification of a harmless change
// does not replace the notification of a breaking change.
func TestABreakingChangeIsNotReplacedByAHarmlessOne(t *testing.T) {
	t.Parallel()
	f, c, a := published(t, "2.0.0")
	f.ok(a.All(t.Context()))
	for i, version := range []string{"2.1.0", "2.2.0", "3.0.0"} {
		const breaking = "pending permissions VersionChanged 1.4.0>2.0.0 of hidden"
		me := f.reader(c, version, "acme/fungal")
		if got := listed(t, me, "acme/fungal", "pending"); strings.Count(got, breaking) != 1 ||
			strings.Count(got, "pending permissions") != min(i+1, 2) {
			t.Errorf("before %s: %s", version, got)
		}
		c.Time = c.Add(time.Minute)
		f.push("acme/azure", 21+i, owned(version), "main", 20+i)
		f.ok(a.Repo(t.Context(), "acme/azure"))
	}
	got := listed(t, f.reader(c, "me", "acme/fungal"), "acme/fungal", "pending")
	if !strings.HasPrefix(got, "pending permissions VersionChanged 2.2.0>3.0.0 of hidden [1 1 0 0]") {
		t.Error(got)
	}
}

// For each reader of each repository, a notification is first pending, then seen, then expired.
func TestTheLifeOfANotification(t *testing.T) {
	t.Parallel()
	f, c, a := published(t, "1.5.0")
	f.ok(a.Repo(t.Context(), "acme/azure"))
	me, you := f.reader(c, "me", "acme/fungal"), f.reader(c, "you", "acme/fungal")
	const change = " permissions VersionChanged 1.4.0>1.5.0 of hidden "
	for i, tt := range []struct {
		a     *query.Asker
		state string
		want  string
	}{
		{me, "seen", " [0 1 0 0] 1 pending notification to review"},
		{me, "pending", "pending" + change + "[1 1 0 0] 1 pending notification to review"},
		{me, "pending", " [0 0 1 0] No pending notifications"},
		{me, "", "seen" + change + "[1 0 1 0] No pending notifications"},
		{you, "all", "pending" + change + "[1 1 0 0] 1 pending notification to review"},
		{f.reader(c, "me", "acme/azure"), "", "there is no repository acme/fungal"},
		{me, "lost", `there is no state "lost"`},
	} {
		if got := listed(t, tt.a, "acme/fungal", tt.state); got != tt.want {
			t.Errorf("%d: %s, want %s", i, got, tt.want)
		}
	}
	c.Time = now.Add(store.NotificationExpires - time.Second)
	if got := listed(t, you, "acme/fungal", "all"); got != "seen"+change+"[1 0 1 0] No pending notifications" {
		t.Error(got)
	}
	c.Time = now.Add(store.NotificationExpires)
	for _, cleaned := range []int{1, 0} {
		want := fmt.Sprintf("expired%s[1 0 0 %d] No pending notifications", change, cleaned)
		if got := listed(t, me, "acme/fungal", "all"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := listed(t, f.reader(c, "", "acme/azure"), "acme/azure", ""); got != " [0 0 0 0] No pending notifications" {
		t.Errorf("the sender is told: %s", got)
	}
}

// Status and check deliver pending notifications once.
func TestAnswersDeliverNotifications(t *testing.T) {
	t.Parallel()
	f, c, a := published(t, "2.0.0")
	f.ok(a.All(t.Context()))
	of := query.RealmAt{Repo: "acme/fungal"}
	for _, ask := range []func(*query.Asker) (int, []string){
		func(a *query.Asker) (int, []string) {
			s, err := a.RealmStatus(t.Context(), query.RealmStatusParams{RealmAt: of})
			f.ok(err)
			return len(s.Notices), s.NextSteps
		},
		func(a *query.Asker) (int, []string) {
			s, err := a.RealmCheck(t.Context(), query.RealmCheckParams{RealmAt: of})
			f.ok(err)
			return len(s.Notices), s.NextSteps
		},
	} {
		reader := f.reader(c, fmt.Sprintf("%p", ask), "acme/fungal")
		n, steps := ask(reader)
		again, later := ask(reader)
		if n != 1 || again != 0 || !strings.HasPrefix(strings.Join(steps, "|"),
			"1 pending notification to review|Contract permissions was updated and breaks consumers - review changes") ||
			strings.Contains(strings.Join(later, "|"), "notification") {
			t.Errorf("%d then %d, %q then %q", n, again, steps, later)
		}
	}
}

// Only changes on default branches are announced, in order and never twice.
func TestWhatIsAnnounced(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.realm()
	c := &clock{now}
	a := f.announcer(c)
	f.ok(a.All(t.Context()))
	tell := func(repo string) string {
		t.Helper()
		f.ok(a.Repo(t.Context(), repo))
		reader := f.reader(c, fmt.Sprint(c.Add(time.Minute)), "acme/fungal")
		c.Time = c.Add(time.Minute)
		return listed(t, reader, "acme/fungal", "pending")
	}
	first := "pending permissions VersionChanged 1.4.0>1.5.0 of hidden"
	second := "pending permissions VersionChanged 1.5.0>2.0.0 of hidden"
	for i, step := range []struct {
		push func()
		repo string
		want string
	}{
		{func() { f.push("acme/azure", 40, owned("3.0.0"), "topic", 10) }, "acme/azure", ""},
		{func() { f.push("evil/azure", 41, owned("3.0.0"), "main") }, "evil/azure", ""},
		{func() { f.push("acme/azure", 20, owned("1.5.0"), "main", 10) }, "acme/azure", first},
		{func() { f.push("acme/azure", 20, owned("1.5.0"), "main", 10) }, "acme/azure", first},
		{func() { f.push("acme/azure", 22, owned("2.0.0"), "main", 21, 20, 10) }, "acme/azure", second},
		{func() { f.push("acme/azure", 21, owned("1.6.0"), "main", 20, 10) }, "acme/azure", second},         // delayed
		{func() { f.push("acme/azure", 23, owned("1.5.0"), "main", 22, 21, 20, 10) }, "acme/azure", second}, // repeated
		{func() {
			more := files{"domains/s3/contracts/more.yaml": "version: 0.1.0\nowner: crimson\n"}
			for path, text := range aperture {
				if path != "domains/s3/bindings/crimson.yaml" {
					more[path] = text
				}
			}
			f.push("acme/realm-aperture", 2, more, "main", 1)
		}, "acme/realm-aperture", "pending permissions BindingRemoved > of hidden; pending more ContractAdded >0.1.0 of " +
			"hidden; pending gone BindingRemoved > of hidden; " + second},
	} {
		step.push()
		got, _, _ := strings.Cut(tell(step.repo), " [")
		if diff := cmp.Diff(sorted(step.want), sorted(got)); diff != "" {
			t.Errorf("%d: -want +got\n%s", i, diff)
		}
	}
}

func sorted(list string) map[string]int {
	words := map[string]int{}
	for word := range strings.SplitSeq(list, "; ") {
		words[word]++
	}
	return words
}

// consumers creates a realm in which n repositories import a contract. Each repository has its own facts.
func (f fixture) consumers(n int) {
	f.Helper()
	has := files{"realm.yaml": "name: aperture\n", "repos/azure.yaml": "url: https://git.example.com/acme/azure\n",
		"domains/s3/domain.yaml": "members: [azure]\n", "domains/s3/contracts/permissions.yaml": permissions}
	for i := range n {
		name := fmt.Sprintf("c%04d", i)
		has["repos/"+name+".yaml"] = "org: acme\n"
		has["domains/s3/bindings/"+name+".yaml"] = "imports: [permissions]\n"
		f.push("acme/"+name, 100, files{".blue/config.yaml": config(name)}, "main")
	}
	f.push("acme/realm-aperture", 1, has, "main")
	f.push("acme/azure", 10, owned("1.4.0"), "main")
}

type told = store.Notifications

// dying is a store in which announcements fail. The fields say whether an announcement is stored before it fails, and
// how many announcements still fail.
type dying struct {
	told
	after bool
	left  *int
}

func (d dying) Announce(ctx context.Context, a store.Announcement) (int, error) {
	if *d.left--; *d.left >= 0 {
		if d.after {
			_, err := d.told.Announce(ctx, a)
			if err != nil {
				return 0, err
			}
		}
		return 0, store.Errorf(store.Unavailable, "killed")
	}
	return d.told.Announce(ctx, a)
}

// Each consumer gets one notification of a change, even if the service is killed while it announces the change, or if
// several replicas announce the change at the same time.
func TestEachConsumerIsToldOnce(t *testing.T) {
	t.Parallel()
	const n = 1000
	f := newFixture(t)
	f.consumers(n)
	c := &clock{now}
	a := f.announcer(c)
	f.ok(a.All(t.Context()))
	for i, after := range []bool{false, true} {
		f.push("acme/azure", 20+i, owned(fmt.Sprintf("1.%d.0", 5+i)), "main", 10)
		left := 1
		killed := a
		killed.Store = dying{f.store, after, &left}
		if err := killed.Repo(t.Context(), "acme/azure"); store.CodeOf(err) != store.Unavailable {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		failed := make([]error, 4)
		for i := range failed {
			all.Go(func() { failed[i] = a.All(t.Context()) })
		}
		all.Wait()
		for _, err := range failed {
			f.ok(err)
		}
		for j := range n {
			repo := fmt.Sprintf("acme/c%04d", j)
			list, err := f.store.Notifications(t.Context(), store.Repos(repo), repo, "")
			f.ok(err)
			if len(list) != i+1 {
				t.Fatalf("%s was told %d times, want %d", repo, len(list), i+1)
			}
		}
		news, err := f.store.RealmNews(t.Context())
		f.ok(err)
		if len(news) > 0 {
			t.Errorf("nobody looks at %v", news)
		}
	}
}

// BenchmarkAnnounce announces a change to 1,000 consumers. Each consumer has its own facts.
func BenchmarkAnnounce(b *testing.B) {
	f := newFixture(b)
	f.consumers(1000)
	a := f.announcer(&clock{now})
	f.ok(a.All(b.Context()))
	line := []int{10}
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		f.push("acme/azure", 20+i%80, owned(fmt.Sprintf("1.%d.0", 5+i)), "main", line...)
		line = append([]int{20 + i%80}, line...)
		b.StartTimer()
		f.ok(a.Repo(b.Context(), "acme/azure"))
	}
}

// A commit with a file that cannot be read announces no removals. The next readable commit is compared with the last
// readable commit before it.
func TestFilesThatCannotBeReadAnnounceNothing(t *testing.T) {
	t.Parallel()
	f, c, a := published(t, "2.0.0")
	f.ok(a.All(t.Context()))
	me := f.reader(c, "me", "acme/fungal")
	listed(t, me, "acme/fungal", "pending") // version 2.0.0
	with := func(path, text string) files {
		all := maps.Clone(aperture)
		all[path] = text
		return all
	}
	for i, step := range []struct {
		repo string
		has  files
		want string
	}{
		{"acme/azure", owned("1.4.0: ["), "No pending notifications"},
		{"acme/azure", files{".blue/config.yaml": "realm: ["}, "No pending notifications"},
		{"acme/azure", owned("2.1.0"), "pending permissions VersionChanged 2.0.0>2.1.0 of hidden"},
		{"acme/realm-aperture", with("repos/azure.yaml", "- x\n"), "No pending notifications"},
		{"acme/realm-aperture", with("domains/s3/bindings/crimson.yaml", "imports: ["), "No pending notifications"},
		{"acme/realm-aperture", with("domains/s3/bindings/crimson.yaml", "imports: [gone]\n"),
			"pending permissions BindingRemoved > of hidden"},
	} {
		f.push(step.repo, 30+i, step.has, "main", 29+i, 20, 1)
		f.ok(a.All(t.Context()))
		if got := listed(t, me, "acme/fungal", "pending"); !strings.Contains(got, step.want) {
			t.Errorf("step %d: %s, want %s", i, got, step.want)
		}
	}
}

// The pull request of a fork notifies nobody. For the comment on the pull request, the contracts of the fork are
// compared with the default branch.
func TestAForkIsComparedWithTheDefaultBranch(t *testing.T) {
	t.Parallel()
	f, c, a := published(t, "1.5.0")
	f.ok(a.All(t.Context()))
	has := owned("1.6.0")
	has[".blue/contracts/s3/permissions.yaml"] = strings.Replace(has[".blue/contracts/s3/permissions.yaml"], "low, high",
		"low", 1)
	f.send(store.Snapshot{Repo: "acme/azure", Commit: hash(40), PR: 7, Fork: true}, has, 20, 10)
	f.ok(a.All(t.Context()))
	if got := listed(t, f.reader(c, "me", "acme/fungal"), "acme/fungal", "all"); !strings.Contains(got, "1.4.0>1.5.0") ||
		strings.Contains(got, "1.6.0") {
		t.Error(got)
	}
	impacts, err := f.asker("acme/azure", "acme/fungal").ContractImpacts(t.Context(), "acme/azure", hash(40))
	f.ok(err)
	want := "permissions 1.5.0 1.6.0 1 [{fungal >=1.0.0, <2.0.0 true }] 1"
	got := ""
	for _, i := range impacts {
		got += fmt.Sprint(i.Contract, " ", i.Old, " ", i.New, " ", len(i.Breaks), " ", i.Consumers, " ", i.Hidden)
	}
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A fork that is behind the default branch has old files. These files do not count as changes: no version went back,
// and no contract was removed.
func TestAForkThatIsBehindChangesOnlyWhatItChanges(t *testing.T) {
	t.Parallel()
	f, _, _ := published(t, "1.5.0") // commit 20, after 10
	old := owned("1.5.0")
	added := owned("2.0.0")
	added[".blue/contracts/s3/later.yaml"] = "version: 1.0.0\nowner: azure\nschema: {}\n"
	f.push("acme/azure", 21, owned("1.7.0"), "main", 20, 10)
	f.push("acme/azure", 22, added, "main", 21, 20, 10)
	look := func(commit int) string {
		t.Helper()
		a := f.asker("acme/azure", "acme/fungal")
		impacts, err := a.ContractImpacts(t.Context(), "acme/azure", hash(commit))
		f.ok(err)
		got := ""
		for _, i := range impacts {
			got += fmt.Sprint(i.Contract, " ", i.Old, " ", i.New, "; ")
		}
		r, err := a.RealmCheck(t.Context(), query.RealmCheckParams{RealmAt: query.RealmAt{Repo: "acme/azure"}, At: hash(commit)})
		f.ok(err)
		for _, e := range r.Errors {
			if e.Kind == "VersionRegressed" {
				got += e.Message
			}
		}
		return got
	}
	f.send(store.Snapshot{Repo: "acme/azure", Commit: hash(40), PR: 7, Fork: true}, old)
	if got := look(40); got != "" {
		t.Errorf("nothing was changed, but: %s", got)
	}
	has := owned("1.5.0")
	has[".blue/contracts/s3/own.yaml"] = "version: 1.0.0\nowner: azure\nschema: {}\n"
	f.push("acme/azure", 23, added, "main", 22, 21, 20, 10)
	f.send(store.Snapshot{Repo: "acme/azure", Commit: hash(41), PR: 8, Fork: true}, has)
	if got := look(41); got != "" {
		t.Errorf("a contract is new, but: %s", got)
	}
	// The branch has got a new contract since the fork. The fork raises the version of another contract.
	added = owned("2.0.0")
	added[".blue/contracts/s3/later.yaml"] = "version: 1.0.0\nowner: azure\nschema: {}\n"
	added[".blue/contracts/s3/last.yaml"] = "version: 1.0.0\nowner: azure\nschema: {}\n"
	f.push("acme/azure", 24, added, "main", 23, 22, 21, 20, 10)
	has = owned("3.0.0")
	has[".blue/contracts/s3/later.yaml"] = "version: 1.0.0\nowner: azure\nschema: {}\n"
	f.send(store.Snapshot{Repo: "acme/azure", Commit: hash(42), PR: 9, Fork: true}, has)
	if got, want := look(42), "permissions 2.0.0 3.0.0; "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
