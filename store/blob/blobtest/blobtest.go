// Package blobtest holds the contract tests for every store.Blobs.
package blobtest

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

// Test runs the contract tests. open returns an empty storage for each subtest.
func Test(t *testing.T, open func(t *testing.T) store.Blobs) {
	for name, test := range map[string]func(t *testing.T, b store.Blobs){
		"what was put is read":                 testRoundTrip,
		"a missing object is not found":        testMissing,
		"other content under a key is refused": testConflict,
		"bad keys are refused":                 testKeys,
		"deleting twice is fine":               testDelete,
		"a list is sorted and by prefix":       testList,
		"many put the same key at once":        testConcurrent,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func put(t *testing.T, b store.Blobs, key string, data []byte) {
	t.Helper()
	if err := b.Put(t.Context(), key, data); err != nil {
		t.Fatalf("put %s: %v", key, err)
	}
}

func testRoundTrip(t *testing.T, b store.Blobs) {
	for i, data := range [][]byte{{}, []byte("a\x00b"), bytes.Repeat([]byte("x"), 2<<20)} {
		key := fmt.Sprintf("logs/%d/a.zst", i)
		put(t, b, key, data)
		put(t, b, key, data)
		got, err := b.Get(t.Context(), key)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: got %d bytes, %v", key, len(got), err)
		}
	}
}

func testMissing(t *testing.T, b store.Blobs) {
	if _, err := b.Get(t.Context(), "no/thing"); store.CodeOf(err) != store.NotFound {
		t.Errorf("got %v", err)
	}
}

func testConflict(t *testing.T, b store.Blobs) {
	put(t, b, "k", []byte("one"))
	if err := b.Put(t.Context(), "k", []byte("two")); store.CodeOf(err) != store.Conflict {
		t.Errorf("got %v", err)
	}
	if got, err := b.Get(t.Context(), "k"); string(got) != "one" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func testKeys(t *testing.T, b store.Blobs) {
	for _, key := range []string{"", "/a", "a/", "a//b", "..", "a/../b", ".", "a/.hidden", `a\b`, "a:b", "a\x00b",
		"a b", "ü", strings.Repeat("a/", 600) + "a"} {
		if err := b.Put(t.Context(), key, nil); store.CodeOf(err) != store.Invalid {
			t.Errorf("put %q: %v", key, err)
		}
		if _, err := b.Get(t.Context(), key); store.CodeOf(err) != store.Invalid {
			t.Errorf("get %q: %v", key, err)
		}
		if err := b.Delete(t.Context(), key); store.CodeOf(err) != store.Invalid {
			t.Errorf("delete %q: %v", key, err)
		}
	}
}

func testDelete(t *testing.T, b store.Blobs) {
	put(t, b, "a/b/c", []byte("x"))
	for range 2 {
		if err := b.Delete(t.Context(), "a/b/c"); err != nil {
			t.Error(err)
		}
	}
	if _, err := b.Get(t.Context(), "a/b/c"); store.CodeOf(err) != store.NotFound {
		t.Errorf("got %v", err)
	}
	put(t, b, "a/b/c", []byte("y"))
}

func testList(t *testing.T, b store.Blobs) {
	for _, key := range []string{"b/2", "a/1", "b/10", "bc", "b/1/x"} {
		put(t, b, key, nil)
	}
	for prefix, want := range map[string][]string{
		"": {"a/1", "b/1/x", "b/10", "b/2", "bc"}, "b": {"b/1/x", "b/10", "b/2", "bc"}, "b/": {"b/1/x", "b/10", "b/2"},
		"b/1": {"b/1/x", "b/10"}, "none/at/all": nil, "../": nil,
	} {
		got, err := b.List(t.Context(), prefix, "", 0)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: -want +got:\n%s", prefix, diff)
		}
	}
	put(t, b, "b-c/1", nil) // the character - sorts before /
	all := []string{"a/1", "b-c/1", "b/1/x", "b/10", "b/2", "bc"}
	for limit := 1; limit <= len(all); limit++ {
		var paged []string
		for after, more := "", true; more; {
			got, err := b.List(t.Context(), "", after, limit)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) > limit {
				t.Errorf("%d keys on a page of %d", len(got), limit)
			}
			if more = len(got) > 0; more {
				after = got[len(got)-1]
			}
			paged = append(paged, got...)
		}
		if diff := cmp.Diff(all, paged); diff != "" {
			t.Errorf("pages of %d: -want +got:\n%s", limit, diff)
		}
	}
	if got, err := b.List(t.Context(), "b/1", "b/1/", 1); err != nil || len(got) != 1 || got[0] != "b/1/x" {
		t.Errorf("after a directory: %v, %v", got, err)
	}
}

func testConcurrent(t *testing.T, b store.Blobs) {
	data := bytes.Repeat([]byte("x"), 100_000)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := b.Put(t.Context(), "logs/a/k", data); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, err := b.Get(t.Context(), "logs/a/k"); !bytes.Equal(got, data) || err != nil {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}
