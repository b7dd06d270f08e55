package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/segmentio/encoding/json"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/store"
)

// putEvents stores a batch of a run's events. If it fails, it stores none of them.
func (s *Service) putEvents(w http.ResponseWriter, r *http.Request) error {
	run, err := s.attempt(r)
	if err != nil {
		return err
	}
	if err := s.checkOpen(run); err != nil {
		return err
	}
	n, err := s.sequence(r, s.Limits.RunEvents, "batches of events", limitEvents)
	if err != nil {
		return err
	}
	count, size, err := s.keepEvents(w, r, run, func(events []store.Event) error {
		if err := s.Store.AddEvents(r.Context(), run.Attempt, n, events); err != nil {
			return err
		}
		return s.hideEvents(r.Context(), run, events)
	})
	if err != nil {
		return err
	}
	s.Observer.Received(KindEvents, count, size)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// putLive replaces the live events of a run, from the event number in the path on. If it fails, it replaces none of
// them.
func (s *Service) putLive(w http.ResponseWriter, r *http.Request) error {
	run, err := s.attempt(r)
	if err != nil {
		return err
	}
	from, err := strconv.Atoi(r.PathValue("from"))
	if err != nil || from < 1 || r.PathValue("from") != strconv.Itoa(from) {
		return store.Errorf(store.Invalid, "live events are numbered from 1, 2, 3, … on")
	}
	if from > s.Limits.RunEvents {
		return s.tooManyEvents()
	}
	if _, _, err := s.keepEvents(w, r, run, func(events []store.Event) error {
		return s.Store.SetLive(r.Context(), run.Attempt, from, events)
	}); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// keepEvents reads the events of a request. If the quota has room, it calls keep with the events. It returns the
// number of events and the size of the body in bytes.
func (s *Service) keepEvents(w http.ResponseWriter, r *http.Request, run store.Run,
	keep func([]store.Event) error) (count int, size int64, err error) {
	events, size, err := s.receiveEvents(w, r, run)
	if err != nil {
		return 0, 0, err
	}
	done, err := s.claimFor(r.Context(), run, store.ClaimOf(events))
	if err != nil {
		return 0, 0, err
	}
	defer done()
	if err := keep(events); err != nil {
		return 0, 0, store.Hint(err, "GET /v1/runs/%s tells what is there", run.Attempt)
	}
	if err := s.sawPart(r.Context(), run); err != nil {
		return 0, 0, err
	}
	return len(events), size, nil
}

// receiveEvents reads and checks the events of a request. It also returns the size of the body in bytes.
func (s *Service) receiveEvents(w http.ResponseWriter, r *http.Request, run store.Run) ([]store.Event, int64, error) {
	body, err := s.receiveLines(w, r, run, api.MaxBatchBody)
	if err != nil {
		return nil, 0, err
	}
	leave, err := s.bodyTurn(r.Context(), body)
	if err != nil {
		return nil, 0, err
	}
	events, err := s.readEvents(r, body)
	leave()
	if err != nil {
		return nil, 0, err
	}
	if len(events) > 0 && events[len(events)-1].ID > s.Limits.RunEvents {
		return nil, 0, s.tooManyEvents()
	}
	return events, int64(len(body)), nil
}

// receiveLines reads a body that consists of JSON lines.
func (s *Service) receiveLines(w http.ResponseWriter, r *http.Request, run store.Run, limit int64) ([]byte, error) {
	if err := contentType(r, "application/x-ndjson", "application/ndjson", "application/jsonl",
		"application/octet-stream"); err != nil {
		return nil, err
	}
	if err := contentEncoding(r, "zstd"); err != nil {
		return nil, err
	}
	if err := s.limited(limitBytes, s.rates.body(run.Repo, bodySize(r, limit))); err != nil {
		return nil, err
	}
	done, err := s.claimFor(r.Context(), run, unreadBatch)
	if err != nil {
		return nil, err
	}
	defer done()
	body, err := s.readBody(w, r, limit)
	if err != nil {
		return nil, err
	}
	if _, err := checkDigest(r, body, false); err != nil {
		return nil, err
	}
	return body, nil
}

func (s *Service) tooManyEvents() error {
	return s.limited(limitEvents, store.Hint(store.Errorf(store.TooLarge, "a run has at most %d events",
		s.Limits.RunEvents), "finish it, and say in lost what is not sent"))
}

// longBatch is the number of events above which storing a batch takes long, even if the body is small.
const longBatch = 100

// readEvents reads the events of a body. If there are more than longBatch events, the request counts as long from then
// on (see fair.Long).
func (s *Service) readEvents(r *http.Request, body []byte) ([]store.Event, error) {
	in, done, err := unpack(r, body, api.MaxBatchText)
	if err != nil {
		return nil, s.unreadable(err)
	}
	defer done()
	events, err := scanEvents(in)
	if err != nil {
		return nil, s.unreadable(err)
	}
	if len(events) > longBatch {
		fair.Long(r.Context())
	}
	return events, nil
}

// longestEvent is the max size in bytes of a line of events.
const longestEvent = 1 << 20

func scanEvents(in io.Reader) ([]store.Event, error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), longestEvent)
	var events []store.Event
	last := 0
	for number := 1; lines.Scan(); number++ {
		blank := len(bytes.TrimSpace(lines.Bytes())) == 0
		if blank && number <= 2*api.MaxBatch {
			continue
		}
		if blank || len(events) == api.MaxBatch {
			return nil, store.Hint(store.Errorf(store.TooLarge, "a batch has at most %d events", api.MaxBatch),
				"send the rest in the next batch")
		}
		e, err := readEvent(lines.Bytes(), last)
		if err != nil {
			return nil, store.Hint(store.Errorf(store.Invalid, "line %d: %w", number, err),
				"nothing of this batch was stored: correct the line and send all again")
		}
		last = e.ID
		events = append(events, e)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, store.Errorf(store.TooLarge, "an event has at most %d bytes", longestEvent)
	} else if err != nil {
		return nil, err
	}
	return events, nil
}

