package query_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// bugs are the bugs that commits made, and whether later commits fixed them.
type bugs map[string]bool

// merge returns the bugs of two commits together. A bug is fixed if one of the commits has the fix.
func (b bugs) merge(o bugs) bugs {
	both := maps.Clone(b)
	for name, fixed := range o {
		both[name] = both[name] || fixed
	}
	return both
}

// open returns the names of the bugs that are not fixed.
func (b bugs) open() map[string]bool {
	names := map[string]bool{}
	for name, fixed := range b {
		if !fixed {
			names[name] = true
		}
	}
	return names
}

// program is a program with bugs, in a world.
type program struct {
	*world
	bugs map[string]bugs // by commit
}

// develop commits a change, switches to the other branch, or takes the other branch's commits.
func (p *program) develop(r *rand.Rand) {
	old, other := p.bugs[p.head], "main"
	if p.on == "main" {
		other = "topic"
	}
	tip, exists := p.branches[other]
	isInside := exists && p.history(p.head)[tip]
	switch n := r.IntN(6); {
	case n < 2:
		p.commit()
		p.bugs[p.head] = old.merge(nil)
		if r.IntN(3) == 0 && len(old.open()) == 0 {
			p.bugs[p.head][p.head] = false
		} else if r.IntN(3) == 0 {
			for name := range old {
				p.bugs[p.head][name] = true
			}
		}
		p.say("commit %s with bugs %v", p.head[36:], p.bugs[p.head].open())
	case n < 4 || !exists:
		p.on = other
		if exists {
			p.head = tip
		}
		p.move(p.head)
		p.say("checkout %s (%s)", p.on, p.head[36:])
	case isInside:
	default:
		how := []string{"merge", "squash", "rebase"}[r.IntN(3)]
		switch how {
		case "merge":
			p.commit(tip)
		case "squash":
			p.commit()
		case "rebase":
			p.move(tip)
			p.commit()
		}
		p.bugs[p.head] = old.merge(p.bugs[tip])
		p.say("%s %s: %s with bugs %v", how, other, p.head[36:], p.bugs[p.head].open())
	}
}

// test runs the test of the program, which fails if there is a bug.
func (p *program) test(t *testing.T, f *querytest.Fixture) *ran {
	one := &ran{Run: querytest.Run{Source: "test", At: len(p.runs) + 1, Command: "make", Cwd: p.root, Log: "log\n",
		Git: &store.Git{Branch: p.on, Commit: p.head, Root: p.root}}, status: store.StatusOK}
	if len(p.bugs[p.head].open()) > 0 {
		one.Exit, one.status = 1, store.StatusFail
	}
	one.add(t, f)
	p.runs = append(p.runs, one)
	p.say("%s at %s on %s: %s", one.ref(), p.head[36:], p.on, one.status)
	return one
}

// seen returns the failed runs that show a bug of a branch. They happened at a commit that the branch contains, or on
// the branch before a rebase.
func (p *program) seen(branch string) (refs []string) {
	tip := p.branches[branch]
	inside := p.history(tip)
	for _, r := range p.runs {
		for name := range p.bugs[r.Git.Commit].open() {
			if p.bugs[tip].open()[name] && (inside[r.Git.Commit] || r.Git.Branch == branch) {
				refs = append(refs, r.ref())
				break
			}
		}
	}
	return refs
}

// passedHere reports whether the newest test at the checked-out commit passed.
func (p *program) passedHere() (passed bool) {
	for _, r := range p.runs {
		if r.Git.Commit == p.head {
			passed = r.status == store.StatusOK
		}
	}
	return passed
}

// onMain returns the failed runs of the branch main that show a bug that main's newest commit still has.
func (p *program) onMain() []string {
	refs := p.seen("main")
	for _, r := range p.runs {
		if r.Git.Branch != "main" {
			refs = slices.DeleteFunc(refs, func(ref string) bool { return ref == r.ref() })
		}
	}
	return refs
}

// A program has bugs on two branches, which are merged, squashed and rebased. If a test has shown a bug of the
// checked-out commit, no answer is green, whatever passed on the other branch. If the test has passed at the commit
// and the newest test passed, the check is green.
func TestAnswersKnowBugsAfterMerges(t *testing.T) {
	t.Parallel()
	reds, greens := 0, 0
	for seed := range uint64(2 * histories) {
		r := rand.New(rand.NewPCG(seed, 5))
		root := t.TempDir()
		p := &program{newWorld(root), map[string]bugs{}}
		p.bugs[p.head] = bugs{}
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, root)}
		f.Git, f.Ancestry = p, p
		last := p.test(t, f)
		for range 6 + r.IntN(12) {
			if r.IntN(3) == 0 {
				last = p.test(t, f)
			} else {
				p.develop(r)
			}
		}
		got := ask(t, f, query.At{})
		text := fmt.Sprintf("%s\n  %s", got.triage.Verdict, strings.Join(p.log, "\n  "))
		if refs := p.onMain(); p.on != "main" && len(refs) > 0 {
			if green := got.green(refs...); len(green) > 0 && !slices.Equal(green, []string{"check"}) {
				t.Errorf("history %d: %v show a bug of main, but green is %v: %s", seed, refs, green, text)
			}
		}
		if refs := p.seen(p.on); len(refs) > 0 {
			reds++
			if green := got.green(refs...); len(green) > 0 {
				t.Errorf("history %d: %v show a bug, but green is %v: %s", seed, refs, green, text)
			}
		} else if p.passedHere() && last.status == store.StatusOK {
			greens++
			if !got.check.Passed {
				t.Errorf("history %d: the test passed here, but the check did not: %+v: %s", seed, got.check.Runs, text)
			}
		}
	}
	if reds < 10 || greens < 10 {
		t.Errorf("only %d histories end with a known bug, and %d with a success", reds, greens)
	}
}
