// Package api holds the messages of the ingest API, which the service and its
// client share. It imports store and internal/httpserver. The OpenAPI document beside the service
// describes the same.
package api

import (
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// Start is the body of POST /v1/runs: who runs what, where. The answer is a
// Started, with status 201, or 200 when the attempt is known already.
type Start struct {
	AttemptID string    `json:"attempt_id"`     // UUIDv7, made by the client
	Repo      string    `json:"repo,omitempty"` // owner/name; a token's claims overrule it
	Source    string    `json:"source_name"`
	Command   string    `json:"command"`
	Cwd       string    `json:"cwd,omitempty"`
	StartedAt time.Time `json:"started_at"`
	Hostname  string    `json:"hostname,omitempty"`
	Platform  string    `json:"platform,omitempty"`
	Arch      string    `json:"arch,omitempty"`
	Commit    string    `json:"git_commit,omitempty"`
	Branch    string    `json:"git_branch,omitempty"`
	Dirty     bool      `json:"git_dirty,omitempty"`
	GitRoot   string    `json:"git_root,omitempty"`
	CI        *store.CI `json:"ci,omitempty"`
	Format    string    `json:"format,omitempty"`
}

// Started says under which reference a run is kept, and what of it is there.
type Started struct {
	RunRef    string      `json:"run_ref"`
	RunID     int         `json:"run_id"` // serial
	Repo      string      `json:"repo"`
	AttemptID string      `json:"attempt_id"`
	State     store.State `json:"state"`
	Chunks    int         `json:"chunks"`  // chunks 0 to this, exclusive, are there
	Batches   int         `json:"batches"` // likewise batches of events
	URL       string      `json:"url,omitempty"`
}

// The query parameters of PUT /v1/runs/{attempt_id}/chunks/{seq}, whose body is
// the zstd object.
const (
	ParamStream    = "stream"     // combined, stdout or stderr
	ParamFirstLine = "first_line" // see store.Chunk, like the others
	ParamLines     = "lines"
	ParamOffset    = "offset"
	ParamBytes     = "bytes"
)

// DigestHeader holds the digest of a body: sha-256=:BASE64: (RFC 9530).
const DigestHeader = "Content-Digest"

// Event is a line of the body of PUT /v1/runs/{attempt_id}/events/{seq}, and of
// PUT /v1/runs/{attempt_id}/live/{from}, which is NDJSON, compressed with zstd when Content-Encoding says so.
type Event struct {
	ID int `json:"event_id"` // 1-based number within the run
	store.Event
	Pattern string `json:"pattern,omitempty"`
	Stream  string `json:"stream,omitempty"`
}

// Finish is the body of POST /v1/runs/{attempt_id}/finish.
type Finish struct {
	FinishedAt time.Time    `json:"finished_at"`
	ExitCode   *int         `json:"exit_code,omitempty"`
	Signal     string       `json:"signal,omitempty"`
	Reason     store.Reason `json:"reason,omitempty"`
	Lost       string       `json:"lost,omitempty"`
	Chunks     int          `json:"chunks"`  // that were sent
	Batches    int          `json:"batches"` // of events that were sent
	Lines      int          `json:"lines"`
}

// Finished is the answer to Finish.
type Finished struct {
	RunRef   string       `json:"run_ref"`
	Status   store.Status `json:"status"`
	Errors   int          `json:"error_count"`
	Warnings int          `json:"warning_count"`
	URL      string       `json:"url,omitempty"`
}

// Error is the body of every refusal, and Problem what it tells.
type (
	Error   = httpserver.Error
	Problem = httpserver.Problem
)

// Limits of what is sent. A larger body is refused with 413.
const (
	MaxChunkBody = 2 << 20  // bytes of a chunk's object
	MaxChunkText = 2 << 20  // bytes of its text
	MaxBatchBody = 8 << 20  // bytes of a batch of events, as sent
	MaxBatchText = 32 << 20 // bytes of it, decompressed
	MaxBatch     = 10_000   // events of a batch
	MaxJSON      = 1 << 20  // bytes of any other body
)
