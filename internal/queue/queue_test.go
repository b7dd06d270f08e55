package queue_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/queue"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// A job that panics is retried like any failed job, and its stack is logged.
func TestAPanicIsAFailedTry(t *testing.T) {
	t.Parallel()
	s := sqlitetest.Open(t)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var logged bytes.Buffer
	q := queue.New(queue.Config{Queue: s, Workers: 1, Tries: 2, UntilIdle: true, Now: func() time.Time { return now },
		Log: slog.New(slog.NewTextHandler(&logged, nil)),
		Handlers: map[string]queue.Handler{"odd": func(context.Context, store.Work) ([]store.Work, error) {
			panic("no such thing")
		}}})
	if _, err := q.Put(t.Context(), store.Work{Key: "odd:1", Kind: "odd"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []store.WorkState{store.WorkOpen, store.WorkDead} {
		q.Run(t.Context())
		list, err := s.Works(t.Context(), store.WorkFilter{})
		if err != nil || len(list) != 1 || list[0].State != want || list[0].Error != "panic: no such thing" {
			t.Errorf("%+v, %v; want %s", list, err, want)
		}
		now = now.Add(time.Minute)
	}
	if text := logged.String(); strings.Count(text, "TestAPanicIsAFailedTry") != 2 {
		t.Errorf("the log has no stack: %s", text)
	}
}
