package ask

import (
	"cmp"
	"context"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// OutputParams say which part of a run's log to return. Head, Tail, Lines and
// Grep exclude each other; without any it is all of it.
type OutputParams struct {
	Ref     string // run, or run with lines: build:5:L40-L60
	Stream  string // combined, stdout or stderr; "" for what there is
	Head    int
	Tail    int
	From    int // first line
	To      int // last line, inclusive
	Grep    string
	Context int // lines around each match of Grep
}

// Output is a part of a run's log.
type Output struct {
	RunID    int      `json:"run_id" jsonschema:"serial"`
	Stream   string   `json:"stream" jsonschema:"that was read"`
	Bytes    int64    `json:"byte_length" jsonschema:"of the whole stream"`
	Total    int      `json:"total_lines" jsonschema:"of the whole stream"`
	Returned int      `json:"returned_lines" jsonschema:"lines in content"`
	Content  string   `json:"content" jsonschema:"text of the log"`
	Streams  []string `json:"streams" jsonschema:"that there are"`
}

// Output returns a part of the log of a run, also of one that is running.
func (a *Asker) Output(ctx context.Context, p OutputParams) (Output, error) {
	r, ref, err := a.run(ctx, p.Ref)
	if err != nil {
		return Output{}, err
	}
	if err := a.lines(ctx, ref, &p); err != nil {
		return Output{}, err
	}
	log, out, err := a.stream(ctx, r, p.Stream)
	if err != nil {
		return Output{}, err
	}
	lines, err := selectLines(ctx, log, p)
	if err != nil {
		return Output{}, err
	}
	var b strings.Builder
	for i, l := range lines {
		if p.Grep != "" && p.Context > 0 && i > 0 && l.Number != lines[i-1].Number+1 {
			b.WriteString("--\n")
		}
		b.WriteString(Clean(l.Text))
		b.WriteByte('\n')
	}
	out.Returned, out.Content = len(lines), b.String()
	return out, nil
}

// lines takes the lines that a reference names, of the log or of an event's
// report, unless the question says which.
func (a *Asker) lines(ctx context.Context, ref store.Ref, p *OutputParams) error {
	if p.From > 0 || p.Head > 0 || p.Tail > 0 || p.Grep != "" {
		return nil
	}
	p.From, p.To = ref.From, ref.To
	if !ref.IsEvent() {
		return nil
	}
	_, e, err := a.Store.Event(ctx, a.Scope, ref)
	p.From, p.To = e.LogLine, max(e.LogLine, e.LogLineEnd)
	if p.Stream == "" {
		p.Stream = e.Stream
	}
	return err
}

// stream opens a stream of the run's log; "" is the combined one, or stdout of
// a run whose streams were kept apart.
func (a *Asker) stream(ctx context.Context, r store.Run, name string) (*chunk.Reader, Output, error) {
	out := Output{RunID: r.Serial, Streams: []string{}}
	sizes := map[string]chunk.Extent{}
	for _, s := range []string{store.StreamCombined, store.StreamStdout, store.StreamStderr} {
		size, err := a.log(r, s).Extent(ctx)
		if err != nil {
			return nil, out, err
		}
		if size.Bytes > 0 {
			out.Streams, sizes[s] = append(out.Streams, s), size
		}
	}
	if len(out.Streams) == 0 { // nothing was printed
		out.Streams = append(out.Streams, cmp.Or(name, store.StreamCombined))
	}
	out.Stream = cmp.Or(name, out.Streams[0])
	if !slices.Contains(out.Streams, out.Stream) {
		return nil, out, store.Hint(store.Errorf(store.NotFound, "run %s has no stream %q", r.Ref(), name), "blq output %s   # its streams: %s", r.Ref(), strings.Join(out.Streams, ", "))
	}
	out.Bytes, out.Total = sizes[out.Stream].Bytes, sizes[out.Stream].Lines
	return a.log(r, out.Stream), out, nil
}

func selectLines(ctx context.Context, log *chunk.Reader, p OutputParams) ([]chunk.Line, error) {
	switch {
	case p.Grep != "":
		re, err := regexp.Compile(p.Grep)
		if err != nil {
			return nil, store.Hint(store.Errorf(store.Invalid, "grep: %w", err), `blq output --grep 'main\.c\[1\]'   # escape . [ ( and the like with \`)
		}
		return grep(ctx, log, re, p.Context)
	case p.From > 0:
		return log.Lines(ctx, p.From, p.To)
	case p.Head > 0:
		return log.Lines(ctx, 1, p.Head)
	case p.Tail > 0:
		return log.Tail(ctx, p.Tail)
	}
	return log.Lines(ctx, 1, 0)
}

// WriteOutput writes the text that Output returns, line by line: a log of any
// size takes little memory unless Grep or Tail choose from it.
func (a *Asker) WriteOutput(ctx context.Context, p OutputParams, w io.Writer) error {
	if p.Grep != "" || p.Tail > 0 {
		out, err := a.Output(ctx, p)
		if err == nil {
			_, err = io.WriteString(w, out.Content)
		}
		return err
	}
	r, ref, err := a.run(ctx, p.Ref)
	if err != nil {
		return err
	}
	if err := a.lines(ctx, ref, &p); err != nil {
		return err
	}
	log, _, err := a.stream(ctx, r, p.Stream)
	if err != nil {
		return err
	}
	from, to := max(1, p.From), p.To
	if p.From == 0 && p.Head > 0 {
		to = p.Head
	}
	_, err = writeLines(ctx, log, from, to, false, w)
	return err
}

// RawOutput writes the exact bytes of a run's stream to w.
func (a *Asker) RawOutput(ctx context.Context, ref, stream string, w io.Writer) error {
	r, _, err := a.run(ctx, ref)
	if err != nil {
		return err
	}
	log, _, err := a.stream(ctx, r, stream)
	if err != nil {
		return err
	}
	_, err = log.WriteTo(ctx, w)
	return err
}

func grep(ctx context.Context, log *chunk.Reader, re *regexp.Regexp, around int) ([]chunk.Line, error) {
	var lines []chunk.Line
	for m, err := range log.Grep(ctx, re, around) {
		if err != nil {
			return nil, err
		}
		lines = append(lines, m.Line)
	}
	return lines, nil
}
