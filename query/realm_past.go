package query

import (
	"cmp"
	"context"
	"slices"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/store"
)

// ContractPast lists the commits that have changed a contract.
type ContractPast struct {
	Versions []ContractCommit `json:"versions" jsonschema:"commits that changed it"`
	More     bool             `json:"more_versions,omitempty" jsonschema:"there are earlier ones" schema:"unlisted"`
	Unknown  string           `json:"versions_unknown,omitempty" jsonschema:"reason if none are known" schema:"unlisted"`
}

// ContractCommit is a commit that has changed a contract.
type ContractCommit struct {
	Version    string   `json:"version" jsonschema:"version"`
	Commit     string   `json:"commit" jsonschema:"commit that brought it, empty for the work tree"`
	In         string   `json:"in" jsonschema:"repository with the commit, empty for the realm's"`
	SchemaHash string   `json:"schema_hash,omitempty" jsonschema:"SHA-256"`
	ValueHash  string   `json:"value_hash,omitempty" jsonschema:"SHA-256"`
	Breaking   *bool    `json:"breaking" jsonschema:"for consumers of the one before; null: not known"`
	Breaks     []string `json:"breaks,omitempty" jsonschema:"changes that break consumers"`
}

// An answer about a contract has someVersions commits by default, and at most maxVersions commits. It names at most
// maxBreaks breaking changes of each commit.
const (
	someVersions = 10
	maxVersions  = 50
	maxBreaks    = 5
)

// contractPast returns the last n commits that changed a contract. It reads the history of the contract's file in the
// repository that has the file now. For older commits it reads the history of the realm's repository.
func (a *Asker) contractPast(ctx context.Context, found RealmFound, domain string, c *realm.Contract, n int) (
	ContractPast, error) {
	n = cmp.Or(n, someVersions)
	past := ContractPast{Versions: []ContractCommit{}}
	states, full := []ContractWas{{Contract: c, In: c.Place.In}}, false
	for _, in := range slices.Compact([]string{c.Place.In, ""}) {
		if found.hides(in) {
			past.Unknown = "the repository with its file may not be seen"
			break
		}
		most := n + 2 - len(states)
		was, err := a.Realms.Past(ctx, found, in, domain, c.Name, most)
		switch store.CodeOf(err) {
		case store.NotFound, store.Forbidden:
			past.Unknown = Clean(err.Error())
			err = nil
		}
		if err != nil {
			return past, err
		}
		states, full = append(states, was...), len(was) == most
		if full || past.Unknown != "" {
			break
		}
	}
	states = distinctStates(states)
	for i, s := range states {
		if i == n || full && i == len(states)-1 { // the oldest state in the list is only for comparison
			past.More = true
			break
		}
		one := ContractCommit{Version: s.Version, Commit: s.Commit, In: s.In, SchemaHash: s.SchemaHash,
			ValueHash: s.ValueHash}
		if i+1 < len(states) {
			one.step(s.StepFrom(states[i+1].Contract))
		}
		past.Versions = append(past.Versions, one)
	}
	return past, nil
}

// distinctStates removes repeated states from a list with the newest state first. Of several equal states in a row, it
// keeps the earliest, because the commit of that state made the change. The first state may not be committed yet.
func distinctStates(states []ContractWas) []ContractWas {
	var list []ContractWas
	for _, s := range states {
		if last := len(list) - 1; last >= 0 && list[last].Is(s.Contract) {
			list[last] = s
			continue
		}
		list = append(list, s)
	}
	return list
}

// step sets the effect of the commit's change on consumers. Breaking stays nil if the change was compared only in part
// and no breaking change was found.
func (c *ContractCommit) step(s realm.Step) {
	if s.Breaking || s.Unknown == "" {
		c.Breaking = &s.Breaking
	}
	c.Breaks = cleanAll(s.Breaks[:min(len(s.Breaks), maxBreaks)])
}
