package realms_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// run adds a run of a repository's tests on its default branch.
func (f fixture) run(repo string, commit int, at time.Time, failed bool) store.Run {
	f.Helper()
	attempt := fmt.Sprintf("00000000-0000-7000-8000-%012x", at.UnixNano()%(1<<48))
	_, err := f.store.StartRun(f.Context(), store.Run{Attempt: attempt, Repo: repo, Source: "test", Command: "make test",
		Shape: "make test", StartedAt: at, Git: store.Git{Commit: hash(commit), Branch: "main"}})
	f.ok(err)
	code, batches := 0, 0
	if failed {
		code, batches = 1, 1
		f.ok(f.store.AddEvents(f.Context(), attempt, 0, []store.Event{{ID: 1, Severity: store.SeverityError, File: "a.go",
			Line: 3, Message: "level is missing", Tool: "go", LogLine: 1, LogLineEnd: 1}}))
	}
	r, err := f.store.FinishRun(f.Context(), attempt, store.Finish{Ending: store.Ending{FinishedAt: at.Add(time.Second),
		ExitCode: &code}, Batches: batches})
	f.ok(err)
	return r
}

// broken returns a realm whose member fungal fails since azure has a new version of its contract. fungal was notified
// of the version.
func broken(t *testing.T) (fixture, *clock, store.Run) {
	t.Helper()
	f, c, a := published(t, "2.0.0")
	f.run("acme/fungal", 11, now.Add(-time.Hour), false)
	f.ok(a.All(t.Context()))
	return f, c, f.run("acme/fungal", 11, now.Add(time.Hour), true)
}

// Other questions also deliver pending notifications, once for each reader.
func TestOtherAnswersDeliverNotifications(t *testing.T) {
	t.Parallel()
	f, c, run := broken(t)
	asks := map[string]func(*query.Asker) (query.Unasked, error){
		"status": func(a *query.Asker) (query.Unasked, error) {
			s, err := a.Status(t.Context(), query.StatusParams{})
			return s.Unasked, err
		},
		"triage": func(a *query.Asker) (query.Unasked, error) {
			s, err := a.Triage(t.Context(), query.TriageParams{Ref: run.Ref().String()})
			return s.Unasked, err
		},
		"prime": func(a *query.Asker) (query.Unasked, error) {
			s, err := a.Prime(t.Context(), query.PrimeParams{})
			return s.Unasked, err
		},
	}
	for name, ask := range asks {
		reader := f.reader(c, name, "acme/fungal")
		got, err := ask(reader)
		f.ok(err)
		again, err := ask(reader)
		f.ok(err)
		if len(got.Notices) != 1 || got.Notices[0].State != "pending" || got.Notices[0].FromRepo != "hidden" ||
			len(again.Notices) != 0 {
			t.Errorf("%s: %+v, then %+v", name, got, again)
		}
		stranger := f.reader(c, name, "acme/crimson")
		if none, err := ask(stranger); len(none.Notices) > 0 && none.Notices[0].Contract != "permissions" {
			t.Errorf("%s tells a stranger %+v, %v", name, none, err)
		}
	}
}

// Prime answers for a repository that has sent contracts but no runs. For a repository that has sent nothing, the error
// is NotFound.
func TestARepositoryWithoutRunsIsPrimed(t *testing.T) {
	t.Parallel()
	f, c, a := published(t, "2.0.0")
	f.ok(a.All(t.Context()))
	p := query.PrimeParams{DocsAt: query.DocsAt{Repo: "acme/fungal"}}
	got, err := f.reader(c, "me", "acme/fungal").Prime(t.Context(), p)
	if err != nil || len(got.Builds) > 0 || len(got.Unasked.Notices) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	p.Repo = "acme/nosuch"
	if got, err := f.reader(c, "me", "acme/nosuch").Prime(t.Context(), p); store.CodeOf(err) != store.NotFound {
		t.Errorf("%+v, %v", got, err)
	}
}

// An answer to the question status delivers at most three notifications. The next answer delivers the remaining
// notifications.
func TestManyNotificationsAreNotDeliveredAtOnce(t *testing.T) {
	t.Parallel()
	f, c, a := published(t, "1.5.0")
	more := owned("1.5.0")
	for i := range 5 {
		more[fmt.Sprintf(".blue/contracts/s3/more-%d.yaml", i)] = "version: 1.0.0\nowner: azure\n"
	}
	f.push("acme/azure", 30, more, "main", 20, 10)
	f.ok(a.All(t.Context()))
	reader := f.reader(c, "me", "acme/fungal")
	var got []string
	for range 3 {
		s, err := reader.Status(t.Context(), query.StatusParams{})
		f.ok(err)
		got = append(got, fmt.Sprintf("%d+%d", len(s.Notices), s.More))
	}
	if strings.Join(got, " ") != "3+3 3+0 0+0" {
		t.Error(got)
	}
}

