package query

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/nearest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// OutputParams select a part of a run's log: the first lines, the last lines, a range, or matches. Without these
// fields, the part consists of the lines that Ref names, or of the whole log.
type OutputParams struct {
	Ref     string `json:"ref,omitempty" kind:"ref"` // run, or run with lines: build:5:L40-L60
	Stream  string `json:"stream,omitempty"`         // combined, stdout or stderr; "" for the stream that exists
	Head    int    `json:"head,omitempty"`
	Tail    int    `json:"tail,omitempty"`
	From    int    `json:"from,omitempty"` // first line
	To      int    `json:"to,omitempty"`   // last line, inclusive
	Grep    string `json:"grep,omitempty"`
	Context int    `json:"context,omitempty"` // lines around each match of Grep

	// Unread selects lines that mention a failure but belong to no error, warning or note. Unread and Grep cannot be
	// combined.
	Unread bool `json:"unread,omitempty"`

	Last int `json:"last,omitempty"` // with From and Grep or Unread: the last line of the previous answer, 0 for none

	// Numbered writes the line number before each line of a search with Grep or Unread: "12: " before a match, and
	// "13- " before a line around a match.
	Numbered bool `json:"numbered,omitempty"`
	MaxBytes int  `json:"max_bytes,omitempty"` // max size of the content as JSON text; 0 for no limit

	// MaxLines is the max number of lines of the content, 0 for no limit. A search still counts the lines that it
	// leaves out. Web pages set MaxLines; callers of the API cannot.
	MaxLines int `json:"-"`

	// Printed keeps terminal sequences that set colours and move the cursor. Web pages set Printed; callers of the API
	// cannot.
	Printed bool `json:"-"`
}

// Output is a part of a run's log.
type Output struct {
	RunID    int      `json:"run_id" jsonschema:"serial"`
	URL      string   `json:"url,omitempty" jsonschema:"page of the lines" schema:"unlisted"`
	Stream   string   `json:"stream" jsonschema:"that was read"`
	Bytes    int64    `json:"byte_length" jsonschema:"of the whole stream"`
	Total    int      `json:"total_lines" jsonschema:"of the whole stream"`
	Returned int      `json:"returned_lines" jsonschema:"lines in content"`
	Content  string   `json:"content" jsonschema:"text of the log"`
	Streams  []string `json:"streams" jsonschema:"that there are"`

	Counted  int `json:"-"` // lines that a search with MaxLines found and left out of the content
	RestFrom int `json:"-"` // first line that was left out because of MaxBytes, 0 for none
	RestTo   int `json:"-"` // last line that was left out because of MaxBytes
	CutLine  int `json:"-"` // number of a line that is cut at its end, 0 for none
}

// Output returns a part of a run's log. The run may still go on.
func (a *Asker) Output(ctx context.Context, p OutputParams) (Output, error) {
	var text strings.Builder
	out, _, err := a.output(ctx, p, &text)
	out.Content = text.String()
	return out, err
}

// output writes the content of an Output to w. It returns the other fields of the Output, and the number of the last
// line of the content.
func (a *Asker) output(ctx context.Context, p OutputParams, w io.Writer) (Output, int, error) {
	r, ref, err := a.run(ctx, p.Ref)
	if err != nil {
		return Output{}, 0, err
	}
	if err := a.lines(ctx, ref, &p); err != nil {
		return Output{}, 0, err
	}
	if p.Grep != "" && p.Head > 0 && p.Tail > 0 {
		err := store.Errorf(store.Invalid, "grep searches the first lines or the last lines, not both")
		return Output{}, 0, store.Next(err, store.NewCall("output", "", "ref", r.Ref(), "grep", p.Grep))
	}
	log, out, err := a.stream(ctx, r, p.Stream)
	if err != nil {
		return Output{}, 0, err
	}
	content := content{out: &out, to: w, last: p.Last}
	if p.Unread {
		if content.drop, err = a.asUnread(ctx, r, out.Stream, &p); err != nil {
			return Output{}, 0, err
		}
	}
	content.params = p
	turn := a.Reads
	if p.Grep != "" {
		turn = a.Searches
	}
	leave, err := enter(ctx, turn)
	if err != nil {
		return Output{}, 0, err
	}
	defer leave()
	if err := content.read(ctx, log); err != nil {
		return Output{}, 0, err
	}
	out.URL = a.pageIn(content.shown(r.Ref()), out.Stream)
	return out, content.last, nil
}

