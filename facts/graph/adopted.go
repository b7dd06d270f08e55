package graph

import (
	"context"
	"sort"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/code"
)

// Earlier is an earlier state of a graph.
type Earlier struct {
	Declared facts.Set // files of the kind graph in that state
	Graph    *Graph
	Rules    []Rule
	Index    *code.Index
	Named    *Documents
}

// SameRules reports whether two sets have the same file of rules, or both have none.
func SameRules(a, b facts.Set) bool { return rulesOf(a).Digest == rulesOf(b).Digest }

// rulesOf returns the file of rules, or the zero File if there is none.
func rulesOf(set facts.Set) facts.File {
	if set != nil {
		for _, f := range set.Files() {
			if f.Path == RulesFile {
				return f
			}
		}
	}
	return facts.File{}
}

// Adopted returns the Counts of the violations that an earlier state already had. It checks the earlier nodes and
// sources with the earlier rules, and again with the present rules. Otherwise a new rule, or new tags in the rules
// file, would make old violations look new.
//
// An added rule may name nodes that are new, too. Therefore Adopted also checks added rules with the present nodes and
// the earlier sources. This check ignores violations in the graph's own files (see Folder), because the change that
// adds the rule may have caused them.
func Adopted(ctx context.Context, now facts.Set, was Earlier) (map[string]int, error) {
	counts := Counts(Lint(was.Graph, was.Index, was.Rules, was.Named))
	if SameRules(now, was.Declared) || rulesOf(now).Path == "" {
		return counts, nil
	}
	old, rules, err := Load(ctx, withRules{was.Declared, now}, was.Index)
	if err != nil {
		return nil, err
	}
	atLeast(counts, Lint(old, was.Index, rules, was.Named))
	g, rules, err := Load(ctx, now, was.Index)
	if err != nil {
		return nil, err
	}
	had := map[string]bool{}
	for _, r := range was.Rules {
		had[r.Name] = true
	}
	var added []Rule
	for _, r := range rules {
		if !had[r.Name] {
			added = append(added, r)
		}
	}
	var inSources []Violation
	for _, v := range Lint(g, was.Index, added, nil) {
		if !strings.HasPrefix(v.File, Folder) {
			inSources = append(inSources, v)
		}
	}
	atLeast(counts, inSources)
	return counts, ctx.Err()
}

// Counts returns how many violations have each fingerprint. Under the keys of InFile, it returns how many violations of
// one file have a fingerprint.
func Counts(list []Violation) map[string]int {
	counts := map[string]int{}
	for _, v := range list {
		counts[v.Fingerprint]++
		counts[v.InFile()]++
	}
	return counts
}

// InFile returns a key that identifies the violation by its fingerprint and its file.
func (v Violation) InFile() string { return v.Fingerprint + "\x00" + v.File }

// atLeast raises each count that is lower than the count with the same key in the Counts of a list.
func atLeast(counts map[string]int, list []Violation) {
	for print, n := range Counts(list) {
		counts[print] = max(counts[print], n)
	}
}

// withRules is a set in which the file of rules comes from another set.
type withRules struct {
	facts.Set
	other facts.Set
}

// Files implements facts.Set.
func (s withRules) Files() []facts.File {
	list := []facts.File{rulesOf(s.other)}
	for _, f := range s.Set.Files() {
		if f.Path != RulesFile {
			list = append(list, f)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Path < list[j].Path })
	return list
}

// Read implements facts.Set.
func (s withRules) Read(ctx context.Context, f facts.File) ([]byte, error) {
	if f.Path == RulesFile {
		return s.other.Read(ctx, f)
	}
	return s.Set.Read(ctx, f)
}