// readEvent reads an event from a line. previous is the number of the event in the line before, and the event's
// number must be larger. The service computes fingerprints itself, because the client may be of another release.
func readEvent(line []byte, previous int) (store.Event, error) {
	in, err := decodeEvent(line)
	if err != nil {
		return store.Event{}, err
	}
	e := in.Event
	e.ID, e.Stream = in.ID, in.Stream
	if err := checkEvent(&e, previous); err != nil {
		return store.Event{}, err
	}
	e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
	return e, nil
}

// maxNested is the max number of opening brackets in a line that the fast decoder reads. Brackets in strings
// count, too.
const maxNested = 100

// decodeEvent decodes a line with a fast decoder, which takes a third of the time of encoding/json. With encoding/json,
// decoding would be half of an event's cost. Two kinds of lines go to the function unmarshal, which uses encoding/json.
// The first kind are lines that may be invalid, because unmarshal returns a better error. The second kind are lines
// that may be deeply nested. The fast decoder recurses at each level, so a line of brackets could need a stack of
// 500 MB.
func decodeEvent(line []byte) (api.Event, error) {
	var e api.Event
	if utf8.Valid(line) && bytes.Count(line, []byte("["))+bytes.Count(line, []byte("{")) <= maxNested &&
		bytes.HasPrefix(line, []byte("{")) && json.Unmarshal(line, &e) == nil {
		return e, nil
	}
	e = api.Event{}
	return e, unmarshal(line, &e)
}

var severities = map[store.Severity]bool{store.SeverityError: true, store.SeverityWarning: true,
	store.SeverityInfo: true}

func checkEvent(e *store.Event, last int) error {
	if e.ID <= last {
		return fmt.Errorf("event_id %d must be above 0 and above that of the line before", e.ID)
	}
	if !severities[e.Severity] {
		return fmt.Errorf("severity must be error, warning or info, not %.40q", e.Severity)
	}
	if strings.ContainsFunc(
		string(e.Category), func(r rune) bool { return r != '_' && r != '-' && (r < 'a' || r > 'z') }) {
		return fmt.Errorf("category %.40q must be a word of small letters", e.Category)
	}
	switch e.Stream {
	case "", store.StreamStdout, store.StreamStderr:
	case store.StreamCombined:
		e.Stream = ""
	default:
		return fmt.Errorf("stream must be combined, stdout or stderr, not %.40q", e.Stream)
	}
	if e.LogLineEnd > 0 && e.LogLineEnd < e.LogLine {
		return fmt.Errorf("log_line_end %d is before log_line %d", e.LogLineEnd, e.LogLine)
	}
	for _, f := range []field{
		{"message", e.Message, 256 << 10}, {"ref_file", e.File, 4096}, {"test_name", e.Test, 16 << 10},
		{"code", e.Code, 1000}, {"tool_name", e.Tool, 200}, {"category", string(e.Category), 40},
	} {
		if len(f.text) > f.max {
			return fmt.Errorf("%s has %d bytes; it may have %d", f.name, len(f.text), f.max)
		}
	}
	return checkNumbers(number{"ref_line", e.Line}, number{"ref_column", e.Column}, number{"log_line", e.LogLine},
		number{"log_line_end", e.LogLineEnd})
}
