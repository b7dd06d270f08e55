package askhttp

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/blq-ci/blq/ask"
	"github.com/blq-ci/blq/internal/report"
	"github.com/blq-ci/blq/store"
)

// Poster sends a body below a service's URL and decodes the answer into out.
type Poster interface {
	Post(ctx context.Context, path string, in, out any) error
}

// Client asks a service. Its answers are those of ask.Asker.
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

// Triage asks as ask.Asker.Triage does.
func (c *Client) Triage(ctx context.Context, p ask.TriageParams) (ask.Triage, error) {
	return post[ask.Triage](ctx, c, "triage", p, p.Ref, p.Baseline)
}

// Events asks as ask.Asker.Events does.
func (c *Client) Events(ctx context.Context, p ask.EventsParams) (ask.EventList, error) {
	return post[ask.EventList](ctx, c, "events", p, p.Ref)
}

// EventDetails asks as ask.Asker.EventDetails does.
func (c *Client) EventDetails(ctx context.Context, ref string) (ask.EventDetails, error) {
	return post[ask.EventDetails](ctx, c, "event", eventParams{Ref: ref}, ref)
}

// Context asks as ask.Asker.Context does.
func (c *Client) Context(ctx context.Context, ref string, n int) (ask.Context, error) {
	return post[ask.Context](ctx, c, "context", eventParams{Ref: ref, Lines: n}, ref)
}

// Inspect asks as ask.Asker.Inspect does.
func (c *Client) Inspect(ctx context.Context, ref string, p ask.InspectParams) (ask.Inspection, error) {
	return post[ask.Inspection](ctx, c, "inspect", eventParams{Ref: ref, InspectParams: p}, ref)
}

// Info asks as ask.Asker.Info does.
func (c *Client) Info(ctx context.Context, p ask.InfoParams) (ask.Info, error) {
	return post[ask.Info](ctx, c, "info", p, p.Ref)
}

// Brief asks as ask.Asker.Brief does.
func (c *Client) Brief(ctx context.Context, p ask.InfoParams) (ask.Briefing, error) {
	return post[ask.Briefing](ctx, c, "brief", p, p.Ref)
}

// Status asks as ask.Asker.Status does.
func (c *Client) Status(ctx context.Context, p ask.StatusParams) (ask.Status, error) {
	return post[ask.Status](ctx, c, "status", p)
}

// History asks as ask.Asker.History does.
func (c *Client) History(ctx context.Context, p ask.HistoryParams) (ask.History, error) {
	return post[ask.History](ctx, c, "history", p)
}

// Diff asks as ask.Asker.Diff does.
func (c *Client) Diff(ctx context.Context, p ask.DiffParams) (ask.Diff, error) {
	d, err := post[wholeDiff](ctx, c, "diff", p, p.Run1, p.Run2, p.Baseline)
	return d.unpack(), err
}

// Query asks as ask.Asker.Query does. Numbers are json.Number.
func (c *Client) Query(ctx context.Context, p ask.QueryParams) (ask.Table, error) {
	t, err := post[wholeTable](ctx, c, "query", p)
	t.Table.More = t.More
	return t.Table, err
}

// Check asks as ask.Asker.Check does.
func (c *Client) Check(ctx context.Context, p ask.CheckParams) (ask.Check, error) {
	return post[ask.Check](ctx, c, "check", p, p.Run, p.Baseline)
}

// Report asks as report.Write does.
func (c *Client) Report(ctx context.Context, p report.Params) (report.Report, error) {
	return post[report.Report](ctx, c, "report", p, p.Ref, p.Baseline)
}

// Pull asks as report.WritePull does.
func (c *Client) Pull(ctx context.Context, p report.PullParams) (report.Pull, error) {
	return post[report.Pull](ctx, c, "pull", p)
}

// Follow does as ask.Asker.Follow.
func (c *Client) Follow(ctx context.Context, p ask.OutputParams, w io.Writer) error {
	return ask.Follow(ctx, func(ctx context.Context, g ask.GrowthParams) (ask.Growth, error) {
		return post[ask.Growth](ctx, c, "growth", g, g.Ref)
	}, p, w)
}

// RawOutput does as ask.Asker.RawOutput.
func (c *Client) RawOutput(ctx context.Context, ref, stream string, w io.Writer) error {
	p := ask.RawParams{Ref: ref, Stream: stream}
	for {
		got, err := post[ask.Raw](ctx, c, "raw", p, ref)
		if err != nil {
			return err
		}
		if _, err := w.Write(got.Bytes); err != nil {
			return err
		}
		if !got.More || got.Next <= p.Offset {
			return nil
		}
		p = ask.RawParams{Ref: got.Attempt, Stream: got.Stream, Offset: got.Next}
	}
}

// Output asks as ask.Asker.Output does.
func (c *Client) Output(ctx context.Context, p ask.OutputParams) (ask.Output, error) {
	var text strings.Builder
	out, err := c.parts(ctx, p, &text)
	out.Content = text.String()
	return out, err
}

// WriteOutput does as ask.Asker.WriteOutput.
func (c *Client) WriteOutput(ctx context.Context, p ask.OutputParams, w io.Writer) error {
	_, err := c.parts(ctx, p, w)
	return err
}

// parts writes the text of an answer part by part, and returns the rest of it.
// Of a log's end the last part comes first; it waits for those before it.
func (c *Client) parts(ctx context.Context, p ask.OutputParams, w io.Writer) (ask.Output, error) {
	first, err := post[wholeOutput](ctx, c, "output", p, p.Ref)
	if err != nil {
		return ask.Output{}, err
	}
	out, last := first.Output, ""
	if p.Tail > 0 && p.From == 0 {
		last = out.Content
	} else if _, err := io.WriteString(w, out.Content); err != nil {
		return out, err
	}
	for rest := first; rest.RestFrom > 0; {
		from := rest.RestFrom
		p = ask.OutputParams{Ref: p.Ref, Stream: out.Stream, From: rest.RestFrom, To: rest.RestTo, Numbered: p.Numbered}
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
