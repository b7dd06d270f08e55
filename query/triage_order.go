package query

import (
	"sort"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// grouped divides errors into groups of errors that look alike, the most useful group first. The errors of a group are
// all new, or all known for the same reason. Failed tests with short messages form a group only if they are in the same
// file, because short messages are often general words.
func grouped(events []store.RunEvent, known func(store.Event) string) [][]store.RunEvent {
	var keys []string
	groups := map[string][]store.RunEvent{}
	for _, e := range events {
		key := likeness(e.Event)
		if e.Category == store.CategoryTest && len(e.Message) < 40 {
			key += " " + e.File
		}
		key += " " + known(e.Event)
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], e)
	}
	rank, ranks := ranker(events), map[string]int{}
	for _, key := range keys {
		ranks[key] = rank(groups[key][0].Event)
	}
	sort.SliceStable(keys, func(i, k int) bool {
		x, y := keys[i], keys[k]
		return ranks[x] < ranks[y] || ranks[x] == ranks[y] && groups[x][0].LogLine < groups[y][0].LogLine
	})
	list := make([][]store.RunEvent, len(keys))
	for i, key := range keys {
		list[i] = groups[key]
	}
	return list
}

// named matches a message that ends with a colon and a name.
var named = lazyregexp.New(`^([A-Za-z ]{4,40}): \S+$`)

// likeness returns a key that is equal for errors that look alike. The key ignores names in the message. For errors of
// compilers and linkers, this includes a name without quotes after a colon at the end of the message.
func likeness(e store.Event) string {
	switch e.Category {
	case store.CategoryCompile, store.CategoryType, store.CategoryLink:
		if m := named.FindStringSubmatch(e.Message); m != nil {
			return e.Tool + " " + e.Code + " " + m[1]
		}
	}
	return e.Pattern
}

// sampleOf returns the first error with a line number among the first 50 errors of a group. If none of them has a line
// number, it returns the first error of the group.
func sampleOf(events []store.RunEvent) store.RunEvent {
	for _, e := range events[:min(len(events), 50)] {
		if e.Line > 0 {
			return e
		}
	}
	return events[0]
}

// stops matches errors after which a tool cannot check more code.
var stops = lazyregexp.New(`(?i)ImportError|ModuleNotFoundError|SyntaxError|IndentationError|cannot find (module|package)|no module named|failed to (load|compile|resolve)|could not (resolve|compile|find)|command not found|no such file or directory`)

// restates matches messages that say only that another program failed.
var restates = lazyregexp.New(`(?i)CalledProcessError|non-?zero (exit|status)|exit(ed)?( with)?( exit)? (code|status)|exited with \d|^Command .*failed|Process completed|^make(\[\d+\])?: \*\*\*|Failed to execute goal|Lifecycle script|ELIFECYCLE|there (were|are) (test )?fail`)

// opening returns the beginning of a message. The expressions stops and restates search only the beginning, because
// some messages quote whole files.
func opening(message string) string { return message[:min(len(message), 4096)] }

// ranker returns a function for the rank of an event. Causes have the lowest ranks, and effects the highest. An event
// of a build tool or CI system ranks last if another tool reported an error earlier. An event that says only that
// another program failed also ranks last if another tool reported an error. Failed tests never rank last.
func ranker(events []store.RunEvent) func(store.Event) int {
	first := 0 // line of the first error that no build tool and no CI system reported
	for _, e := range events {
		earlier := first == 0 || e.LogLine < first
		if earlier && e.Category != store.CategoryBuild && e.Category != store.CategoryCI &&
			!restates.MatchString(opening(e.Message)) {
			first = e.LogLine
		}
	}
	return func(e store.Event) int {
		if first > 0 && e.Category != store.CategoryTest && restates.MatchString(opening(e.Message)) {
			return 6
		}
		switch e.Category {
		case store.CategoryCompile, store.CategoryLink:
			return 0
		case store.CategoryType:
			return 1
		case store.CategoryBuild, store.CategoryCI:
			if first > 0 && e.LogLine > first {
				return 6
			}
			return 1
		case store.CategoryRuntime:
			return 2
		case store.CategoryTest:
			if stops.MatchString(opening(e.Message)) {
				return 2
			}
			return 3
		case store.CategoryLint:
			return 4
		}
		return 3
	}
}
