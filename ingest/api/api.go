// Package api holds the messages of the ingest API, which the service and its client share. It imports store and
// internal/httpserver. ingest/openapi.yaml describes the same messages.
package api

import (
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// Start is the body of POST /v1/runs: the facts of a run that begins. The answer is a Started. Its status is 201, or
// 200 if the attempt exists already.
type Start struct {
	AttemptID string    `json:"attempt_id"`     // UUIDv7, made by the client
	Repo      string    `json:"repo,omitempty"` // owner/name; the claims of a token replace it
	Source    string    `json:"source_name"`
	Command   string    `json:"command"`
	Cwd       string    `json:"cwd,omitempty"`
	StartedAt time.Time `json:"started_at"`
	SentAt    time.Time `json:"sent_at,omitzero"` // by the client's clock, which may be off
	Hostname  string    `json:"hostname,omitempty"`
	Platform  string    `json:"platform,omitempty"`
	Arch      string    `json:"arch,omitempty"`
	Commit    string    `json:"git_commit,omitempty"`
	Branch    string    `json:"git_branch,omitempty"`
	Dirty     bool      `json:"git_dirty,omitempty"`
	GitRoot   string    `json:"git_root,omitempty"`
	CI        *store.CI `json:"ci,omitempty"`
	Format    string    `json:"format,omitempty"`
	Shape     string    `json:"shape,omitempty"` // store.Run.Shape; computed from the command if empty
}

// Started has the reference of a client's run. It says which parts of the run the service has.
type Started struct {
	RunRef    string      `json:"run_ref"`
	RunID     int         `json:"run_id"` // serial number of the run
	Repo      string      `json:"repo"`
	AttemptID string      `json:"attempt_id"`
	State     store.State `json:"state"`
	Chunks    int         `json:"chunks"`  // the service has the chunks below this number
	Batches   int         `json:"batches"` // the service has the batches of events below this number
	URL       string      `json:"url,omitempty"`
}

// These are the query parameters of PUT /v1/runs/{attempt_id}/chunks/{seq}. The body of that request is the zstd
// object.
const (
	ParamStream    = "stream"     // combined, stdout or stderr
	ParamFirstLine = "first_line" // a field of store.Chunk, like the parameters below
	ParamLines     = "lines"
	ParamOffset    = "offset"
	ParamBytes     = "bytes"
)

// DigestHeader holds the digest of a body: sha-256=:BASE64: (RFC 9530).
const DigestHeader = "Content-Digest"

// Event is a line of the NDJSON body of PUT /v1/runs/{attempt_id}/events/{seq} and of PUT
// /v1/runs/{attempt_id}/live/{from}. A compressed body has Content-Encoding: zstd.
type Event struct {
	ID int `json:"event_id"` // 1-based number within the run
	store.Event
	Pattern string `json:"pattern,omitempty"`
	Stream  string `json:"stream,omitempty"`
}

// Test is a line of the NDJSON body of PUT /v1/runs/{attempt_id}/tests: the result of an attempt of a test. The
// attempts of a test are consecutive lines.
type Test struct {
	Name    string  `json:"test_name"`
	File    string  `json:"ref_file,omitempty"`
	Outcome string  `json:"outcome"`           // passed, failed, error, skipped or infrastructure
	Attempt int     `json:"attempt,omitempty"` // attempt number; 0 means 1
	Seconds float64 `json:"duration_seconds,omitempty"`
}

// Finish is the body of POST /v1/runs/{attempt_id}/finish.
type Finish struct {
	BeganAt    time.Time    `json:"began_at,omitzero"` // start of the run, by the same clock as FinishedAt
	FinishedAt time.Time    `json:"finished_at"`
	ExitCode   *int         `json:"exit_code,omitempty"`
	Signal     string       `json:"signal,omitempty"`
	Reason     store.Reason `json:"reason,omitempty"`
	Lost       string       `json:"lost,omitempty"`
	Chunks     int          `json:"chunks"`  // number of chunks sent
	Batches    int          `json:"batches"` // number of batches of events sent
	Lines      int          `json:"lines"`
	// Cut tells the service to drop the chunk with number Chunks and all later chunks. The client sets Cut if the
	// service refused one of the chunks.
	Cut bool `json:"cut,omitempty"`
	// Files holds digests of the files that events name.
	Files store.FileDigests `json:"files,omitempty"`
}

// Finished is the answer to Finish.
type Finished struct {
	RunRef   string       `json:"run_ref"`
	Status   store.Status `json:"status"`
	Errors   int          `json:"error_count"`
	Warnings int          `json:"warning_count"`
	URL      string       `json:"url,omitempty"`
}

// Error is the body of every error answer.
type Error = httpserver.Error

// These are limits of what a client may send. The service refuses a larger body with status 413.
const (
	MaxChunkBody = 2 << 20  // bytes of a chunk's zstd object
	MaxChunkText = 2 << 20  // bytes of a chunk's text
	MaxBatchBody = 8 << 20  // bytes of a batch of events, as sent
	MaxBatchText = 32 << 20 // bytes of a batch of events, decompressed
	MaxBatch     = 10_000   // events in a batch
	MaxTestsBody = 16 << 20 // bytes of a run's test results, as sent
	MaxTestsText = 96 << 20 // bytes of a run's test results, decompressed
	MaxJSON      = 1 << 20  // bytes of any other body
)
