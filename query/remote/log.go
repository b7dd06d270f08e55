package remote

import (
	"context"
	"io"
	"strings"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// A log may not fit into one message, so the client requests the log in parts.

// Follow works like query.Asker.Follow.
func (c *Client) Follow(ctx context.Context, p query.OutputParams, w io.Writer) error {
	return query.Follow(ctx, func(ctx context.Context, g query.GrowthParams) (query.Growth, error) {
		return questions.Growth.Ask(ctx, c, g)
	}, p, w)
}

// RawOutput works like query.Asker.RawOutput.
func (c *Client) RawOutput(ctx context.Context, ref, stream string, w io.Writer) error {
	p := query.RawParams{Ref: ref, Stream: stream}
	for {
		got, err := questions.Raw.Ask(ctx, c, p)
		if err != nil {
			return err
		}
		if _, err := w.Write(got.Bytes); err != nil {
			return err
		}
		if !got.More || got.Next <= p.Offset {
			return nil
		}
		p = query.RawParams{Ref: got.Attempt, Stream: got.Stream, Offset: got.Next}
	}
}

// Output works like query.Asker.Output.
func (c *Client) Output(ctx context.Context, p query.OutputParams) (query.Output, error) {
	var text strings.Builder
	out, err := c.parts(ctx, p, &text)
	out.Content = text.String()
	return out, err
}

// WriteOutput works like query.Asker.WriteOutput.
func (c *Client) WriteOutput(ctx context.Context, p query.OutputParams, w io.Writer) error {
	_, err := c.parts(ctx, p, w)
	return err
}

// ends writes the first and the last lines of a log. It is called if they do not fit into one message. The argument
// o has the other fields of the answer.
func (c *Client) ends(ctx context.Context, p query.OutputParams, o query.Output, w io.Writer) (query.Output, error) {
	begin, end := p, p
	begin.Tail, end.Head = 0, 0
	first, err := c.parts(ctx, begin, w)
	if err != nil {
		return o, err
	}
	if _, err := io.WriteString(w, query.LeftOut(p.Head+1, o.Total-p.Tail)); err != nil {
		return o, err
	}
	last, err := c.parts(ctx, end, w)
	o.Returned = first.Returned + last.Returned
	return o, err
}

// parts writes the text of an answer, and returns the other fields. It requests the text in parts. If the question asks
// for the end of a log, the first answer holds the last lines, so parts writes them after all other lines.
func (c *Client) parts(ctx context.Context, p query.OutputParams, w io.Writer) (query.Output, error) {
	first, err := questions.Output.Ask(ctx, c, p)
	if err != nil {
		return query.Output{}, err
	}
	if p.Head > 0 && p.Tail > 0 && first.RestFrom > 0 && p.Grep == "" {
		return c.ends(ctx, p, first.Output, w)
	}
	out, last := first.Output, ""
	if p.Tail > 0 && p.From == 0 && p.Grep == "" {
		last = out.Content
	} else if _, err := io.WriteString(w, out.Content); err != nil {
		return out, err
	}
	for rest := first; rest.RestFrom > 0; {
		from := rest.RestFrom
		p = query.OutputParams{Ref: p.Ref, Stream: out.Stream, From: rest.RestFrom, To: rest.RestTo, Numbered: p.Numbered,
			Grep: p.Grep, Context: p.Context, Last: rest.Last}
		if rest, err = questions.Output.Ask(ctx, c, p); err != nil {
			return out, err
		}
		if rest.RestFrom > 0 && rest.RestFrom <= from {
			return out, store.Errorf(store.Unavailable, "the server's answer does not end")
		}
		out.Returned += rest.Returned
		if _, err := io.WriteString(w, rest.Content); err != nil {
			return out, err
		}
	}
	_, err = io.WriteString(w, last)
	return out, err
}
