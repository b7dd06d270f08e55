package mcp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// These patterns match phrases in the messages of many tools.
var (
	quoted     = lazyregexp.New("['\"`‘“]([A-Za-z_$][A-Za-z0-9_.:$]{1,80})(?:\\(\\))?['\"`’”]")
	undeclared = lazyregexp.New(`(?i)undeclared|undefined|not declared|not defined|unresolved|implicit declaration|no member|has no attribute|no attribute|cannot find (?:symbol|name)|does not exist|unknown type|not found in this scope|is not exported|no (?:field|method)|property .* does not`)
	missing    = lazyregexp.New(`(?i)fatal error: ([^\s:'"]+): No such file|'([^']+)' file not found|no module named ['"]?([\w.]+)|cannot find module ['"]([^'"]+)|cannot find package "([^"]+)|no required module provides package ([^\s;:]+)|^([^\s:'"]+\.(?:h|hh|hpp|hxx)): No such file|unresolved import .([\w:]+)`)
	syntax     = lazyregexp.New(`(?i)syntax error|expected .{1,20}(?:before|after|at end|but found|, found|got)|unexpected token|unterminated|invalid syntax|parse error|missing ['"\x60;)}\]]`)
	typing     = lazyregexp.New(`(?i)incompatible|mismatched|cannot convert|cannot use .* as|type mismatch|is not assignable|too (?:few|many) arguments|wrong number of arguments|invalid conversion|expected type|argument of type|incompatible type`)
	linking    = lazyregexp.New(
		`(?i)undefined reference|undefined symbol|multiple definition|ld returned|cannot find -l|unresolved external`)
)

// These limits bound the reading of errors for tips.
const (
	maxRead     = 1000 // max errors
	messageRead = 300  // max characters of a message
)

// read returns the first errors of the groups, as many as the tips need. note says if there are more errors; otherwise
// it is "".
func read(lists ...[]markdown.Group) (events []store.RunEvent, note string) {
	for _, list := range lists {
		for _, g := range list {
			for _, e := range append([]store.RunEvent{g.Sample}, g.Others...) {
				if len(events) == maxRead {
					return events, fmt.Sprintf(" (from the first %d errors)", maxRead)
				}
				if e.More > 0 {
					note = " (from some errors of each kind)"
				}
				e.Message = clip(e.Message, messageRead)
				events = append(events, e)
			}
		}
	}
	return events, note
}

// kind is a kind of mistake. The kinds are ordered: if errors of an earlier kind are fixed, errors of later kinds may
// disappear.
type kind struct {
	name string
	is   func(store.Event) bool
}

var kinds = []kind{
	{"what is missing: headers, modules, files", func(e store.Event) bool { return missing.MatchString(e.Message) }},
	{"what the linker misses",
		func(e store.Event) bool { return e.Category != store.CategoryTest && linking.MatchString(e.Message) }},
	{"names that are not declared", func(e store.Event) bool {
		return e.Category != store.CategoryTest && undeclared.MatchString(e.Message)
	}},
	{"types and arguments",
		func(e store.Event) bool { return e.Category != store.CategoryTest && typing.MatchString(e.Message) }},
	{"syntax", func(e store.Event) bool { return e.Category != store.CategoryTest && syntax.MatchString(e.Message) }},
	{"the rest of what keeps it from building", func(e store.Event) bool {
		return e.Category == store.CategoryCompile || e.Category == store.CategoryBuild
	}},
	{"failed tests", func(e store.Event) bool { return e.Category == store.CategoryTest || e.Test != "" }},
	{"everything else", func(store.Event) bool { return true }},
}

// fixOrder returns a tip about which kind of errors to fix first. It returns "" if all errors are of the same kind.
func fixOrder(list []store.RunEvent, note string) string {
	refs := make([][]string, len(kinds))
	n := 0
	for _, e := range list {
		i := slices.IndexFunc(kinds, func(k kind) bool { return k.is(e.Event) })
		if len(refs[i]) == 0 {
			n++
		}
		refs[i] = append(refs[i], e.Ref().String())
	}
	if n < 2 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Fix causes before what may only follow from them" + note + ":")
	for i, k := range kinds {
		if len(refs[i]) > 0 {
			b.WriteString("\n   - " + k.name + ": " + someCodes(refs[i], 5))
		}
	}
	return b.String()
}

// someCodes returns the first texts as inline code. If there are more texts, the result ends with their number.
func someCodes(list []string, limit int) string {
	text := codes(list[:min(len(list), limit)])
	if len(list) > limit {
		text += fmt.Sprintf(" and %d more", len(list)-limit)
	}
	return text
}

