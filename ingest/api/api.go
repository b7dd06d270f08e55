// Package api holds the messages of the ingest API, which the service and its client share. It imports store and
// internal/httpserver. ingest/openapi.yaml describes the same messages.
package api

import (
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// Start is the body of POST /v1/runs: the facts of a run that begins. The answer is a Started, with status 201, or
// 200 when the attempt exists already.
type Start struct {
	AttemptID string    `json:"attempt_id"`     // UUIDv7, made by the client
	Repo      string    `json:"repo,omitempty"` // owner/name; a token's claims overrule it
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
	Shape     string    `json:"shape,omitempty"` // store.Run.Shape; made of the command where a client does not say
}

// Started has the reference of a client's run, and what the service has of it.
type Started struct {
	RunRef    string      `json:"run_ref"`
	RunID     int         `json:"run_id"` // serial
	Repo      string      `json:"repo"`
	AttemptID string      `json:"attempt_id"`
	State     store.State `json:"state"`
	Chunks    int         `json:"chunks"`  // the service has the chunks below this number
	Batches   int         `json:"batches"` // likewise for batches of events
	URL       string      `json:"url,omitempty"`
}

// These are the query parameters of PUT /v1/runs/{attempt_id}/chunks/{seq}. Its body is the zstd object.
const (
	ParamStream    = "stream"     // combined, stdout or stderr
	ParamFirstLine = "first_line" // see store.Chunk, like the others
	ParamLines     = "lines"
	ParamOffset    = "offset"
	ParamBytes     = "bytes"
)

// DigestHeader holds the digest of a body: sha-256=:BASE64: (RFC 9530).
const DigestHeader = "Content-Digest"

// Event is a line of the NDJSON body of PUT /v1/runs/{attempt_id}/events/{seq} and of PUT
// /v1/runs/{attempt_id}/live/{from}. The body may be compressed: then Content-Encoding is zstd.
type Event struct {
	ID int `json:"event_id"` // 1-based number within the run
	store.Event
	Pattern string `json:"pattern,omitempty"`
	Stream  string `json:"stream,omitempty"`
}

// Test is a line of the NDJSON body of PUT /v1/runs/{attempt_id}/tests: how an attempt of a test ended. The attempts of
// a test follow each other.
type Test struct {
	Name    string  `json:"test_name"`
	File    string  `json:"ref_file,omitempty"`
	Outcome string  `json:"outcome"`           // passed, failed, error, skipped or infrastructure
	Attempt int     `json:"attempt,omitempty"` // 0 for 1
	Seconds float64 `json:"duration_seconds,omitempty"`
}

// Finish is the body of POST /v1/runs/{attempt_id}/finish.
type Finish struct {
	BeganAt    time.Time    `json:"began_at,omitzero"` // the start by the clock of FinishedAt
	FinishedAt time.Time    `json:"finished_at"`
	ExitCode   *int         `json:"exit_code,omitempty"`
	Signal     string       `json:"signal,omitempty"`
	Reason     store.Reason `json:"reason,omitempty"`
	Lost       string       `json:"lost,omitempty"`
	Chunks     int          `json:"chunks"`  // number of chunks sent
	Batches    int          `json:"batches"` // number of batches of events sent
	Lines      int          `json:"lines"`
	// Cut drops the chunks beyond Chunks, because the service refused one before them.
	Cut bool `json:"cut,omitempty"`
	// Files are digests of the files that events name.
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

// Error is the body of every error.
type Error = httpserver.Error

// These are the limits of what a client sends. A larger body is refused with 413.
const (
	MaxChunkBody = 2 << 20  // bytes of a chunk's object
	MaxChunkText = 2 << 20  // bytes of its text
	MaxBatchBody = 8 << 20  // bytes of a batch of events, as sent
	MaxBatchText = 32 << 20 // bytes of a batch, decompressed
	MaxBatch     = 10_000   // events in a batch
	MaxTestsBody = 16 << 20 // bytes of the results of a run's tests, as sent
	MaxTestsText = 96 << 20 // bytes of these results, decompressed
	MaxJSON      = 1 << 20  // bytes of any other body
)
