package web

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

const (
	maxHits     = 200     // max lines that a search shows
	searchTurns = 10      // of a search of one log
	searchBytes = 4 << 20 // of the lines that a turn finds
)

// searchPage is what a search of a log found.
type searchPage struct {
	page
	Search string
	Regexp bool
	Stream string
	// Streams are the streams that the log has.
	Streams []string
	From    int // the first line that is searched, 0 for the beginning
	Count   int
	Hits    []line
	Rest    int // the first line that was not searched, 0 for none
}

// search finds lines in a log. It counts all of them, and shows the first ones.
func search(q *request) error {
	p := searchPage{
		page: q.page("Search of "+q.ref(), q.ref()), Search: q.r.FormValue("q"), Regexp: q.r.FormValue("regexp") != "",
		Stream: q.r.FormValue("stream"),
	}
	var err error
	if p.From, err = q.number("from"); err != nil {
		return err
	}
	if p.Search != "" {
		if err := p.look(q, q.ref(), searchTurns); err != nil {
			return err
		}
	}
	return q.show(p.view())
}

// look searches a log, for a number of turns at most. A turn takes as long as an answer of the API may, and others who
// search come between two turns.
func (p *searchPage) look(q *request, ref string, turns int) error {
	pattern := p.Search
	if !p.Regexp {
		pattern = regexp.QuoteMeta(pattern)
	}
	for from := max(1, p.From); turns > 0; turns-- {
		out, err := q.by.Output(q.context(), query.OutputParams{
			Ref: ref, Stream: p.Stream, From: from, Grep: pattern, Numbered: true, MaxBytes: searchBytes,
		})
		if err != nil {
			return err
		}
		for text := range strings.Lines(out.Content) {
			p.add(text)
		}
		p.Stream, p.Streams = out.Stream, out.Streams
		if p.Rest = out.RestFrom; p.Rest <= from {
			return nil
		}
		from = p.Rest
	}
	return nil
}

// add counts a line with its number before it, and keeps the first ones.
func (p *searchPage) add(text string) {
	number, text, found := strings.Cut(text, ": ")
	n, err := strconv.Atoi(number)
	if !found || err != nil {
		return
	}
	p.Count++
	if len(p.Hits) < maxHits {
		p.Hits = append(p.Hits, line{Number: n, Spans: spans(text)})
	}
}

// path returns the address of the same search in a stream, from a line on; line 0 is the beginning.
func (p *searchPage) path(ref, stream string, from int) string {
	to := url.Values{"q": {p.Search}}
	if p.Regexp {
		to.Set("regexp", "1")
	}
	if stream != "" && stream != store.StreamCombined {
		to.Set("stream", stream)
	}
	if from > 0 {
		to.Set("from", strconv.Itoa(from))
	}
	return refPath("search", ref) + "?" + to.Encode()
}

// others returns the streams that were not searched.
func (p *searchPage) others() []string {
	return slices.DeleteFunc(slices.Clone(p.Streams), func(s string) bool { return s == p.Stream })
}
