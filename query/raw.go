package query

import (
	"bytes"
	"context"
)

// RawParams select a part of the exact bytes of a log.
type RawParams struct {
	Ref    string `json:"ref,omitempty" kind:"ref"`
	Stream string `json:"stream,omitempty"` // "" for the stream that exists
	Offset int64  `json:"offset,omitempty"`
}

// Raw is a part of the exact bytes of a log.
type Raw struct {
	Attempt string `json:"attempt_id"` // ID to continue with
	Stream  string `json:"stream"`
	Bytes   []byte `json:"bytes"` // base64 in JSON
	Next    int64  `json:"next"`  // offset of the next part
	More    bool   `json:"more"`
}

// Raw returns about partBytes of a run's stream, beginning at an offset.
func (a *Asker) Raw(ctx context.Context, p RawParams) (Raw, error) {
	r, _, err := a.run(ctx, p.Ref)
	if err != nil {
		return Raw{}, err
	}
	log, out, err := a.stream(ctx, r, p.Stream)
	if err != nil {
		return Raw{}, err
	}
	leave, err := enter(ctx, a.Reads)
	if err != nil {
		return Raw{}, err
	}
	defer leave()
	return inMemory(ctx, func(ctx context.Context, most int) (Raw, error) {
		var text bytes.Buffer
		next, err := log.WriteFrom(ctx, &heldText{ctx: ctx, to: &text}, max(0, p.Offset), int64(most))
		return Raw{Attempt: r.Attempt, Stream: out.Stream, Bytes: text.Bytes(), Next: next,
			More: text.Len() > 0 && next < out.Bytes}, err
	})
}
