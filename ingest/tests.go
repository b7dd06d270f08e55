package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

// putTests stores the results of a run's tests. If it fails, it stores none of them. It does not change results
// that are already stored.
func (s *Service) putTests(w http.ResponseWriter, r *http.Request) error {
	run, err := s.attempt(r)
	if err != nil {
		return err
	}
	if err := s.checkOpen(run); err != nil {
		return err
	}
	body, err := s.receiveLines(w, r, run, api.MaxTestsBody)
	if err != nil {
		return err
	}
	results, err := s.readTests(r, body)
	if err != nil {
		return err
	}
	size := 0
	for _, t := range results {
		size += t.Test.Size()
	}
	done, err := s.claimFor(r.Context(), run, store.Claim{Bytes: int64(store.TestBytes(4*len(results), size))})
	if err != nil {
		return err
	}
	defer done()
	if err := s.Store.AddTests(r.Context(), run.Attempt, results); err != nil {
		return store.Hint(err, "GET /v1/runs/%s tells what is there", run.Attempt)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// readTests reads and checks the test results of a body. A result without an attempt number gets the number 1.
func (s *Service) readTests(r *http.Request, body []byte) ([]store.TestResult, error) {
	leave, err := s.bodyTurn(r.Context(), body)
	if err != nil {
		return nil, err
	}
	defer leave()
	in, done, err := unpack(r, body, api.MaxTestsText)
	if err != nil {
		return nil, s.unreadable(err)
	}
	defer done()
	results, err := scanTests(in)
	if err != nil {
		return nil, s.unreadable(err)
	}
	return results, store.CheckTests(results)
}

// longestTest is the max size in bytes of a line with a test result.
const longestTest = 64 << 10

func scanTests(in io.Reader) ([]store.TestResult, error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 4<<10), longestTest)
	var results []store.TestResult
	for number := 1; lines.Scan(); number++ {
		if len(results) == store.MaxTestResults || number > 2*store.MaxTestResults {
			return nil, store.Errorf(store.TooLarge, "a run has at most %d results of tests", store.MaxTestResults)
		}
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var t api.Test
		err := unmarshal(lines.Bytes(), &t)
		outcome, known := store.ParseTestOutcome(t.Outcome)
		if err == nil && !known {
			err = store.Errorf(store.Invalid, "outcome must be passed, failed, error, skipped or infrastructure, not %.40q",
				t.Outcome)
		}
		if err == nil && !(t.Seconds >= 0 && t.Seconds < 1e8) {
			err = store.Errorf(store.Invalid, "duration_seconds must be from 0 to 100,000,000")
		}
		if err != nil {
			return nil, store.Hint(store.Errorf(store.Invalid, "line %d: %w", number, err),
				"nothing was stored: correct the line and send all again")
		}
		results = append(results, store.TestResult{Test: store.Test{Name: t.Name, File: t.File}, Outcome: outcome,
			Attempt: max(1, t.Attempt), Duration: time.Duration(t.Seconds * float64(time.Second))})
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, store.Hint(store.Errorf(store.TooLarge, "result %d is too long: a result has at most %d bytes",
			len(results)+1, longestTest), "nothing was stored: shorten the name and send all again")
	} else if err != nil {
		return nil, err
	}
	return results, nil
}
