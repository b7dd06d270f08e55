package realm

import (
	"maps"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// edge is an import from another repository: the domain of the imported contract, and the place of the import.
type edge struct {
	domain string
	at     Place
}

// cycles adds a finding for each group of repositories that all depend on each other. If k.Repo is set, only the group
// with this repository counts.
func (k *checker) cycles() {
	imports := k.realm.imports()
	for _, group := range components(imports) {
		if k.Repo == "" || slices.Contains(group, k.Repo) {
			k.cycle(imports, group)
		}
	}
}

// cycle adds a finding about a group of repositories that all depend on each other.
func (k *checker) cycle(imports map[string]map[string]edge, group []string) {
	start := group[0]
	if k.Repo != "" {
		start = k.Repo
	}
	round := shortest(imports, start)
	var domains []string
	for i := range len(round) - 1 {
		domains = append(domains, imports[round[i]][round[i+1]].domain)
	}
	slices.Sort(domains)
	first := imports[round[0]][round[1]]
	k.findings = append(k.findings, Finding{Severity: store.SeverityError, Kind: CycleDetected, Domain: first.domain,
		Repo: round[1], Place: first.at, Message: "Dependency cycle: " + strings.Join(round, " → ") + " (domains: " +
			strings.Join(slices.Compact(domains), ", ") + ")"})
}

// shortest returns a shortest path from a repository back to itself. The path must exist.
func shortest(imports map[string]map[string]edge, start string) []string {
	from := map[string]string{}
	queue := []string{start}
	for len(queue) > 0 {
		repo := queue[0]
		queue = queue[1:]
		for _, next := range slices.Sorted(maps.Keys(imports[repo])) {
			if _, ok := from[next]; ok {
				continue
			}
			from[next] = repo
			if next == start {
				way := []string{start}
				for at := from[start]; at != start; at = from[at] {
					way = append(way, at)
				}
				way = append(way, start)
				slices.Reverse(way)
				return way
			}
			queue = append(queue, next)
		}
	}
	return nil
}

// components returns the groups of two or more repositories that all reach each other, each group sorted. It uses
// Tarjan's algorithm.
func components(edges map[string]map[string]edge) [][]string {
	t := &tarjan{edges: edges, index: map[string]int{}, low: map[string]int{}, on: map[string]bool{}}
	for _, repo := range slices.Sorted(maps.Keys(edges)) {
		if t.index[repo] == 0 {
			t.visit(repo)
		}
	}
	return t.groups
}

type tarjan struct {
	edges      map[string]map[string]edge
	index, low map[string]int
	on         map[string]bool
	stack      []string
	groups     [][]string
}

func (t *tarjan) visit(repo string) {
	n := len(t.index) + 1
	t.index[repo], t.low[repo] = n, n
	t.stack, t.on[repo] = append(t.stack, repo), true
	for _, next := range slices.Sorted(maps.Keys(t.edges[repo])) {
		if t.index[next] == 0 {
			t.visit(next)
			t.low[repo] = min(t.low[repo], t.low[next])
		} else if t.on[next] {
			t.low[repo] = min(t.low[repo], t.index[next])
		}
	}
	if t.low[repo] != n {
		return
	}
	at := slices.Index(t.stack, repo)
	group := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, member := range group {
		t.on[member] = false
	}
	if len(group) > 1 {
		slices.Sort(group)
		t.groups = append(t.groups, group)
	}
}
