package query

import (
	"context"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/store"
)

// addErrors adds the errors of contracts to the reasons why changes are not ready.
func (a *Asker) addErrors(ctx context.Context, list []RepoPR, found RealmFound, of RealmOf) error {
	listed := map[string]bool{}
	for _, r := range list {
		listed[r.Name] = true
	}
	kinds, err := a.errorsBy(ctx, found, of, listed)
	for i := range list {
		if all := kinds[list[i].Name]; len(all) > 0 {
			list[i].Ready = false
			list[i].Reasons = append(list[i].Reasons, "errors of contracts: "+strings.Join(all, ", "))
		}
	}
	return err
}

// errorsBy returns the kinds of contract errors, by the member that must fix them. Usually the member with the error
// must fix it. But if only the owner of the contract has a change for the RFC, the owner must fix the error. In this
// case, errorsBy leaves out an error that is also on the default branches.
func (a *Asker) errorsBy(ctx context.Context, found RealmFound, of RealmOf, listed map[string]bool) (
	map[string][]string, error) {
	all := map[string][]string{}
	var before map[contractError]bool // errors on the default branches; nil until they are read
	for _, e := range found.errorsOf() {
		kind, who := string(e.kind), e.who
		if owner := found.ownerOf(e); !listed[who] && listed[owner] && of.RFC != "" {
			if before == nil {
				before = map[contractError]bool{}
				now, err := a.Realms.Realm(ctx, RealmOf{RealmAt: of.RealmAt, At: found.Tips[found.Current]})
				if err != nil {
					return nil, err
				}
				for _, was := range now.errorsOf() {
					before[was] = true
				}
			}
			if before[e] {
				continue
			}
			kind, who = kind+" of "+Clean(who), owner
		}
		if !slices.Contains(all[who], kind) {
			all[who] = append(all[who], kind)
		}
	}
	return all, nil
}

// contractError is an error of a contract, or of a repository that exports or imports the contract.
type contractError struct {
	kind             realm.Kind
	domain, contract string
	who              string // the member with the error
}

// errorsOf returns the errors that the check of the realm finds. It leaves out errors of members that the caller may
// not see.
func (f RealmFound) errorsOf() (list []contractError) {
	check := realm.Check{Baseline: f.Baseline}
	for _, e := range check.Of(f.Realm) {
		if e.Severity != store.SeverityError || f.hides(e.Repo) || f.hides(e.Place.In) {
			continue
		}
		one := contractError{e.Kind, e.Domain, e.Contract, e.Repo}
		if one.who == "" {
			if one.who = f.ownerOf(one); one.who == "" {
				one.who = e.Place.In
			}
		}
		list = append(list, one)
	}
	return list
}

// ownerOf returns the owner of a contract, or "" if there is no such contract.
func (f RealmFound) ownerOf(e contractError) string {
	if d := f.Domain(e.domain); d != nil {
		if c := d.Contract(e.contract); c != nil {
			return c.Owner
		}
	}
	return ""
}
