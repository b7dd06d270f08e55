package query_test

import (
	"context"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// hurried is object storage whose caller leaves while a text is stored.
type hurried struct {
	query.DocBlobs
	leave func()
	keys  map[string]bool // keys of stored objects
}

func (b hurried) Put(ctx context.Context, key string, data []byte) error {
	b.leave()
	err := b.DocBlobs.Put(ctx, key, data)
	b.keys[key] = err == nil
	return err
}

func (b hurried) Delete(ctx context.Context, key string) error {
	delete(b.keys, key)
	return b.DocBlobs.Delete(ctx, key)
}

type keeping = store.Sources

// crowded is a store that refuses a few rows.
type crowded struct {
	keeping
	code  store.Code
	times *int
}

func (s crowded) AddSourceVersion(ctx context.Context, v store.SourceVersion, isNew bool) (store.SourceVersion, error) {
	if *s.times--; *s.times >= 0 {
		return v, store.Errorf(s.code, "not now")
	}
	return s.keeping.AddSourceVersion(ctx, v, isNew)
}

// A text without a row takes space that no usage counts. So SourceAdd removes a text if its row was certainly not
// stored.
func TestATextIsStoredWithItsRowOrNotAtAll(t *testing.T) {
	for name, tt := range map[string]struct {
		code    store.Code
		times   int
		rows    int
		objects int
	}{
		"the caller leaves":                {"", 0, 1, 1},
		"too many requests wait":           {store.RateLimited, 2, 1, 1},
		"another one has the alias by now": {store.Conflict, 1, 0, 0},
		"the row may be there":             {store.Unavailable, 1, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary(t)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			blobs := hurried{l.Docs.Blobs, leave, map[string]bool{}}
			sources := l.Docs.Sources
			l.Docs.Blobs, l.Docs.Sources = blobs, crowded{sources, tt.code, &tt.times}
			_, err := l.SourceAdd(ctx, query.SourceAddParams{Alias: "site", URL: l.site + "/llms.txt"})
			if (err == nil) != (tt.rows == 1) {
				t.Error(err)
			}
			list, err := sources.Sources(t.Context(), store.Everything(), "")
			querytest.Check(t, err)
			if len(list) != tt.rows || len(blobs.keys) != tt.objects {
				t.Errorf("%d rows and %d objects, want %d and %d", len(list), len(blobs.keys), tt.rows, tt.objects)
			}
		})
	}
}
