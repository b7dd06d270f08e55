package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// A value that is masked late is removed from the service, which got it from the same step or from an earlier step.
func TestWhatIsMaskedLateIsRemovedFromTheService(t *testing.T) {
	t.Parallel()
	for engine, open := range map[string]func() *service{
		"sqlite":   func() *service { return newService(t, nil) },
		"postgres": func() *service { return newPostgresService(t) },
	} {
		r := newRunner(t)
		s := open()
		inputs := map[string]string{"server": s.URL, "token": testToken, "name": "one",
			"run": "true plain words\n" + `echo "a.c:1:1: error: plain words"; sleep 2; echo tail-word; exit 1`}
		r.step(inputs)
		inputs["name"], inputs["run"] = "two", "true\n"+
			`echo "b.c:1:1: error: plain words"; yes 'a line of the log' | head -c 3000000; sleep 2
			echo "::add-mask::plain words"; exit 1`
		r.nextStep()
		r.step(inputs)
		inputs["name"], inputs["run"] = "three", "true\necho '::add-mask::tail-word'"
		r.nextStep()
		r.step(inputs)
		for _, secret := range []string{"plain words", "tail-word"} {
			s.hides(t, engine, secret)
		}
	}
}

// An older server refuses the changed log. The step says so once, and later steps do not try again.
func TestAServerThatKeepsSecretsIsTold(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	var seen sync.Map
	s := newService(t, func(w http.ResponseWriter, req *http.Request) bool {
		_, again := seen.LoadOrStore(req.Method+req.URL.Path, true)
		if again = again && strings.Contains(req.URL.Path, "/chunks/"); again {
			w.WriteHeader(http.StatusConflict)
		}
		return again
	})
	inputs := map[string]string{"server": s.URL, "token": testToken, "name": "one", "run": "true\necho plain words"}
	r.step(inputs)
	for i, said := range []bool{true, false} {
		r.nextStep()
		inputs["name"], inputs["run"] = "two", "true\necho '::add-mask::plain words'"
		if _, notes, _ := r.step(inputs); strings.Contains(notes, "one:1 are left on the server") != said {
			t.Errorf("step %d says %s", i, notes)
		}
	}
}

// hides fails the test if the store or the objects of the service contain a secret.
func (s *service) hides(t *testing.T, engine, secret string) {
	t.Helper()
	page, err := s.store.Events(t.Context(), store.Everything(), store.EventFilter{})
	check(t, err)
	runs, err := s.store.Runs(t.Context(), store.Everything(), store.RunFilter{})
	check(t, err)
	text := fmt.Sprint(page.Events, runs)
	for _, r := range runs {
		var log strings.Builder
		_, err := chunk.NewReader(s.store, s.blobs, store.Everything(), r, "").WriteTo(t.Context(), &log)
		check(t, err)
		text += log.String()
	}
	if len(runs) < 3 || len(page.Events) < 2 || strings.Contains(text, secret) {
		t.Errorf("%s has %d runs with %q: %.600s", engine, len(runs), secret, text)
	}
}
