//go:build unix

package realms_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	local "github.com/blq-ci/blq/internal/project/realms"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// scripted is a realm of six repositories that a script changes: the realm's own repository, and five members. Each
// member owns the contract with its name, and imports the contracts of some others. The expected results are computed
// only from these few facts.
type scripted struct {
	fixture
	top     string
	clock   *clock
	commits map[string][]int // commits by repository, oldest first
	major   map[string]int   // versions of contracts by owner
	minor   map[string]int
	broken  map[string]bool           // owners whose value does not fit the schema
	wants   map[string]map[string]int // imported major versions, by member and owner
	notices map[string][]string       // notifications by member, oldest first
}

var members = []string{"a", "b", "c", "d", "e"}

func (s *scripted) version(of string) string { return fmt.Sprintf("%d.%d.0", s.major[of], s.minor[of]) }

// files returns the files of a member, or of the realm if the name is "".
func (s *scripted) files(of string) files {
	if of == "" {
		all := files{"realm.yaml": "name: aperture", "domains/x/domain.yaml": "members: [a, b, c, d, e]"}
		for _, m := range members {
			all["repos/"+m+".yaml"] = "url: https://git.example.com/acme/" + m + "\npath: ../" + m + "\n"
		}
		return all
	}
	value, imports := "1", ""
	if s.broken[of] {
		value = "one"
	}
	for _, from := range slices.Sorted(maps.Keys(s.wants[of])) {
		imports += fmt.Sprintf("  - {contract: %s, version: ^%d.0}\n", from, s.wants[of][from])
	}
	if imports != "" {
		imports = "imports:\n" + imports
	}
	return files{
		".blue/config.yaml": "realm: {name: aperture, url: https://git.example.com/acme/realm-aperture, path: ../realm}\n" +
			"repo: " + of + "\n",
		".blue/contracts/x/contracts/" + of + ".yaml": "version: " + s.version(of) + "\nowner: " + of +
			"\nschema: {type: integer}\nvalue: " + value + "\n",
		".blue/contracts/x/bindings/" + of + ".yaml": "exports: [" + of + "]\n" + imports,
	}
}