// If a failed run has no suspect changes of its own, and an imported contract has changed since the last passed run,
// the answer names the contract first.
func TestAChangedContractIsTheCause(t *testing.T) {
	t.Parallel()
	f, c, run := broken(t)
	triage, err := f.reader(c, "me", "acme/fungal").Triage(t.Context(), query.TriageParams{Ref: run.Ref().String()})
	f.ok(err)
	want := "Contract s3/permissions of hidden changed from 1.4.0 to 2.0.0, which breaks consumers, since " +
		"acme/fungal@test:1 was OK, and none of the own changes is suspect: "
	if !strings.HasPrefix(triage.Verdict, want) {
		t.Errorf("verdict %q", triage.Verdict)
	}
	if s := triage.Suspects; len(s) != 1 || s[0].Score != 3 || s[0].Evidence[0] != "s3/permissions@2.0.0" {
		t.Errorf("%+v", triage.Suspects)
	}
	if len(triage.NextSteps) == 0 || triage.NextSteps[0].Tool != "contract_get" {
		t.Errorf("%+v", triage.NextSteps)
	}
	s, alone, err := f.asker("acme/fungal", "acme/azure").Blame(t.Context(), run)
	if err != nil || !alone || len(s) != 1 ||
		!strings.Contains(s[0].Why, "s3/permissions of azure") {
		t.Errorf("%+v, %v", s, err)
	}
	why, err := f.asker("acme/fungal").Why(t.Context(), query.WhyParams{Ref: run.Ref().String() + ":1"}) // without a graph
	if err != nil || len(why.Suspects) != 1 || why.Event != "acme/fungal@test:2:1" || why.File != "a.go" ||
		!strings.Contains(why.Warning, "there is no graph of the commit of acme/fungal@test:2") {
		t.Errorf("%+v, %v", why, err)
	}
	_, foreign := f.asker("acme/crimson").Why(t.Context(), query.WhyParams{Ref: run.Ref().String() + ":1"})
	_, missing := f.asker("acme/crimson").Why(t.Context(), query.WhyParams{Ref: "acme/nosuch@test:2:1"})
	if store.CodeOf(foreign) != store.NotFound || strings.ReplaceAll(foreign.Error(), "fungal", "nosuch") != missing.Error() {
		t.Errorf("a stranger is told %v, and %v", foreign, missing)
	}
	earlier := run
	earlier.StartedAt = now.Add(-time.Minute) // before the change
	if s, _, err := f.asker("acme/fungal").Blame(t.Context(), earlier); err != nil || len(s) > 0 {
		t.Errorf("a change after the run is suspect: %+v, %v", s, err)
	}
	if s, _, err := f.asker("acme/crimson").Blame(t.Context(), run); err != nil || len(s) > 0 {
		t.Errorf("a stranger is told %+v, %v", s, err)
	}
}

// The comment on a provider's pull request names the consumers. For consumers that its readers cannot see, the
// comment has only their number.
func TestTheCommentNamesConsumers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.realm()
	f.push("acme/azure", 20, files{".blue/config.yaml": config("azure"), ".blue/contracts/s3/permissions.yaml": "" +
		"version: 2.0.0\nschema: {type: object, properties: {other: {}}}\n"}, "topic", 10)
	f.run("acme/fungal", 11, now, true)
	f.run("acme/azure", 20, now.Add(time.Minute), true)
	pull := func(repos ...string) string {
		a := f.asker(repos...)
		a.Scope = store.Repos("acme/azure") // jobs ask only about their repository
		p, err := markdown.WritePull(t.Context(), a, cmdline.Words,
			markdown.PullParams{Repo: "acme/azure", Commit: hash(20)})
		f.ok(err)
		if p.Counts.Contracts != 1 {
			t.Errorf("%d contracts", p.Counts.Contracts)
		}
		return p.Markdown
	}
	whole := pull("acme/azure", "acme/fungal", "acme/crimson", "acme/realm-aperture")
	for _, want := range []string{
		"**Contract** `s3/permissions` `1.4.0` → `2.0.0` **breaks consumers**: `'level' was removed`",
		"| `fungal` | `>=1.0.0, <2.0.0` | **no** | `fails on main (test:1)` |",
		"| `crimson` | `>=3.0.0` | **no** | not known |"} {
		if !strings.Contains(whole, want) {
			t.Errorf("%q is not in\n%s", want, whole)
		}
	}
	part := pull("acme/azure")
	if strings.Contains(part, "fungal") || strings.Contains(part, "crimson") || strings.Contains(part, "3.0.0") ||
		!strings.Contains(part, "2 consumers may not be named here") {
		t.Error(part)
	}
}

// The comment on a consumer's pull request begins with the changed contract that may be the cause of the failure.
func TestTheCommentBeginsWithTheContract(t *testing.T) {
	t.Parallel()
	f, c, _ := broken(t)
	p, err := markdown.WritePull(t.Context(), f.reader(c, "me", "acme/fungal"), cmdline.Words,
		markdown.PullParams{Repo: "acme/fungal", Commit: hash(11)})
	f.ok(err)
	_, body, _ := strings.Cut(p.Markdown, "\n\n")
	if !strings.HasPrefix(body, "**Changed contracts that may be the cause**\n\n- `test`: `contract s3/permissions "+
		"of hidden changed from 1.4.0 to 2.0.0") || !strings.Contains(body, "no change of this repository is suspect") {
		t.Error(p.Markdown)
	}
}
