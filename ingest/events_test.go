package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/store"
)

func TestABodyThatSaysThatItIsTooLargeIsNotUnpacked(t *testing.T) {
	t.Parallel()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	whole := e.EncodeAll(make([]byte, 2<<20), nil)
	r := httptest.NewRequest(http.MethodPut, "/", nil)
	r.Header.Set("Content-Encoding", "zstd")
	begun := whole[:16] // unpacking would notice that it is incomplete
	if _, _, err := unpack(r, begun, 1<<20); store.CodeOf(err) != store.TooLarge {
		t.Errorf("2 MiB: %v", err)
	}
	in, done, err := unpack(r, begun, 2<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if _, err := io.ReadAll(in); err == nil {
		t.Error("a part of a body was taken for whole")
	}
}

// The memory of a text is counted by its size, so the text may not take much more memory than its size.
func TestATextTakesTheMemoryOfItsSize(t *testing.T) {
	t.Parallel()
	const size = 5<<20 + 1
	text := make([]byte, size)
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for encoding, body := range map[string][]byte{"": text, "zstd": e.EncodeAll(text, nil)} {
		r := httptest.NewRequest(http.MethodPut, "/", nil)
		r.Header.Set("Content-Encoding", encoding)
		in, done, err := unpack(r, body, 8<<20)
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		got, err := in.all()
		if err != nil || len(got) != size || cap(got) > size+64<<10 {
			t.Errorf("%q: %d bytes in memory of %d, %v", encoding, len(got), cap(got), err)
		}
	}
}

// A small body may have many events.
func TestARequestWithManyEventsIsLong(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, longBatch, longBatch + 1} {
		var body bytes.Buffer
		for i := range n {
			fmt.Fprintf(&body, `{"event_id":%d,"severity":"info","message":"m"}`+"\n", i+1)
		}
		ctx, cancel := context.WithCancel(fair.Request(t.Context()))
		r := httptest.NewRequestWithContext(ctx, http.MethodPut, "/", nil)
		events, err := (&Service{}).readEvents(r, body.Bytes())
		if err != nil || len(events) != n {
			t.Fatal(len(events), err)
		}
		q := fair.NewQueue(2, 1).Spare(1, 0)
		long := fair.Request(t.Context())
		fair.Long(long)
		if _, err := q.Enter(long, "other"); err != nil { // takes the slot for long requests
			t.Fatal(err)
		}
		cancel()
		if _, err := q.Enter(ctx, "a"); (err == nil) != (n <= longBatch) {
			t.Errorf("%d events: %v", n, err)
		}
	}
}

func FuzzEvents(f *testing.F) {
	line, err := json.Marshal(api.Event{ID: 1, Event: store.Event{Severity: store.SeverityError, Message: "m", File: "a.c",
		Line: 1, Tool: "gcc", Category: store.CategoryCompile}, Stream: "stdout"})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", "\n\n", "{}", "null", string(line), string(line) + "\n" + strings.Replace(
		string(line), `"event_id":1`, `"event_id":2`, 1), `{"event_id":1e3,"severity":"info","message":"\u0000\ud800"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		events, err := scanEvents(bytes.NewReader(body))
		if err != nil && (store.CodeOf(err) == "" || events != nil) {
			t.Errorf("%d events and %v", len(events), err)
		}
		last := 0
		for _, e := range events {
			if e.ID <= last || !severities[e.Severity] || !utf8.ValidString(e.Message) || e.Line < 0 || e.Line > largest {
				t.Errorf("accepted %+v after %d", e, last)
			}
			if e.Fingerprint != store.Fingerprint(e) || e.Pattern != store.Pattern(e) {
				t.Errorf("fingerprint %s, pattern %s", e.Fingerprint, e.Pattern)
			}
			last = e.ID
		}
	})
}

func TestALongLineOfResultsNamesTheLimit(t *testing.T) {
	t.Parallel()
	_, err := scanTests(strings.NewReader(`{"name":"a","outcome":"passed"}` + "\n" + `{"name":"` +
		strings.Repeat("x", longestTest)))
	if store.CodeOf(err) != store.TooLarge || !strings.Contains(err.Error(), "result 2 is too long") ||
		!strings.Contains(err.Error(), "at most 65536 bytes") {
		t.Error(err)
	}
}
