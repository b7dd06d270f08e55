package action

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/internal/findings"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/query/remote"
	"github.com/blq-ci/blq/store"
)

// checks reads the input checks, which is auto or off.
func (r *reader) checks() bool { return r.oneOf("checks", "auto", "off") == "auto" }

// check checks the architecture, the documents and the contracts of a run's commit, once for each commit of a job. It
// returns the outcomes that the step reports. Each check is recorded as a run of its own, unless an earlier job has
// recorded a more complete run. check itself never fails the step. The input "wait" is the max time for all checks
// together.
func (x *sending) check(ctx, server context.Context, r store.Run) []outcome {
	if !x.in.Checks || x.quit.cancelled() {
		return nil
	}
	from := &worktree.Source{Root: x.w.Root(), Cache: x.w.FactsCache(), Exclude: x.in.Facts.exclude}
	snapshot, err := from.Told(ctx, r)
	if err != nil {
		return nil // the repository is not checked out yet
	}
	if text, unread := os.ReadFile(x.state.path("checked")); unread == nil && string(text) == snapshot.Commit {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, x.in.Wait)
	defer cancel()
	branch := ""
	if r.CI != nil {
		branch = r.CI.BaseRef
	}
	check := findings.Check{Source: from, At: snapshot.Commit, Attested: x.attested(r)}
	if base, _, err := findings.BaseOf(bounded, x.w.Root(), snapshot.Commit, branch); err == nil {
		check.Base = base
	}
	report, err := check.Run(bounded)
	if err != nil {
		x.lost = append(x.lost, "rules and documents are not checked: "+err.Error())
	}
	if report.Warning != "" {
		x.wrong = append(x.wrong, report.Warning)
	}
	_ = os.WriteFile(x.state.path("checked"), []byte(snapshot.Commit), 0o644) // if this fails, the next step checks again
	var list []outcome
	results := report.Results()
	if contracts := x.checkContracts(bounded, r, snapshot.Commit); contracts != nil {
		results = append(results, contracts)
	}
	for _, result := range results {
		if o, known := x.better(server, result, r, snapshot.Commit); known {
			list = append(list, o)
			continue
		}
		if o, ok := x.recordFindings(ctx, server, result); ok {
			list = append(list, o)
		}
	}
	return list
}

// better returns the outcome of an earlier job of the workflow run for the same check and commit, if the parameter own
// is partial. The earlier check must have run, and found at least as many errors. The server shows both jobs as one
// check. So a partial result of this job must not hide findings of the earlier job. The bool result is false if there
// is no such outcome.
func (x *sending) better(ctx context.Context, own *findings.Result, r store.Run, commit string) (outcome, bool) {
	if !own.Partial || x.to == nil || r.CI == nil || r.CI.RunID == "" {
		return outcome{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, x.patience())
	defer cancel()
	server := &remote.Client{Server: x.to, Repo: r.CI.Repo}
	past, err := questions.History.Ask(ctx, server, query.HistoryParams{Source: own.Name, Limit: 50,
		At: query.At{Commit: commit}})
	if err != nil {
		return outcome{}, false // NotFound: no earlier check; after other errors the check is recorded, too
	}
	for _, other := range past.Runs {
		if other.CI == nil || other.CI.RunID != r.CI.RunID || other.CI.RunAttempt != r.CI.RunAttempt {
			continue
		}
		ref := store.Ref{Repo: r.CI.Repo, Source: other.Source, Serial: other.RunID}.String()
		info, err := questions.Info.Ask(ctx, server, query.InfoParams{Ref: ref})
		if err != nil {
			return outcome{}, false
		}
		if info.Command != own.Command {
			continue // a step of the workflow has the same name as the check
		}
		check, err := questions.Check.Ask(ctx, server, query.CheckParams{Run: ref, FailOn: query.FailOnErrors})
		if err != nil || len(check.Runs) != 1 || other.Errors < own.Errors && !own.Failed() ||
			slices.ContainsFunc(check.Runs[0].Events, func(e query.Event) bool {
				return strings.Contains(e.Message, findings.Failure)
			}) {
			return outcome{}, false
		}
		x.Say("%s is that of %s, which another job recorded: this job knows less of the history", own.Name, ref)
		o := outcome{ref: ref, status: other.Status, errors: other.Errors, warnings: other.Warnings}
		if fresh := check.Runs[0].New; fresh != nil {
			o.compared, o.fresh = true, *fresh
		}
		return o, true
	}
	return outcome{}, false
}

// recordFindings records and sends the result of a check. If the result has findings, recordFindings reports them and
// returns true. Otherwise it returns false.
func (x *sending) recordFindings(ctx, server context.Context, result *findings.Result) (outcome, bool) {
	spec := record.Spec{Dir: x.w.Root(), Redactor: x.Redactor, JobRun: x.state.jobRun()}
	run, err := result.Record(ctx, x.w, spec)
	if err != nil {
		x.lost = append(x.lost, result.Name+" is not recorded: "+err.Error())
		return outcome{}, false
	}
	one := &sending{wrapped: x.wrapped, to: x.to}
	one.follow(run)
	sent := one.finish(server, run)
	if run.Errors+run.Warnings == 0 {
		return outcome{}, false
	}
	return x.tell(ctx, server, run, sent), true
}