// enter waits for a turn. If turn is nil, it does not wait.
func enter(ctx context.Context, turn func(context.Context) (leave func(), err error)) (leave func(), err error) {
	if turn == nil {
		return func() {}, nil
	}
	return turn(ctx)
}

// lines sets the range of lines if the reference names lines of the log, or an event. For an event, it also sets the
// stream, unless the question names a stream. If the question itself selects lines, p stays unchanged.
func (a *Asker) lines(ctx context.Context, ref store.Ref, p *OutputParams) error {
	if p.From > 0 || p.Head > 0 || p.Tail > 0 || p.Grep != "" || p.Unread {
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

// stream opens a stream of the run's log. The name "" means the first stream that has text: combined, stdout or stderr.
// stream also returns an Output with facts about the streams.
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
	if len(out.Streams) == 0 { // the command printed nothing
		out.Streams = append(out.Streams, cmp.Or(name, store.StreamCombined))
	}
	out.Stream = cmp.Or(name, out.Streams[0])
	if !slices.Contains(out.Streams, out.Stream) {
		return nil, out, store.Next(
			store.Errorf(store.NotFound, "run %s has no stream %q%s", r.Ref(), name, nearest.Meant(name, out.Streams)),
			store.NewCall("output", "its streams: "+strings.Join(out.Streams, ", "), "ref", r.Ref()))
	}
	out.Bytes, out.Total = sizes[out.Stream].Bytes, sizes[out.Stream].Lines
	return a.log(r, out.Stream), out, nil
}

// WriteOutput writes the text of Output line by line. It needs little memory, except if p.Tail is set.
func (a *Asker) WriteOutput(ctx context.Context, p OutputParams, w io.Writer) error {
	if p.Grep != "" || p.Unread || p.Tail > 0 {
		to := bufio.NewWriterSize(w, 64<<10)
		_, _, err := a.output(ctx, p, to)
		return errors.Join(err, to.Flush())
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
	_, _, err = writeLines(ctx, log, from, to, false, 0, w)
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

// OutputPart is a part of an answer that fits into one message. To get the next part, a caller names the first missing
// line.
type OutputPart struct {
	Output
	RestFrom int `json:"rest_from,omitempty"` // first missing line, 0 if there is none
	RestTo   int `json:"rest_to,omitempty"`   // last missing line
	Last     int `json:"last,omitempty"`      // with Grep or Unread: the last line of this part, for the next request
}

// partBytes is the max number of bytes of text in a part. The max is smaller if the caller may not use so much memory.
const partBytes = 4 << 20

// OutputPart returns the first part of Output that fits into one message. With Grep or Unread, lines after that part
// have not been searched.
func (a *Asker) OutputPart(ctx context.Context, p OutputParams) (OutputPart, error) {
	return inMemory(ctx, func(ctx context.Context, max int) (OutputPart, error) {
		p := p
		p.MaxBytes = max
		return a.outputPart(ctx, p)
	})
}

func (a *Asker) outputPart(ctx context.Context, p OutputParams) (OutputPart, error) {
	var text strings.Builder
	o, last, err := a.output(ctx, p, &heldText{ctx: ctx, to: &text})
	o.Content = text.String()
	part := OutputPart{Output: o, RestFrom: o.RestFrom, RestTo: o.RestTo}
	if (p.Grep != "" || p.Unread) && o.RestFrom > 0 {
		part.Last = last
	}
	return part, err
}
