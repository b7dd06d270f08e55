package realms_test

import (
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// world describes the repositories that the caller may not see.
type world struct {
	owner, consumer string // names of the members
	requires        string // range of versions in which the consumer imports the caller's contract
	more            files  // files of a domain to which the caller does not belong
	bindings        string // bindings in the consumer's own repository
}

// Two worlds differ only in what the caller may not see: names, ranges, and a domain of others. All answers to the
// caller are the same in both.
func TestHiddenRepositoriesDoNotShow(t *testing.T) {
	t.Parallel()
	one := answersIn(t, world{owner: "azure", consumer: "crimson", requires: "^1.0"})
	two := answersIn(t, world{owner: "zebra-with-a-long-name", consumer: "beige", requires: ">=0.1",
		bindings: "imports: [{contract: permissions, version: ^9.0}, {contract: caps, version: '>=1.0.0'}]\n",
		more: files{"domains/other/domain.yaml": "members: [beige, zebra-with-a-long-name]\n",
			"domains/other/contracts/wire.yaml": "version: x\nowner: beige\n",
			"domains/other/bindings/beige.yaml": "exports: [wire, gone]\n"}})
	for name, answer := range one {
		if diff := cmp.Diff(answer, two[name]); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		for _, hidden := range []string{"azure", "crimson"} {
			if strings.Contains(answer, hidden) {
				t.Errorf("%s names %s: %s", name, hidden, answer)
			}
		}
	}
}

// sessionID matches the IDs of sessions and notifications, which are different in each world.
var sessionID = regexp.MustCompile(`(sess|notif)-[0-9a-zA-Z]+`)

// answersIn asks all questions whose answers depend on realms, and returns the answers. The caller may see only the
// repository fungal.
func answersIn(t *testing.T, w world) map[string]string {
	t.Helper()
	f := newFixture(t)
	has := files{
		"realm.yaml":                               "name: aperture\n",
		"repos/" + w.owner + ".yaml":               "url: https://git.example.com/acme/" + w.owner + "\n",
		"repos/" + w.consumer + ".yaml":            "url: https://git.example.com/acme/" + w.consumer + "\n",
		"repos/fungal.yaml":                        "url: https://git.example.com/acme/fungal\n",
		"domains/s3/domain.yaml":                   "members: [" + w.owner + ", fungal, " + w.consumer + "]\n",
		"domains/s3/bindings/fungal.yaml":          "exports: [caps]\nimports: [{contract: permissions, version: ^1.0}]\n",
		"domains/s3/bindings/" + w.owner + ".yaml": "exports: [permissions]\n",
		"domains/s3/bindings/" + w.consumer + ".yaml": "imports: [{contract: caps, version: '" + w.requires +
			"'}, permissions]\n",
	}
	maps.Copy(has, w.more)
	f.push("acme/realm-aperture", 1, has, "main")
	contract := func(owner, name, version string) files {
		return files{".blue/config.yaml": config(owner), ".blue/contracts/s3/" + name + ".yaml": "version: " + version +
			"\nowner: " + owner + "\nschema: {type: object, properties: {a: {type: string}}}\n"}
	}
	f.push("acme/"+w.owner, 10, contract(w.owner, "permissions", "1.0.0"), "main")
	f.push("acme/fungal", 11, contract("fungal", "caps", "1.0.0"), "main")
	consumer := files{".blue/config.yaml": config(w.consumer)}
	if w.bindings != "" {
		consumer[".blue/contracts/s3/bindings/"+w.consumer+".yaml"] = w.bindings
	}
	f.push("acme/"+w.consumer, 12, consumer, "main")
	c := &clock{now}
	tell := f.announcer(c)
	f.ok(tell.All(t.Context()))
	f.run("acme/fungal", 11, now.Add(-time.Hour), false)
	c.Time = now.Add(time.Minute)
	f.push("acme/"+w.owner, 13, contract(w.owner, "permissions", "2.0.0"), "main", 10)
	f.ok(tell.All(t.Context()))
	f.push("acme/fungal", 14, contract("fungal", "caps", "2.0.0"), "rfc/7", 11)
	red := f.run("acme/fungal", 11, now.Add(time.Hour), true)

	of := query.RealmAt{Repo: "acme/fungal"}
	ctx := t.Context()
	answers := map[string]string{}
	ask := func(name string, do func(a *query.Asker) (any, error)) {
		a := f.worker(c, name, "acme/fungal") // a reader of its own, so notifications are pending for it
		v, err := do(a)
		answers[name] = sessionID.ReplaceAllString(text(v, err)+text(store.NextOf(err), nil), "ID")
	}
	ask("status", func(a *query.Asker) (any, error) { return a.RealmStatus(ctx, query.RealmStatusParams{RealmAt: of}) })
	for _, at := range []string{"", "rfc/7"} {
		ask("check "+at, func(a *query.Asker) (any, error) {
			return a.RealmCheck(ctx, query.RealmCheckParams{RealmAt: of, At: at})
		})
	}
	for _, name := range []string{"caps", "permissions", "wire", "gone"} {
		for _, domain := range []string{"s3", "other"} {
			ask("contract "+domain+"/"+name, func(a *query.Asker) (any, error) {
				return a.ContractGet(ctx, query.ContractGetParams{RealmAt: of, Domain: domain, Contract: name})
			})
		}
	}
	ask("notifications", func(a *query.Asker) (any, error) {
		return a.NotificationsList(ctx, query.NotificationsListParams{RealmAt: of})
	})
	for _, rfc := range []string{"", "7", "8"} {
		ask("pull requests "+rfc, func(a *query.Asker) (any, error) {
			return a.PRStatus(ctx, query.PRStatusParams{RealmAt: of, RFC: rfc})
		})
	}
	ask("worktrees", func(a *query.Asker) (any, error) {
		return a.WorktreeCreate(ctx, query.WorktreeCreateParams{RealmAt: of, RFC: "7"})
	})
	ask("session", func(a *query.Asker) (any, error) {
		return a.SessionStart(ctx, query.SessionStartParams{RealmAt: of, At: "rfc/7"})
	})
	ask("comment", func(a *query.Asker) (any, error) { return a.ContractImpacts(ctx, "acme/fungal", hash(14)) })
	ask("state", func(a *query.Asker) (any, error) { return a.Status(ctx, query.StatusParams{}) })
	ask("triage", func(a *query.Asker) (any, error) {
		return a.Triage(ctx, query.TriageParams{Ref: red.Ref().String()})
	})
	ask("why", func(a *query.Asker) (any, error) { return a.Why(ctx, query.WhyParams{Ref: red.Ref().String() + ":1"}) })
	ask("prime", func(a *query.Asker) (any, error) { return a.Prime(ctx, query.PrimeParams{}) })
	return answers
}
