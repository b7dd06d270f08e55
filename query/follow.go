package query

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

const followEvery = 500 * time.Millisecond

// growthBytes is the max size of a part of a growing log, in bytes.
const growthBytes = 1 << 20

// GrowthParams select a part of a growing log.
type GrowthParams struct {
	Ref    string         `json:"ref,omitempty" kind:"ref"`
	Stream string         `json:"stream,omitempty"` // "" for all streams
	Tail   int            `json:"tail,omitempty"`   // number of last lines with which to begin
	From   int            `json:"from,omitempty"`   // line with which to begin
	To     int            `json:"to,omitempty"`     // the last line to return, 0 for none
	Next   map[string]int `json:"next,omitempty"`   // next line of each stream, from the previous answer
}

// Growth is the new part of a run's log.
type Growth struct {
	Attempt string         `json:"attempt_id"` // ID to continue with
	Text    string         `json:"text"`       // whole lines, safe to show
	Next    map[string]int `json:"next"`
	To      int            `json:"to,omitempty"`   // the last line to return
	Running bool           `json:"running"`        // the run may write more
	More    bool           `json:"more,omitempty"` // there is more to read now
}

// Follow writes the log of a run while the log grows, line by line. It ends when the run has ended or ctx is cancelled.
// If the question names no stream, Follow writes all streams. p.Tail or p.From selects the first line.
func (a *Asker) Follow(ctx context.Context, p OutputParams, w io.Writer) error {
	return Follow(ctx, a.Growth, p, w)
}

// Follow implements Asker.Follow. growth returns the text that was added to a log.
func Follow(ctx context.Context, growth func(context.Context, GrowthParams) (Growth, error), p OutputParams,
	w io.Writer) error {
	g := GrowthParams{Ref: p.Ref, Stream: p.Stream, Tail: p.Tail, From: p.From, To: p.To}
	for {
		got, err := growth(ctx, g)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, got.Text); err != nil {
			return err
		}
		g.Ref, g.Next, g.To = got.Attempt, got.Next, got.To
		switch {
		case got.More:
			continue
		case !got.Running:
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(followEvery):
		}
	}
}

// Growth returns the text that a run has added to its log since the last answer. While the run goes on, Growth does
// not return the last line if the line has no line end yet.
func (a *Asker) Growth(ctx context.Context, p GrowthParams) (Growth, error) {
	if err := a.sweep(ctx); err != nil {
		return Growth{}, err
	}
	// The state is read before the log. Otherwise the run could end between the two reads, and the answer would miss
	// the last lines.
	r, ref, err := a.run(ctx, p.Ref)
	if err != nil {
		return Growth{}, err
	}
	if p.Next == nil {
		if p, err = a.begin(ctx, r, ref, p); err != nil {
			return Growth{}, err
		}
	}
	leave, err := enter(ctx, a.Reads)
	if err != nil {
		return Growth{}, err
	}
	defer leave()
	g, err := inMemory(ctx, func(ctx context.Context, most int) (Growth, error) { return a.grown(ctx, r, p, most) })
	if err != nil {
		return Growth{}, err
	}
	if !g.Running && !g.More {
		_, _, err = a.stream(ctx, r, p.Stream)
	}
	return g, err
}

// grown reads the streams of a run from p.Next, up to a number of bytes.
func (a *Asker) grown(ctx context.Context, r store.Run, p GrowthParams, most int) (Growth, error) {
	g := Growth{Attempt: r.Attempt, Next: map[string]int{}, To: p.To, Running: r.State == store.StateRunning}
	var text strings.Builder
	for _, s := range p.streams() {
		if p.Next[s] == 0 {
			continue // an earlier answer has begun with other streams
		}
		next, more, err := writeLines(ctx, a.log(r, s), max(1, p.Next[s]), p.To, g.Running,
			max(1, min(growthBytes, most)-text.Len()), &heldText{ctx: ctx, to: &text})
		if err != nil {
			return Growth{}, err
		}
		g.Next[s], g.More = next, g.More || more
	}
	g.Text = text.String()
	return g, nil
}

func (p GrowthParams) streams() []string {
	if p.Stream != "" {
		return []string{p.Stream}
	}
	return []string{store.StreamCombined, store.StreamStdout, store.StreamStderr}
}

// begin returns the parameters p with the number of the first line to read, for each stream.
func (a *Asker) begin(ctx context.Context, r store.Run, ref store.Ref, p GrowthParams) (GrowthParams, error) {
	o := OutputParams{Tail: p.Tail, From: p.From, To: p.To, Stream: p.Stream}
	if err := a.lines(ctx, ref, &o); err != nil {
		return p, err
	}
	p.From, p.To, p.Stream, p.Next = o.From, o.To, o.Stream, map[string]int{}
	for _, s := range p.streams() {
		p.Next[s] = max(1, p.From)
		if p.Tail > 0 {
			size, err := a.log(r, s).Extent(ctx)
			if err != nil {
				return p, err
			}
			p.Next[s] = max(1, size.Lines-p.Tail+1)
		}
	}
	return p, nil
}

// writeLines writes the lines from..to until it has written limit bytes; 0 means no limit. unwritten is the
// number of the first line that was not written. limited reports whether the limit ended the
// output. If wholeLines is true, writeLines leaves out a last line without a line end.
func writeLines(ctx context.Context, log *chunk.Reader, from, to int, wholeLines bool, limit int, w io.Writer) (
	unwritten int, limited bool, err error) {
	out := bufio.NewWriterSize(w, 64<<10)
	written := 0
	for l, err := range log.Scan(ctx, from, to) {
		if err != nil {
			return from, false, errors.Join(err, out.Flush())
		}
		if l.Open && wholeLines {
			break
		}
		if limit != 0 && written >= limit {
			return from, true, out.Flush()
		}
		n, err := out.WriteString(Clean(l.Text) + "\n")
		if err != nil {
			return from, false, err
		}
		written += n
		from = l.Number + 1
	}
	return from, false, out.Flush()
}
