package query

import (
	"context"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// UnreadParams name a run and the first line to search.
type UnreadParams struct {
	Ref    string
	Stream string // "" for the stream that exists
	From   int    // first line, 0 for the beginning
}

// Unread holds lines of a log that mention a failure but belong to no error, warning or note.
type Unread struct {
	Stream  string
	Streams []string
	Count   int           // number of such lines in the searched part
	Lines   []ContextLine // the first of these lines
	Rest    int           // first line that was not searched, 0 for none
}

const (
	unreadShown = 20      // max lines to show
	unreadBytes = 4 << 20 // max bytes of lines with failure words that one answer checks
	maxRanges   = 50_000  // max events whose lines are read
)

// unreadWords matches words of failure reports. Some words of parse.SpeaksOfFailure are left out, such as expected and
// got, because they also occur in single lines that report no failure.
const unreadWords = `(?i)\b(errors?|fatal|panic|exception|traceback|fail(ed|ure|ures|s)?|segmentation fault|` +
	`core dumped|undefined reference|unresolved|not found|no such file|permission denied|refused|aborted|killed)\b`

// mentions matches lines that contain a failure word but do not report a failure. Either the word is a part of the name
// of a file or an option, or the line says that there were zero failures.
var mentions = lazyregexp.New(`(?i)(^|\s)-\S*(error|fail|fatal)|` +
	`[\w-]*(error|fail|exception|panic)\w*\.\w{1,5}\b|\b(error|fail)\w*=0`)

// Unread searches for lines that mention a failure but belong to no event of the run. TooLarge: the run has too many
// events.
func (a *Asker) Unread(ctx context.Context, p UnreadParams) (Unread, error) {
	r, _, err := a.run(ctx, p.Ref)
	if err != nil {
		return Unread{}, err
	}
	out, err := a.Output(ctx, OutputParams{Ref: r.Attempt, Stream: p.Stream, From: max(1, p.From), Unread: true,
		Numbered: true, MaxBytes: unreadBytes})
	if err != nil {
		return Unread{}, err
	}
	u := Unread{Stream: out.Stream, Streams: out.Streams, Rest: out.RestFrom}
	for text := range strings.Lines(out.Content) {
		number, text, _ := strings.Cut(strings.TrimSuffix(text, "\n"), ": ")
		n, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		u.Count++
		if len(u.Lines) < unreadShown {
			u.Lines = append(u.Lines, ContextLine{Line: n, Text: text})
		}
	}
	return u, nil
}

// asUnread makes p search for lines that mention a failure. The function drop reports whether a found line is left
// out: the line belongs to an event, or does not really report a failure. Invalid: p already has grep, context or head.
func (a *Asker) asUnread(ctx context.Context, r store.Run, stream string, p *OutputParams) (
	drop func(chunk.Match) bool, err error) {
	if p.Grep != "" || p.Context > 0 || p.Head > 0 {
		return nil, store.Next(store.Errorf(store.Invalid, "unread cannot be combined with grep, context or head"),
			store.NewCall("output", "", "ref", r.Ref(), "unread", true))
	}
	read, err := a.ranges(ctx, r, stream)
	p.Grep = unreadWords
	return func(m chunk.Match) bool { return read.has(m.Number) || !unread(Clean(m.Text)) }, err
}

// unread reports whether a line reports a failure. A line that only contains a word such as "error" in a name does not.
func unread(text string) bool {
	text = parse.CutTimestamp(text)
	return !parse.IsRoutine(text) && !parse.SaysNone(text) && !parse.SaysNoFailure(text) && !parse.IsFrame(text) &&
		!mentions.MatchString(text)
}

// lineRanges holds ranges of lines, ordered by their first lines.
type lineRanges []lineRange

type lineRange struct{ from, to int }

// has reports whether a line is in one of the ranges. The ranges must be in order and must not overlap.
func (l lineRanges) has(line int) bool {
	i := sort.Search(len(l), func(i int) bool { return l[i].to >= line })
	return i < len(l) && l[i].from <= line
}

// ranges returns the ranges of lines that belong to events, for one stream.
func (a *Asker) ranges(ctx context.Context, r store.Run, stream string) (lineRanges, error) {
	var all lineRanges
	f := store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.Attempt}}, Limit: errorsAtOnce, Uncounted: true}
	for {
		passing, done := store.Passing(ctx)
		page, err := a.Store.Events(passing, a.Scope, f)
		if err != nil {
			return nil, err
		}
		done()
		for _, e := range page.Events {
			f.After = e.ID
			if in := e.Stream; e.LogLine > 0 && (in == stream || in == "" && !slices.Contains(separate, stream)) {
				all = append(all, lineRange{e.LogLine, max(e.LogLine, e.LogLineEnd)})
			}
		}
		if len(page.Events) < f.Limit {
			break
		}
		if len(all) > maxRanges {
			return nil, store.Next(store.Errorf(store.TooLarge, "%s has more than %d errors and warnings", r.Ref(), maxRanges),
				store.NewCall("events", "lists them", "ref", r.Ref()))
		}
	}
	return all.merged(), nil
}

// separate holds the names of the streams of a run whose stdout and stderr were recorded separately.
var separate = []string{store.StreamStdout, store.StreamStderr}

// merged returns the ranges in order. Overlapping and adjacent ranges are merged.
func (l lineRanges) merged() lineRanges {
	sort.Slice(l, func(i, j int) bool { return l[i].from < l[j].from })
	var list lineRanges
	for _, r := range l {
		if n := len(list); n > 0 && r.from <= list[n-1].to+1 {
			list[n-1].to = max(list[n-1].to, r.to)
			continue
		}
		list = append(list, r)
	}
	return list
}
