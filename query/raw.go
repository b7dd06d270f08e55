package query

import (
	"bytes"
	"context"
)

// RawParams say which part of the exact bytes of a log to tell.
type RawParams struct {
	Ref    string `json:"ref,omitempty" kind:"ref"`
	Stream string `json:"stream,omitempty"` // "" for what there is
	Offset int64  `json:"offset,omitempty"`
}

// Raw is a part of the exact bytes of a log.
type Raw struct {
	Attempt string `json:"attempt_id"` // to go on with
	Stream  string `json:"stream"`
	Bytes   []byte `json:"bytes"` // in base64
	Next    int64  `json:"next"`  // offset of what follows
	More    bool   `json:"more"`
}

// rawBytes is how much of a log is told at a time, about.
const rawBytes = 4 << 20

// Raw tells some megabytes of a run's stream, from an offset on.
func (a *Asker) Raw(ctx context.Context, p RawParams) (Raw, error) {
	r, _, err := a.run(ctx, p.Ref)
	if err != nil {
		return Raw{}, err
	}
	log, out, err := a.stream(ctx, r, p.Stream)
	if err != nil {
		return Raw{}, err
	}
	var text bytes.Buffer
	next, err := log.WriteFrom(ctx, &text, max(0, p.Offset), rawBytes)
	return Raw{Attempt: r.Attempt, Stream: out.Stream, Bytes: text.Bytes(), Next: next, More: text.Len() > 0 && next < out.Bytes}, err
}
