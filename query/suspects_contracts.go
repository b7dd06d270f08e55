package query

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/store"
)

// These are the points of a suspect contract. It gets pointsImported because the run's repository imports it. It gets
// pointsElsewhere because it has changed on the default branch of its own repository since the last OK run of the step.
const (
	pointsImported  = 2
	pointsElsewhere = 1
)

// contractTime is the max time of the search for changed contracts.
const contractTime = 2 * time.Second

// contractSuspects returns changes of contracts that a repository imports, newest first. It selects the changes between
// the last OK run of the step and the given run. It returns no suspects if there is not enough time.
func (a *Asker) contractSuspects(ctx context.Context, r store.Run) ([]Suspect, error) {
	if a.Realms == nil || r.Status() == store.StatusOK || r.Status() == store.StatusRunning {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, contractTime)
	defer cancel()
	_, all, err := a.notices(ctx, r.Repo)
	if ctx.Err() != nil {
		return nil, nil
	}
	if err != nil || len(all) == 0 {
		return nil, err
	}
	green, err := a.lastGreen(ctx, r)
	if ctx.Err() != nil {
		return nil, nil
	}
	if err != nil || green.Serial == 0 {
		return nil, err
	}
	var list []Suspect
	told := map[string]bool{}
	for _, n := range all {
		kind := realm.ChangeType(n.Change)
		if kind != realm.VersionChanged && kind != realm.ContractRemoved || told[n.Subject()] ||
			n.CreatedAt.Before(green.StartedAt) || n.CreatedAt.After(r.StartedAt) {
			continue
		}
		told[n.Subject()] = true
		list = append(list, contractSuspect(n, green))
	}
	return list[:min(len(list), maxSuspects)], nil
}

// lastGreen returns the newest OK run before the run r that has the repository, source and matrix leg of r. It prefers
// runs on the same branch. If there is no such run, it returns the zero run.
func (a *Asker) lastGreen(ctx context.Context, r store.Run) (store.Run, error) {
	leg := r.Leg()
	for _, branch := range slices.Compact([]string{r.Git.Branch, ""}) {
		runs, err := a.reader().Runs(ctx, a.Scope, store.RunFilter{Repo: r.Repo, Source: r.Source, Branch: branch, Leg: &leg,
			Before: r.Serial, Status: store.StatusOK, Limit: 1})
		if err != nil {
			return store.Run{}, err
		}
		if len(runs) > 0 {
			return runs[0], nil
		}
	}
	return store.Run{}, nil
}

// contractSuspect returns a changed contract as a suspect.
func contractSuspect(n store.Notification, green store.Run) Suspect {
	name := clip(Clean(n.Domain+"/"+n.Contract), 100)
	what := fmt.Sprintf("changed from %s to %s", clip(Clean(n.OldVersion), 40), clip(Clean(n.NewVersion), 40))
	ref := name
	if realm.ChangeType(n.Change) == realm.ContractRemoved {
		what = "was removed"
	} else {
		ref += "@" + clip(Clean(n.NewVersion), 40)
	}
	if n.Breaking {
		what += ", which breaks consumers,"
	}
	return Suspect{Kind: SuspectContract, Score: pointsImported + pointsElsewhere, Evidence: []string{ref},
		contract: [2]string{n.Domain, n.Contract},
		Why:      fmt.Sprintf("contract %s of %s %s since %s was OK", name, clip(Clean(n.From), 60), what, green.Ref())}
}

// withContracts merges two lists of suspects: own changes of the repository, and changed contracts. If scores are
// equal, own changes come first. It returns at most maxSuspects suspects. alone is true if there are suspects, and all
// of them are contracts.
func withContracts(own, contracts []Suspect) (all []Suspect, alone bool) {
	all = slices.Concat(own, contracts)
	sort.SliceStable(all, func(i, j int) bool { return all[i].Score > all[j].Score })
	return all[:min(len(all), maxSuspects)], len(own) == 0 && len(contracts) > 0
}

// Blame returns the changed contracts that may have caused the failure of a run. alone is true if only contracts are
// suspect, and no change of the repository itself.
func (a *Asker) Blame(ctx context.Context, r store.Run) (changed []Suspect, alone bool, err error) {
	if changed, err = a.contractSuspects(ctx, r); err != nil || len(changed) == 0 {
		return nil, false, err
	}
	t := Triage{Status: r.Status()}
	if err := a.explain(ctx, &t, r, TriageParams{}); err != nil {
		return nil, false, err
	}
	own, err := a.causes(ctx, r, "", t.New)
	return changed, own.complete && len(own.suspects) == 0, err
}

// contracts adds changed contracts to the suspects of a triage. If only contracts are suspect, the verdict begins with
// the contracts.
func (a *Asker) contracts(ctx context.Context, t *Triage, r store.Run, p TriageParams) error {
	changed, err := a.contractSuspects(ctx, r)
	if err != nil || len(changed) == 0 {
		return err
	}
	if !p.Graph && len(t.New) > 0 {
		own, err := a.causes(ctx, r, p.Baseline, t.New)
		if err != nil {
			return err
		}
		t.Suspects, t.hurried = own.suspects, !own.complete
	}
	var alone bool
	if t.Suspects, alone = withContracts(t.Suspects, changed); alone && !t.hurried {
		t.contract = &changed[0]
	}
	return nil
}

// blame puts a changed contract at the beginning of the verdict.
func (t *Triage) blame() {
	if t.contract == nil {
		return
	}
	text := t.contract.Why
	t.Verdict = strings.ToUpper(text[:1]) + text[1:] + ", and none of the own changes is suspect: " + t.Verdict
	c := t.contract.contract
	if realm.IsName(c[0]) && realm.IsName(c[1]) {
		t.NextSteps = slices.Insert(t.NextSteps, 0,
			store.NewCall("contract_get", "what the contract says now", "domain", c[0], "contract", c[1]))
	}
}
