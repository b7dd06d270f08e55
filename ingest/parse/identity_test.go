package parse

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/blq-ci/blq/store"
)

// A cached identity is the same as a computed identity, even if the fields of two events differ, but their joined texts
// do not.
func TestRememberedIdentitiesAreComputedOnes(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	text := func() string {
		if random.Intn(50) == 0 {
			return strings.Repeat("long ", maxIdentity/4)
		}
		return [...]string{"", "a", "aa", "b.c", "/builds/x/y/b.c", "/builds/x/", "a\x00"}[random.Intn(7)]
	}
	var ids identities
	ps := rootedPaths("/builds/x/y", "")
	for range 20000 {
		e := store.Event{Message: text() + fmt.Sprint(random.Intn(3)), Test: text(), Tool: text(), Code: text(), File: text(),
			Category: store.CategoryTest, Line: 1 + random.Intn(9), Column: 2}
		if random.Intn(2) == 0 {
			e.Category = store.CategoryLint
		}
		dir, want := text(), e
		identify(&want, dir, &ps)
		if ids.set(&e, dir, &ps); e != want {
			t.Fatalf("got %+v, want %+v", e, want)
		}
	}
}

func TestFilesOfAWorkTreeAreNotRemembered(t *testing.T) {
	var ids identities
	ps := newPaths(Options{Tree: noTree{}})
	ids.set(&store.Event{Message: "m", File: "a.c"}, "", &ps)
	if ids.known != nil {
		t.Error("an identity is remembered, although files may appear in a work tree")
	}
}

// noTree is an empty work tree.
type noTree struct{ Tree }

func (noTree) Has(string) bool                { return false }
func (noTree) Ending(string, string) []string { return nil }