// fileTips returns tips about errors that are in the same file.
func fileTips(list []store.RunEvent, word string) []string {
	byFile := map[string][]string{}
	var files []string
	for _, e := range list {
		if e.File == "" {
			continue
		}
		if byFile[e.File] == nil {
			files = append(files, e.File)
		}
		byFile[e.File] = append(byFile[e.File], e.Ref().String())
	}
	if len(files) == 1 && len(byFile[files[0]]) == len(list) && len(list) > 1 {
		return []string{fmt.Sprintf("All %d %s are in %s", len(list), word, code(files[0]))}
	}
	slices.SortStableFunc(files, func(x, y string) int { return cmp.Compare(len(byFile[y]), len(byFile[x])) })
	var tips []string
	for _, f := range files[:min(len(files), 3)] {
		if refs := byFile[f]; len(refs) > 1 {
			tips = append(tips, someCodes(refs, 4)+" are in the same file, "+code(f)+": they are likely related")
		}
	}
	return tips
}

// symbols returns the names that messages quote. refs holds, for each name, the references to the errors that quote
// it. The name in the most errors comes first.
func symbols(list []store.RunEvent, want func(store.Event) bool) (names []string, refs map[string][]string) {
	refs = map[string][]string{}
	for _, e := range list {
		if !want(e.Event) {
			continue
		}
		seen := map[string]bool{}
		for _, m := range quoted.FindAllStringSubmatch(e.Message, 8) {
			if name := m[1]; !seen[name] && name != e.Test {
				seen[name] = true
				refs[name] = append(refs[name], e.Ref().String())
			}
		}
	}
	names = slices.SortedFunc(maps.Keys(refs), func(x, y string) int {
		return cmp.Or(cmp.Compare(len(refs[y]), len(refs[x])), cmp.Compare(x, y))
	})
	return names, refs
}

// symbolTips returns tips about two kinds of names: names that several errors mention, and names that are not declared.
func symbolTips(list []store.RunEvent) []string {
	var tips []string
	names, refs := symbols(list, func(store.Event) bool { return true })
	for _, name := range names[:min(len(names), 3)] {
		if len(refs[name]) > 1 {
			tips = append(tips, code(name)+" is named by "+someCodes(refs[name], 4)+": they may have one cause")
		}
	}
	names, _ = symbols(list, func(e store.Event) bool {
		return e.Category != store.CategoryTest && undeclared.MatchString(e.Message)
	})
	if len(names) > 0 {
		tips = append(tips, "Check whether "+someCodes(names, 5)+" was renamed, moved or removed lately, or never declared")
	}
	return tips
}

// messageTips returns tips about two kinds of errors: names that were not found, and wrong syntax.
func messageTips(list []store.RunEvent) []string {
	var tips, wanted, slips []string
	for _, e := range list {
		if m := missing.FindStringSubmatch(e.Message); m != nil {
			if name := cmp.Or(m[1:]...); !slices.Contains(wanted, name) {
				wanted = append(wanted, name)
			}
		} else if e.Category != store.CategoryTest && syntax.MatchString(e.Message) {
			slips = append(slips, e.Ref().String())
		}
	}
	if len(wanted) > 0 {
		tips = append(tips, someCodes(wanted, 5)+
			" was not found: look at include and module paths, and at what has to be installed or generated first")
	}
	if len(slips) > 0 {
		tips = append(tips, "The cause of "+someCodes(slips, 4)+
			" is often on the line before, or in a macro that the line uses")
	}
	return tips
}

// commitTips returns tips that name the last commits that changed files with errors.
func (c *call) commitTips(r store.Run) []string {
	if c.Git == nil {
		return nil
	}
	b, err := c.Asker.Brief(c, query.InfoParams{Ref: r.Attempt, Limit: 1})
	if err != nil || b.Summary == nil {
		return nil // the project is not in a git repository
	}
	var tips []string
	for _, commit := range b.Summary.Commits[:min(len(b.Summary.Commits), 3)] {
		tips = append(tips, fmt.Sprintf("Commit %s (%s) touched %s", code(commit.Hash[:min(len(commit.Hash), 9)]),
			markdown.Code(commit.Message, 100), someCodes(commit.Files, 3)))
	}
	return tips
}

// knownTip returns a tip about errors that are older than the change. It returns "" if there are no such errors, or if
// there is no baseline.
func knownTip(f *markdown.Facts) string {
	switch {
	case !f.Baseline.Found() || f.KnownErrors == 0:
		return ""
	case f.NewErrors == 0:
		return "No error is new: none of them comes from what changed since " + code(f.Baseline.Run.Ref().String())
	}
	return fmt.Sprintf("%d of the errors listed or counted here were known before, so begin with the new ones",
		f.KnownErrors)
}
