package realm

import (
	"maps"
	"slices"
)

// Order is the merge order of members.
type Order struct {
	Members []string            // providers before their consumers
	After   map[string][]string // sorted providers of a member, without providers that are in a cycle with the member
	Cycles  [][]string          // members that all depend on each other
}

// Order returns the order in which the changes of members are merged. If several members can be next, the first by name
// is next.
func (r *Realm) Order(members []string) Order {
	imports := r.imports() // imports by provider and by consumer
	members = slices.Compact(slices.Sorted(slices.Values(members)))
	// The members of a cycle are merged together. unit maps a member to the first member of its cycle, or to itself.
	unit := map[string]string{}
	for _, m := range members {
		unit[m] = m
	}
	o := Order{After: map[string][]string{}}
	for _, group := range components(imports) {
		group = slices.DeleteFunc(group, func(m string) bool { return unit[m] == "" })
		if len(group) < 2 {
			continue
		}
		o.Cycles = append(o.Cycles, group)
		for _, m := range group {
			unit[m] = group[0]
		}
	}
	waits := map[string]map[string]bool{} // the units that a unit waits for
	for _, provider := range members {
		for consumer := range imports[provider] {
			if to := unit[consumer]; to != "" && to != unit[provider] {
				o.After[consumer] = append(o.After[consumer], provider)
				if waits[to] == nil {
					waits[to] = map[string]bool{}
				}
				waits[to][unit[provider]] = true
			}
		}
	}
	o.Members = inOrder(members, unit, waits)
	return o
}

// inOrder returns the members in an order in which each unit comes after the units that it waits for. waits must have
// no cycles. inOrder changes waits.
func inOrder(members []string, unit map[string]string, waits map[string]map[string]bool) []string {
	left := map[string]int{} // number of members of a unit that are not in the list yet
	for _, m := range members {
		left[unit[m]]++
	}
	var list []string
	done := map[string]bool{}
	for len(list) < len(members) {
		for _, m := range members {
			if done[m] {
				continue
			}
			maps.DeleteFunc(waits[unit[m]], func(other string, _ bool) bool { return left[other] == 0 })
			if len(waits[unit[m]]) == 0 {
				list, done[m] = append(list, m), true
				left[unit[m]]--
				break
			}
		}
	}
	return list
}

// imports returns the first import of each consumer from each provider, by provider and then by consumer.
func (r *Realm) imports() map[string]map[string]edge {
	imports := map[string]map[string]edge{}
	for i := range r.Domains {
		d := &r.Domains[i]
		for _, b := range d.Bindings {
			for _, i := range b.Imports {
				c := d.Contract(i.Contract)
				if c == nil || c.Owner == b.Repo {
					continue
				}
				if imports[c.Owner] == nil {
					imports[c.Owner] = map[string]edge{}
				}
				if _, ok := imports[c.Owner][b.Repo]; !ok {
					imports[c.Owner][b.Repo] = edge{d.Name, i.Place}
				}
			}
		}
	}
	return imports
}
