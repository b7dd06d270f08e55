package realms_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// fixture is a store with repositories of a realm.
type fixture struct {
	testing.TB
	store store.Store
	blobs store.Blobs
}

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newFixture(t testing.TB) fixture {
	t.Helper()
	b, err := blob.OpenFile(filepath.Join(t.TempDir(), "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	return fixture{t, sqlitetest.Open(t), b}
}

func (f fixture) ok(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// files are the files of a repository by path.
type files map[string]string

func hash(n int) string { return fmt.Sprintf("%02x%038x", n, 0) }

// push sends the files of commit n of a repository. line has the earlier commits of the branch, newest first.
func (f fixture) push(repo string, n int, has files, branch string, line ...int) {
	f.Helper()
	f.send(store.Snapshot{Repo: repo, Commit: hash(n), Branch: branch}, has, line...)
}

// send sends the files of a snapshot.
func (f fixture) send(s store.Snapshot, has files, line ...int) {
	f.Helper()
	var entries []facts.Entry
	for path, text := range has {
		entries = append(entries, facts.Entry{File: facts.File{Path: path, Digest: facts.Digest([]byte(text)),
			Size: int64(len(text))}})
	}
	slices.SortFunc(entries, func(a, b facts.Entry) int { return cmp.Compare(a.Path, b.Path) })
	m, text, err := facts.NewManifest(store.FactContracts, entries)
	f.ok(err)
	set := facts.NewListed(m, text, func(_ context.Context, file facts.File) ([]byte, error) {
		return []byte(has[file.Path]), nil
	})
	var ancestors []string
	for _, a := range line {
		ancestors = append(ancestors, hash(a))
	}
	s.Kind, s.Verified, s.CreatedAt = store.FactContracts, true, now
	_, err = facts.Save(f.Context(), f.store, f.blobs, s, ancestors, set)
	f.ok(err)
}

func (f fixture) facts() facts.Stored {
	return facts.Stored{Store: f.store, Blobs: f.blobs, Scope: store.Everything()}
}

// asker returns the asker of a caller who may see these repositories.
func (f fixture) asker(repos ...string) *query.Asker {
	sc := store.Repos(repos...)
	return &query.Asker{Store: f.store, Blobs: f.blobs, Scope: sc, Now: func() time.Time { return now },
		Realms: realms.Stored{Facts: f.facts(), Scope: sc, Told: f.store}}
}

// text returns an answer as JSON, or the text of the error.
func text(v any, err error) string {
	if err != nil {
		return err.Error()
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func config(repo string) string {
	return "realm: {name: aperture, url: https://git.example.com/acme/realm-aperture}\nrepo: " + repo + "\n"
}

const permissions = `name: permissions
version: 1.4.0
owner: azure
schema: {type: object, required: [level], properties: {level: {enum: [low, high]}}}
value: {level: low}
`

// aperture is a realm with two domains. The domain s3 has a provider and two consumers. The domain other has two of
// these members.
var aperture = files{
	"realm.yaml":                            "name: aperture\n",
	"repos/azure.yaml":                      "name: azure\nurl: https://git.example.com/acme/azure\n",
	"repos/fungal.yaml":                     "name: fungal\nurl: git@git.example.com:acme/fungal.git\n",
	"repos/crimson.yaml":                    "name: crimson\norg: acme\n",
	"domains/s3/domain.yaml":                "members: [azure, fungal, crimson]\n",
	"domains/other/domain.yaml":             "members: [azure, crimson]\n",
	"domains/other/contracts/wire.yaml":     "version: 1.0.0\nowner: crimson\n",
	"domains/other/bindings/azure.yaml":     "imports: [{contract: wire, version: '>=2.0.0'}]\n",
	"domains/s3/contracts/permissions.yaml": permissions,
	"domains/s3/bindings/azure.yaml":        "exports: [permissions]\n",
	"domains/s3/bindings/fungal.yaml":       "imports: [{contract: permissions, version: '>=1.0.0, <2.0.0'}]\n",
	"domains/s3/bindings/crimson.yaml":      "imports: [{contract: permissions, version: '>=3.0.0'}, gone]\n",
}

func (f fixture) realm() {
	f.Helper()
	f.push("acme/realm-aperture", 1, aperture, "main")
	for i, name := range []string{"azure", "fungal", "crimson"} {
		f.push("acme/"+name, 10+i, files{".blue/config.yaml": config(name)}, "main")
	}
}

// A caller that cannot see a repository learns neither its name nor its bindings. The answers only count hidden
// repositories and hidden bindings.
func TestHiddenMembersAreNumbers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.realm()
	f.push("acme/azure", 20, files{".blue/config.yaml": config("azure"),
		".blue/contracts/s3/permissions-azure.yaml": strings.Replace(permissions, "1.4.0", "1.5.0", 1)}, "main", 10)
	all, mine := f.asker("acme/realm-aperture", "acme/azure", "acme/fungal", "acme/crimson"), f.asker("acme/fungal")
	of := query.RealmAt{Repo: "acme/fungal"}
	ctx := t.Context()
	ask := func(a *query.Asker) string {
		contract := query.ContractGetParams{RealmAt: of, Domain: "s3", Contract: "permissions"}
		wrong := query.ContractGetParams{RealmAt: of, Domain: "other", Contract: "wire"}
		return text(a.RealmStatus(ctx, query.RealmStatusParams{RealmAt: of})) +
			text(a.RealmCheck(ctx, query.RealmCheckParams{RealmAt: of})) + text(a.ContractGet(ctx, contract)) +
			text(a.ContractGet(ctx, wrong))
	}
	whole, part := ask(all), ask(mine)
	for _, word := range []string{"azure", "crimson", "wire"} {
		if strings.Contains(part, word) {
			t.Errorf("%s is told: %s", word, part)
		}
		if !strings.Contains(whole, word) {
			t.Errorf("%s is not told to who may see it", word)
		}
	}
	for _, want := range []string{`"hidden_repos":2`, `"hidden_bindings":2`, `"version":"1.5.0"`, `"owner":"hidden-1"`,
		`"errors":[]`, `the realm aperture has no domain`} {
		if !strings.Contains(part, want) {
			t.Errorf("%s is missing: %s", want, part)
		}
	}
	if !strings.Contains(whole, "requires '\\u003e=3.0.0' but contract is at v1.5.0") {
		t.Error(whole)
	}
}

// A repository is a member only if both the repository and the realm say so. Other repositories do not even learn
// whether the realm exists.
func TestOnlyMembersReadARealm(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.realm()
	f.push("evil/azure", 30, files{".blue/config.yaml": config("azure"),
		".blue/contracts/s3/permissions.yaml": strings.Replace(permissions, "1.4.0", "9.0.0", 1)}, "main")
	f.push("evil/none", 31, files{".blue/config.yaml": strings.ReplaceAll(config("azure"), "acme", "nobody")}, "main")
	f.push("evil/bare", 32, files{"contracts/a.yaml": "a: b\n"}, "main")
	check := func(repo string, scope ...string) string {
		return text(f.asker(scope...).RealmCheck(t.Context(), query.RealmCheckParams{RealmAt: query.RealmAt{Repo: repo}}))
	}
	const none = "the repository of the realm aperture is not known here"
	for _, tt := range []struct{ got, want string }{
		{check("evil/azure", "evil/azure"), none}, {check("evil/none", "evil/none"), none},
		{check("acme/fungal", "evil/azure"), "there is no repository acme/fungal"},
		{check("acme/no", "evil/azure"), "there is no repository acme/no"},
		{check("evil/bare", "evil/bare"), "not in a realm repo: .blue/config.yaml is not there"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s, want %s", tt.got, tt.want)
		}
	}
	if got := check("acme/fungal", "acme/fungal", "acme/realm-aperture"); strings.Contains(got, "9.0.0") {
		t.Errorf("a stranger speaks for a member: %s", got)
	}
}

// A commit is compared with its merge base with the default branch, and not with the newest commit of that branch.
func TestTheBaselineIsTheMergeBase(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.realm()
	own := func(version, schema string) files {
		return files{".blue/config.yaml": config("azure"), ".blue/contracts/s3/permissions.yaml": "name: permissions\n" +
			"owner: azure\nversion: " + version + "\nschema: " + schema + "\n"}
	}
	const wide, narrow = "{properties: {a: {type: string}, b: {type: string}}}", "{properties: {a: {type: string}}}"
	f.push("acme/azure", 20, own("1.5.0", wide), "main", 10)
	f.push("acme/azure", 21, own("2.0.0", narrow), "main", 20, 10)
	f.push("acme/azure", 40, own("1.5.1", narrow), "topic", 20, 10)
	a := f.asker("acme/azure", "acme/realm-aperture")
	for at, want := range map[string]string{
		"topic": "BreakingWithoutMajor", "main": `"baseline":"` + hash(21), "": `"baseline":"` + hash(21),
	} {
		got := text(a.RealmCheck(t.Context(), query.RealmCheckParams{RealmAt: query.RealmAt{Repo: "acme/azure"}, At: at}))
		if !strings.Contains(got, want) || strings.Contains(got, "BreakingWithoutMajor") != (at == "topic") {
			t.Errorf("%q: %s, want %s", at, got, want)
		}
	}
}
