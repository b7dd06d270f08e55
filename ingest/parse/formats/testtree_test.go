package formats

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/ingest/parse"
)

// A log may have any number of titles and tests of any length. A tree that does not hold all tests reports none.
func TestATreeOfTestsIsBounded(t *testing.T) {
	t.Parallel()
	var tree testTree
	long := strings.Repeat("x", 4<<10)
	for depth := range 1000 {
		tree.title(depth, long)
	}
	if len(tree.titles) > maxTreeDepth+1 {
		t.Errorf("%d titles", len(tree.titles))
	}
	for range 10_000 {
		tree.add(maxTreeDepth, "a", " ", parse.Result{})
	}
	if held := tree.bytes; held > maxTreeBytes+(maxTreeDepth+1)*(len(long)+1) || !tree.full {
		t.Errorf("%d bytes are held, full: %v", held, tree.full)
	}
	tree.tell(nil, testTotals{passed: len(tree.tests)}) // with a test to report, it would panic
}
