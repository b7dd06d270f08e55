//go:build linux

package faults

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/chunk"
	"github.com/blq-ci/blq/store/sqlite"
)

var streams = []string{store.StreamCombined, store.StreamStdout, store.StreamStderr}

// place is a store of runs.
type place struct {
	*testing.T
	store.Store
	store.Blobs
}

// onDisk opens the store of a client, or of a server on SQLite.
func onDisk(t *testing.T, database, logs string) place {
	t.Helper()
	s, err := sqlite.Open(t.Context(), database)
	check(t, err)
	t.Cleanup(func() { s.Close() })
	b, err := blob.OpenFile(logs)
	check(t, err)
	return place{t, s, b}
}

// kept opens the store of the client.
func (c *client) kept() place {
	return onDisk(c.t, filepath.Join(c.dir, ".lq", "blq.db"), filepath.Join(c.dir, ".lq", "blobs"))
}

// runs returns all runs by attempt ID.
func (p place) runs() map[string]store.Run {
	p.Helper()
	list, err := p.Runs(p.Context(), store.Everything(), store.RunFilter{})
	check(p.T, err)
	byAttempt := map[string]store.Run{}
	for _, r := range list {
		byAttempt[r.Attempt] = r
	}
	if len(byAttempt) != len(list) {
		p.Errorf("%d runs of %d attempts", len(list), len(byAttempt))
	}
	return byAttempt
}

// events returns the events of a run by number, in the form in which they are sent.
func (p place) events(r store.Run) map[int]string {
	p.Helper()
	page, err := p.Store.Events(p.Context(), store.Everything(),
		store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.Attempt}}})
	check(p.T, err)
	byID := map[int]string{}
	for _, e := range page.Events {
		byID[e.ID] = asSent(p.T, api.Event{ID: e.ID, Event: e.Event, Pattern: e.Pattern, Stream: e.Stream})
	}
	if len(byID) != len(page.Events) || page.Total != len(page.Events) {
		p.Errorf("%s: %d events, %d of them different, %d counted", r.Ref(), len(page.Events), len(byID), page.Total)
	}
	return byID
}

func asSent(t *testing.T, e api.Event) string {
	t.Helper()
	text, err := json.Marshal(e)
	check(t, err)
	return string(text)
}

// log returns the log of a run by stream. Reading the log checks its digests.
func (p place) log(r store.Run) map[string][]byte {
	p.Helper()
	all := map[string][]byte{}
	for _, stream := range streams {
		var text bytes.Buffer
		if _, err := chunk.NewReader(p.Store, p.Blobs, store.Everything(), r, stream).WriteTo(
			p.Context(), &text); err != nil {
			p.Errorf("the log of %s: %v", r.Ref(), err)
		}
		if text.Len() > 0 {
			all[stream] = text.Bytes()
		}
	}
	return all
}

// chunks returns the digests of a run's chunks by number.
func (p place) chunks(r store.Run) map[int]string {
	p.Helper()
	byNumber := map[int]string{}
	for _, stream := range streams {
		list, err := p.Chunks(p.Context(), store.Everything(), r.Attempt, stream, 1, 0)
		check(p.T, err)
		for _, c := range list {
			if byNumber[c.Sequence] != "" {
				p.Errorf("%s has chunk %d twice", r.Ref(), c.Sequence)
			}
			byNumber[c.Sequence] = c.Digest
		}
	}
	return byNumber
}

// holds checks that the server has everything that it acknowledged. It returns the number of acknowledgements by kind.
func (p place) holds(acks []ack) (counts map[string]int) {
	p.Helper()
	counts = map[string]int{}
	runs := p.runs()
	events, chunks := map[string]map[int]string{}, map[string]map[int]string{}
	for _, r := range runs {
		events[r.Attempt], chunks[r.Attempt] = p.events(r), p.chunks(r)
	}
	for _, a := range acks {
		parts := strings.Split(a.path, "/") // "", runs, attempt, kind, number
		kind := "start"
		if len(parts) > 3 {
			kind = parts[3]
		}
		counts[kind]++
		switch kind {
		case "start":
			var got api.Started
			check(p.T, json.Unmarshal(a.answer, &got))
			if r, ok := runs[got.AttemptID]; !ok || r.Ref().String() != got.RunRef || r.Serial != got.RunID {
				p.Errorf("attempt %s was acknowledged as %s and is %s", got.AttemptID, got.RunRef, r.Ref())
			}
		case "chunks":
			n, err := strconv.Atoi(parts[4])
			check(p.T, err)
			sum, err := base64.StdEncoding.DecodeString(strings.Trim(strings.TrimPrefix(a.digest, "sha-256="), ":"))
			check(p.T, err)
			if got, want := chunks[parts[2]][n], hex.EncodeToString(sum); got != want {
				p.Errorf("chunk %d of %s was acknowledged as %.12s and is %.12q", n, parts[2], want, got)
			}
		case "events":
			p.holdsEvents(parts[2], a.body, events[parts[2]])
		case "finish":
			if r := runs[parts[2]]; r.State != store.StateCompleted {
				p.Errorf("the end of %s was acknowledged; it is %s", parts[2], r.State)
			}
		}
	}
	return counts
}

func (p place) holdsEvents(attempt string, body []byte, have map[int]string) {
	p.Helper()
	d, err := zstd.NewReader(nil)
	check(p.T, err)
	defer d.Close()
	text, err := d.DecodeAll(body, nil)
	check(p.T, err)
	for line := range bytes.Lines(text) {
		var e api.Event
		check(p.T, json.Unmarshal(line, &e))
		if sent := asSent(p.T, e); sent != have[e.ID] {
			p.Errorf("event %d of %s was acknowledged as %s and is %q", e.ID, attempt, sent, have[e.ID])
			return
		}
	}
}
