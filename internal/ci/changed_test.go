package ci

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChangedLinesOfADiff(t *testing.T) {
	diff := "diff --git a/src/a b.c b/src/a b.c\n--- a/src/a b.c\t\n+++ b/src/a b.c\t\n@@ -3 +3,2 @@ int " +
		"f\n-x\n+y\n+z\n@@ -9,2 +10,0 @@\n-gone\n-too\n" +
		"--- /dev/null\n+++ b/new.c\n@@ -0,0 +1 @@\n+one\n--- a/old.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"
	got := changedLines([]byte(diff))
	if d := cmp.Diff(Lines{"src/a b.c": {{3, 4}}, "new.c": {{1, 1}}}, got); d != "" {
		t.Error(d)
	}
	if !got.Has("src/a b.c", 4) || got.Has("src/a b.c", 5) || got.Has("old.c", 1) {
		t.Error("the wrong lines")
	}
}
