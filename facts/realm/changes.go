package realm

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"slices"
	"sort"
)

// ChangeType is the type of a change of a contract or a binding.
type ChangeType string

// These are the changes that are notified to other members.
const (
	ContractAdded   ChangeType = "ContractAdded"
	VersionChanged  ChangeType = "VersionChanged"
	ContractRemoved ChangeType = "ContractRemoved"
	BindingAdded    ChangeType = "BindingAdded"
	BindingRemoved  ChangeType = "BindingRemoved"
)

// Change is a difference between two states of a realm.
type Change struct {
	Type       ChangeType
	Domain     string
	Contract   string
	From       string // the repository that made the change; it owns the contract or the binding
	OldVersion string // "" for none
	NewVersion string // "" for none
	Breaking   bool   // a new major version, or a structure that breaks readers
}

// Changes returns the changes between two states, sorted by domain, contract, type and repository. It leaves out a
// changed schema without a new version, because a check warns of this mistake.
func Changes(before, after *Realm) []Change {
	var all []Change
	for _, name := range domainNames(before, after) {
		old, now := before.Domain(name), after.Domain(name)
		if old == nil {
			old = &Domain{}
		}
		if now == nil {
			now = &Domain{}
		}
		all = append(all, contractChanges(name, old, now)...)
		all = append(all, bindingChanges(name, old, now, BindingRemoved)...)
		all = append(all, bindingChanges(name, now, old, BindingAdded)...)
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return cmp.Or(cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Contract, b.Contract), cmp.Compare(a.Type, b.Type),
			cmp.Compare(a.From, b.From)) < 0
	})
	return all
}

func domainNames(realms ...*Realm) []string {
	var names []string
	for _, r := range realms {
		for _, d := range r.Domains {
			names = append(names, d.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func contractChanges(domain string, old, now *Domain) []Change {
	var all []Change
	for i := range old.Contracts {
		was := &old.Contracts[i]
		is := now.Contract(was.Name)
		switch {
		case is == nil:
			all = append(all, Change{Type: ContractRemoved, Domain: domain, Contract: was.Name, From: was.Owner,
				OldVersion: was.Version, Breaking: true})
		case is.Version != was.Version:
			c := Change{Type: VersionChanged, Domain: domain, Contract: was.Name, From: is.Owner, OldVersion: was.Version,
				NewVersion: is.Version}
			c.Breaking = is.StepFrom(was).Breaking
			all = append(all, c)
		}
	}
	for i := range now.Contracts {
		if is := &now.Contracts[i]; old.Contract(is.Name) == nil {
			all = append(all, Change{Type: ContractAdded, Domain: domain, Contract: is.Name, From: is.Owner,
				NewVersion: is.Version})
		}
	}
	return all
}

// bindingChanges returns a change for each import that is in one state of a domain but not in the other state.
func bindingChanges(domain string, has, not *Domain, as ChangeType) []Change {
	var all []Change
	for _, b := range has.Bindings {
		other := not.binding(b.Repo)
		for _, i := range b.Imports {
			if other == nil || !slices.ContainsFunc(other.Imports, func(o Import) bool { return o.Contract == i.Contract }) {
				all = append(all, Change{Type: as, Domain: domain, Contract: i.Contract, From: b.Repo})
			}
		}
	}
	return all
}

// Recipients returns the members to notify about a change. The author of the change is not among them. A new version
// and a removed contract concern the members that import the contract before or after the change. Other changes
// concern all members of the domain.
func Recipients(c Change, realms ...*Realm) []string {
	var names []string
	for _, r := range realms {
		d := r.Domain(c.Domain)
		switch {
		case d == nil:
		case c.Type == VersionChanged || c.Type == ContractRemoved:
			for _, u := range d.users(c.Contract) {
				names = append(names, u.repo)
			}
		default:
			names = append(names, d.Members...)
			for _, b := range d.Bindings {
				names = append(names, b.Repo)
			}
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == c.From || name == "" })
}

// key identifies the content of a change in a realm. Equal changes have equal keys.
func (c Change) key(realm string) string {
	text, err := json.Marshal([]string{realm, c.Domain, c.Contract, string(c.Type), c.From, c.NewVersion})
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return hex.EncodeToString(sum(text))
}