// truth returns the expected findings of a check, one on each line, sorted.
func (s *scripted) truth() string {
	var all []string
	used := map[string]bool{}
	for _, m := range members {
		if s.broken[m] {
			all = append(all, "ValueInvalid "+m)
		}
		for from, major := range s.wants[m] {
			if used[from] = true; s.major[from] != major {
				all = append(all, "VersionMismatch "+from+" by "+m)
			}
		}
	}
	for _, m := range members {
		if !used[m] {
			all = append(all, "UnusedContract "+m)
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// commit commits a repository on its default branch, locally and on the server.
func (s *scripted) commit(of string) {
	s.Helper()
	dir, repo := filepath.Join(s.top, of), "acme/"+of
	if of == "" {
		dir, repo = filepath.Join(s.top, "realm"), "acme/realm-aperture"
	}
	has := s.files(of)
	for name, text := range has {
		path := filepath.Join(dir, filepath.FromSlash(name))
		s.ok(os.MkdirAll(filepath.Dir(path), 0o755))
		s.ok(os.WriteFile(path, []byte(text), 0o644))
	}
	script := "[ -d .git ] || git init -q -b main; git add -A; " +
		"git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m one"
	cmd := exec.CommandContext(s.Context(), "sh", "-c", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("%s: %s", of, out)
	}
	n := 0
	for _, list := range s.commits {
		n += len(list)
	}
	line := slices.Clone(s.commits[of])
	slices.Reverse(line)
	s.push(repo, n+1, has, "main", line...)
	s.commits[of] = append(s.commits[of], n+1)
}

// compare checks the realm for a member, locally or on the server. It compares the findings and the versions of
// contracts with the expected ones.
func (s *scripted) compare(member string, a *query.Asker, at query.RealmAt) {
	s.Helper()
	r, err := a.RealmCheck(s.Context(), query.RealmCheckParams{RealmAt: at})
	s.ok(err)
	var got []string
	for _, f := range slices.Concat(r.Errors, r.Warnings) {
		line := f.Kind + " " + f.Contract
		if f.Repo != "" {
			line += " by " + f.Repo
		}
		got = append(got, line)
	}
	slices.Sort(got)
	if diff := cmp.Diff(s.truth(), strings.Join(got, "\n")); diff != "" {
		s.Fatalf("%s (-truth +check):\n%s", member, diff)
	}
	hashes := map[string]string{}
	for _, h := range r.SchemaHashes {
		hashes[h.Contract] = h.Version
	}
	for _, m := range members {
		if hashes[m] != s.version(m) {
			s.Fatalf("%s: %s is at %s, want %s", member, m, hashes[m], s.version(m))
		}
	}
}

// change changes a random member, and records the expected notifications.
func (s *scripted) change(rng *rand.Rand) string {
	m := members[rng.IntN(len(members))]
	before := s.version(m)
	switch rng.IntN(4) {
	case 0:
		s.minor[m]++
	case 1:
		s.major[m], s.minor[m] = s.major[m]+1, 0
	case 2:
		s.broken[m] = !s.broken[m]
	default:
		for _, from := range slices.Sorted(maps.Keys(s.wants[m])) {
			s.wants[m][from] = s.major[from]
		}
	}
	if now := s.version(m); now != before {
		for _, other := range members {
			if _, imports := s.wants[other][m]; imports {
				s.notices[other] = append(s.notices[other], m+" "+before+" to "+now)
			}
		}
	}
	return m
}

// A script makes sixty commits. After each change, the check of a member has the expected findings, locally and on a
// server. At the end, the members have the expected notifications.
func TestAScriptedRealm(t *testing.T) {
	t.Parallel()
	s := &scripted{fixture: newFixture(t), top: t.TempDir(), clock: &clock{now}, commits: map[string][]int{},
		major: map[string]int{}, minor: map[string]int{}, broken: map[string]bool{}, notices: map[string][]string{},
		wants: map[string]map[string]int{"b": {"a": 1}, "c": {"a": 1, "b": 1}, "d": {"c": 1}, "a": {}, "e": {}}}
	for _, m := range members {
		s.major[m] = 1
	}
	for _, m := range append([]string{""}, members...) {
		s.commit(m)
	}
	tell := s.announcer(s.clock)
	s.ok(tell.All(t.Context()))
	rng := rand.New(rand.NewPCG(4, 60))
	for i := range 54 {
		s.clock.Time = s.clock.Add(time.Minute)
		m := s.change(rng)
		s.commit(m)
		s.ok(tell.Repo(t.Context(), "acme/"+m))
		s.ok(tell.All(t.Context())) // as after a crash: nothing is announced again
		one := members[i%len(members)]
		p := local.Project{Root: filepath.Join(s.top, one), Home: filepath.Join(s.top, "home")}
		s.compare(one+" here", &query.Asker{Store: s.store, Scope: store.Everything(), Realms: p}, query.RealmAt{})
		a := s.asker("acme/realm-aperture", "acme/a", "acme/b", "acme/c", "acme/d", "acme/e")
		s.compare(one+" on a server", a, query.RealmAt{Repo: "acme/" + one})
	}
	total := 0
	for _, m := range members {
		l, err := s.reader(s.clock, "me", "acme/"+m).NotificationsList(t.Context(), query.NotificationsListParams{
			RealmAt: query.RealmAt{Repo: "acme/" + m}, State: "all"})
		s.ok(err)
		var got []string
		for _, n := range l.Notifications { // without notifications that a later one replaces
			got = append(got, n.Contract+" "+n.Changes.OldVersion+" to "+n.Changes.NewVersion)
		}
		var want []string
		later := map[string]bool{} // whether a later notification about the contract tells of a new major version
		for _, line := range slices.Backward(s.notices[m]) {
			contract, versions, _ := strings.Cut(line, " ")
			from, to, _ := strings.Cut(versions, " to ")
			major := from[0] != to[0]
			if was, superseded := later[contract]; !superseded || major && !was {
				want = append(want, line)
			}
			later[contract] = later[contract] || major
		}
		total += len(s.notices[m])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s is told (-want +got):\n%s", m, diff)
		}
		all, err := s.store.Notifications(t.Context(), store.Everything(), "acme/"+m, "")
		s.ok(err)
		if len(all) != len(s.notices[m]) {
			t.Errorf("%s has %d notifications, want %d", m, len(all), len(s.notices[m]))
		}
	}
	if total < 15 {
		t.Errorf("the script tells only %d notifications", total)
	}
}
