package gcs_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob/gcs"
)

// passing are faults after which a retry succeeds.
var passing = map[string]fault{
	"503": answer(503), "500": answer(500), "429": answer(429), "408": answer(408),
	"cut": cut, "answer lost": forget,
}

func TestEveryCallSurvivesFaultsThatPass(t *testing.T) {
	for name, f := range passing {
		t.Run(name, func(t *testing.T) {
			_, p := serveBehind(t)
			b := open(t, "gs://logs")
			for _, step := range steps {
				p.befall(2, f)
				if err := step.do(t.Context(), b); err != nil {
					t.Errorf("%s: %v", step.name, err)
				}
				if p.left.Load() >= 0 {
					t.Errorf("%s: the fault did not come up", step.name)
				}
			}
		})
	}
}

type step struct {
	name string
	do   func(ctx context.Context, b *gcs.Bucket) error
}

// steps use the bucket one after another. The last step deletes the object of the first.
var steps = []step{
	{"put", func(ctx context.Context, b *gcs.Bucket) error { return b.Put(ctx, "a/k", content) }},
	{"get", func(ctx context.Context, b *gcs.Bucket) error {
		got, err := b.Get(ctx, "a/k")
		if err == nil && !bytes.Equal(got, content) {
			err = errors.New("other bytes")
		}
		return err
	}},
	{"list", func(ctx context.Context, b *gcs.Bucket) error {
		keys, err := b.List(ctx, "a/", "", 0)
		if err == nil && !slices.Equal(keys, []string{"a/k"}) {
			err = errors.New("other keys")
		}
		return err
	}},
	{"check write", func(ctx context.Context, b *gcs.Bucket) error { return b.CheckWrite(ctx) }},
	{"delete", func(ctx context.Context, b *gcs.Bucket) error { return b.Delete(ctx, "a/k") }},
}

func TestDownloadsAreNeverWrong(t *testing.T) {
	for name, f := range map[string]fault{
		"truncated": change(truncated), "empty": change(nothing), "a bit flipped": change(flipped),
		"a bit flipped, no checksum": change(unsigned), "empty, no checksum": change(unsignedNothing),
	} {
		t.Run(name, func(t *testing.T) {
			_, p := serveBehind(t)
			b := open(t, "gs://logs")
			if err := b.Put(t.Context(), "k", content); err != nil {
				t.Fatal(err)
			}
			p.befall(1, f)
			if got, err := b.Get(t.Context(), "k"); !bytes.Equal(got, content) || err != nil {
				t.Errorf("once: got %d bytes, %v", len(got), err)
			}
			p.befall(always, f)
			if got, err := b.Get(t.Context(), "k"); got != nil || store.CodeOf(err) != store.Unavailable {
				t.Errorf("always: got %d bytes, %v", len(got), err)
			}
		})
	}
}

func TestADownloadThatStopsIsTakenUpAgain(t *testing.T) {
	_, p := serveBehind(t)
	b := open(t, "gs://logs")
	if err := b.Put(t.Context(), "k", content); err != nil {
		t.Fatal(err)
	}
	p.befall(1, stop)
	got, err := b.WithPatience(9, time.Second, time.Millisecond).Get(t.Context(), "k")
	if !bytes.Equal(got, content) || err != nil {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

func TestUploadsDamagedOnTheWayAreNotStored(t *testing.T) {
	server, p := serveBehind(t)
	b := open(t, "gs://logs")
	p.befall(always, damage)
	if err := b.Put(t.Context(), "k", content); store.CodeOf(err) != store.Unavailable {
		t.Errorf("always: got %v", err)
	}
	if o, err := server.GetObject("logs", "k"); err == nil {
		t.Errorf("%d damaged bytes are stored", len(o.Content))
	}
	p.befall(2, damage)
	if err := b.Put(t.Context(), "k", content); err != nil {
		t.Errorf("twice: %v", err)
	}
	if o, err := server.GetObject("logs", "k"); err != nil || !bytes.Equal(o.Content, content) {
		t.Errorf("got %d bytes, %v", len(o.Content), err)
	}
}

func TestAConflictIsToldThroughFaults(t *testing.T) {
	_, p := serveBehind(t)
	b := open(t, "gs://logs")
	if err := b.Put(t.Context(), "k", content); err != nil {
		t.Fatal(err)
	}
	p.befall(1, forget)
	if err := b.Put(t.Context(), "k", []byte("other")); store.CodeOf(err) != store.Conflict {
		t.Errorf("got %v", err)
	}
	p.befall(1, forget)
	if err := b.Put(t.Context(), "k", content); err != nil {
		t.Errorf("the same bytes: %v", err)
	}
}

func TestFaultsThatStayAreTold(t *testing.T) {
	for name, f := range passing {
		t.Run(name, func(t *testing.T) {
			_, p := serveBehind(t)
			b := open(t, "gs://logs")
			p.befall(always, f)
			for _, step := range steps {
				p.asked.Store(0)
				err := step.do(t.Context(), b)
				if step.name == "delete" && name == "answer lost" && err == nil {
					continue
				}
				if store.CodeOf(err) != store.Unavailable || store.NextOf(err) == nil {
					t.Errorf("%s: %v", step.name, err)
				}
				if n := p.asked.Load(); n < 4 || n > 12 {
					t.Errorf("%s: asked %d times", step.name, n)
				}
			}
		})
	}
}

func TestTheCallersContextEndsTheTrying(t *testing.T) {
	_, p := serveBehind(t)
	b := open(t, "gs://logs").WithPatience(1<<30, time.Hour, time.Hour)
	for name, wait := range map[string]bool{"in a pause": false, "in a request": true} {
		ctx, cancel := context.WithCancel(t.Context())
		p.befall(always, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			defer cancel()
			if wait {
				io.Copy(io.Discard, r.Body) // only after this the server notices that the client is gone
				cancel()
				<-r.Context().Done()
			}
			answer(503)(w, r, next)
		})
		if err := b.Put(ctx, "k", content); store.CodeOf(err) != store.Unavailable || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
