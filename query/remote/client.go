package remote

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Poster sends a body below a service's URL and decodes the answer into out.
type Poster interface {
	Post(ctx context.Context, path string, in, out any) error
}

// Client asks a service. Its answers are those of query.Asker.
type Client struct {
	Server Poster
	// Repo is the repository that is asked of, owner/name; "" for all that may be
	// seen. A reference that names another one overrules it.
	Repo string
}

// post asks a question; refs are the references in it.
func post[A any](ctx context.Context, c *Client, name string, params any, refs ...string) (A, error) {
	var answer A
	text, err := json.Marshal(params)
	if err == nil {
		err = c.Server.Post(ctx, Path+"/"+name, Request{Repo: c.repo(refs), Params: text}, &answer)
	}
	return answer, err
}

// repo returns which repository to ask of.
func (c *Client) repo(refs []string) string {
	repo := c.Repo
	for _, ref := range refs {
		if named, _, ok := strings.Cut(ref, "@"); ok && named != repo {
			return "" // the reference says it
		}
	}
	return repo
}

// Triage asks as query.Asker.Triage does.
func (c *Client) Triage(ctx context.Context, p query.TriageParams) (query.Triage, error) {
	return post[query.Triage](ctx, c, "triage", p, p.Ref, p.Baseline)
}

// Events asks as query.Asker.Events does.
func (c *Client) Events(ctx context.Context, p query.EventsParams) (query.EventList, error) {
	return post[query.EventList](ctx, c, "events", p, p.Ref)
}

// EventDetails asks as query.Asker.EventDetails does.
func (c *Client) EventDetails(ctx context.Context, ref string) (query.EventDetails, error) {
	return post[query.EventDetails](ctx, c, "event", eventParams{Ref: ref}, ref)
}

// Context asks as query.Asker.Context does.
func (c *Client) Context(ctx context.Context, ref string, n int) (query.Context, error) {
	return post[query.Context](ctx, c, "context", eventParams{Ref: ref, Lines: n}, ref)
}

// Inspect asks as query.Asker.Inspect does.
func (c *Client) Inspect(ctx context.Context, ref string, p query.InspectParams) (query.Inspection, error) {
	return post[query.Inspection](ctx, c, "inspect", eventParams{Ref: ref, InspectParams: p}, ref)
}

// Info asks as query.Asker.Info does.
func (c *Client) Info(ctx context.Context, p query.InfoParams) (query.Info, error) {
	return post[query.Info](ctx, c, "info", p, p.Ref)
}

// Brief asks as query.Asker.Brief does.
func (c *Client) Brief(ctx context.Context, p query.InfoParams) (query.Briefing, error) {
	return post[query.Briefing](ctx, c, "brief", p, p.Ref)
}

// Status asks as query.Asker.Status does.
func (c *Client) Status(ctx context.Context, p query.StatusParams) (query.Status, error) {
	return post[query.Status](ctx, c, "status", p)
}

// History asks as query.Asker.History does.
func (c *Client) History(ctx context.Context, p query.HistoryParams) (query.History, error) {
	return post[query.History](ctx, c, "history", p)
}

// Diff asks as query.Asker.Diff does.
func (c *Client) Diff(ctx context.Context, p query.DiffParams) (query.Diff, error) {
	d, err := post[wholeDiff](ctx, c, "diff", p, p.Run1, p.Run2, p.Baseline)
	return d.unpack(), err
}

// Query asks as query.Asker.Query does. Numbers are json.Number.
func (c *Client) Query(ctx context.Context, p query.QueryParams) (query.Table, error) {
	t, err := post[wholeTable](ctx, c, "query", p)
	t.Table.More = t.More
	return t.Table, err
}

// Check asks as query.Asker.Check does.
func (c *Client) Check(ctx context.Context, p query.CheckParams) (query.Check, error) {
	return post[query.Check](ctx, c, "check", p, p.Run, p.Baseline)
}

// Report asks as markdown.Write does.
func (c *Client) Report(ctx context.Context, p markdown.Params) (markdown.Report, error) {
	return post[markdown.Report](ctx, c, "report", p, p.Ref, p.Baseline)
}

// Pull asks as markdown.WritePull does.
func (c *Client) Pull(ctx context.Context, p markdown.PullParams) (markdown.Pull, error) {
	return post[markdown.Pull](ctx, c, "pull", p)
}

// Follow does as query.Asker.Follow.
func (c *Client) Follow(ctx context.Context, p query.OutputParams, w io.Writer) error {
	return query.Follow(ctx, func(ctx context.Context, g query.GrowthParams) (query.Growth, error) {
		return post[query.Growth](ctx, c, "growth", g, g.Ref)
	}, p, w)
}

// RawOutput does as query.Asker.RawOutput.
func (c *Client) RawOutput(ctx context.Context, ref, stream string, w io.Writer) error {
	p := query.RawParams{Ref: ref, Stream: stream}
	for {
		got, err := post[query.Raw](ctx, c, "raw", p, ref)
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

// Output asks as query.Asker.Output does.
func (c *Client) Output(ctx context.Context, p query.OutputParams) (query.Output, error) {
	var text strings.Builder
	out, err := c.parts(ctx, p, &text)
	out.Content = text.String()
	return out, err
}

// WriteOutput does as query.Asker.WriteOutput.
func (c *Client) WriteOutput(ctx context.Context, p query.OutputParams, w io.Writer) error {
	_, err := c.parts(ctx, p, w)
	return err
}

// parts writes the text of an answer part by part, and returns the rest of it.
// Of a log's end the last part comes first; it waits for those before it.
func (c *Client) parts(ctx context.Context, p query.OutputParams, w io.Writer) (query.Output, error) {
	first, err := post[wholeOutput](ctx, c, "output", p, p.Ref)
	if err != nil {
		return query.Output{}, err
	}
	out, last := first.Output, ""
	if p.Tail > 0 && p.From == 0 {
		last = out.Content
	} else if _, err := io.WriteString(w, out.Content); err != nil {
		return out, err
	}
	for rest := first; rest.RestFrom > 0; {
		from := rest.RestFrom
		p = query.OutputParams{Ref: p.Ref, Stream: out.Stream, From: rest.RestFrom, To: rest.RestTo, Numbered: p.Numbered}
		if rest, err = post[wholeOutput](ctx, c, "output", p, p.Ref); err != nil {
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
