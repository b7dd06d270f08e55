package gcs_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
)

func TestAMissingBucketIsNoMissingObject(t *testing.T) {
	serve(t)
	b := open(t, "gs://not-there")
	for _, step := range steps {
		err := step.do(t.Context(), b)
		want := store.Unavailable
		if strings.HasPrefix(step.name, "check") {
			want = store.NotFound
		}
		if store.CodeOf(err) != want || !strings.Contains(cmdline.Of(store.NextOf(err)), "buckets create gs://not-there") {
			t.Errorf("%s: %v, hint %q", step.name, err, cmdline.Of(store.NextOf(err)))
		}
	}
}

func TestRefusalsAreToldAtOnce(t *testing.T) {
	for code, want := range map[int]struct {
		check store.Code
		hint  string
	}{
		401: {store.Unauthorized, "GOOGLE_APPLICATION_CREDENTIALS"},
		403: {store.Forbidden, "roles/storage.objectUser"},
		400: {store.Unavailable, "STORAGE_EMULATOR_HOST"},
	} {
		_, p := serveBehind(t)
		b := open(t, "gs://logs")
		for _, step := range steps {
			p.befall(always, answer(code))
			err := step.do(t.Context(), b)
			expect := store.Unavailable
			if strings.HasPrefix(step.name, "check") {
				expect = want.check
			}
			if store.CodeOf(err) != expect || !strings.Contains(cmdline.Of(store.NextOf(err)), want.hint) {
				t.Errorf("%d, %s: %v (%s), hint %q", code, step.name, err, store.CodeOf(err), cmdline.Of(store.NextOf(err)))
			}
			if n := p.asked.Load(); n != 1 {
				t.Errorf("%d, %s: asked %d times", code, step.name, n)
			}
		}
	}
}

func TestCheckWriteLeavesNothing(t *testing.T) {
	server := serve(t)
	b := open(t, "gs://logs/blq")
	if err := b.CheckWrite(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := server.ListObjectsWithOptionsPaginated("logs", fakestorage.ListOptions{}); len(left.Objects) != 0 ||
		err != nil {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestCheckWriteNamesWhatIsRefused(t *testing.T) {
	for method, verb := range map[string]string{"POST": "write an object", "DELETE": "delete an object"} {
		_, p := serveBehind(t)
		b := open(t, "gs://logs")
		p.befall(always, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if r.Method == method {
				answer(403)(w, r, next)
				return
			}
			next.ServeHTTP(w, r)
		})
		if err := b.CheckWrite(t.Context()); store.CodeOf(err) != store.Forbidden || !strings.Contains(err.Error(), verb) {
			t.Errorf("%s: got %v", method, err)
		}
	}
}

func TestAServerThatIsNotThere(t *testing.T) {
	server := serve(t)
	b := open(t, "gs://logs")
	server.Stop()
	for _, step := range steps {
		if err := step.do(t.Context(), b); store.CodeOf(err) != store.Unavailable ||
			!strings.Contains(cmdline.Of(store.NextOf(err)), "STORAGE_EMULATOR_HOST") {
			t.Errorf("%s: %v, hint %q", step.name, err, cmdline.Of(store.NextOf(err)))
		}
	}
}
