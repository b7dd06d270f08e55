package web

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

const (
	maxHits     = 200     // max lines that the page shows
	searchTurns = 10      // max turns that the search of a log takes
	searchBytes = 4 << 20 // max bytes of the lines that a turn returns
)

// searchPage shows the result of a search in a log.
type searchPage struct {
	page
	Search string
	Regexp bool
	Stream string
	// Streams are the streams of the log.
	Streams []string
	From    int // first line to search, 0 for the beginning
	Count   int
	Hits    []line
	Rest    int // first line that was not searched, 0 for none
}

// search finds lines in a log. It counts all matching lines, and shows the first of them.
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

// look searches a log in at most the given number of turns. A turn takes at most as long as an answer of the API.
// Between two turns, other searches may run.
func (p *searchPage) look(q *request, ref string, turns int) error {
	if !utf8.ValidString(p.Search) {
		return store.Hint(store.Errorf(store.Invalid, "the text to search for is not valid UTF-8"),
			"type the text again; . in a regular expression matches any character")
	}
	pattern := p.Search
	if !p.Regexp {
		pattern = regexp.QuoteMeta(pattern)
	}
	for from := max(1, p.From); turns > 0; turns-- {
		out, err := q.by.Output(q.context(), query.OutputParams{
			Ref: ref, Stream: p.Stream, From: from, Grep: pattern, Numbered: true, MaxBytes: searchBytes,
			MaxLines: max(1, maxHits-len(p.Hits)),
		})
		if err != nil {
			return err
		}
		for text := range strings.Lines(out.Content) {
			p.add(text)
		}
		p.Count += out.Counted
		p.Stream, p.Streams = out.Stream, out.Streams
		if p.Rest = out.RestFrom; p.Rest <= from {
			return nil
		}
		from = p.Rest
	}
	return nil
}

// add counts a matching line. If it is one of the first matching lines, add also stores it. The text begins with the
// number of the line.
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

// path returns the URL of the same search in another stream or from another line. The parameter from is the first
// line; 0 means the beginning.
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

// others returns the streams that the search did not read.
func (p *searchPage) others() []string {
	return slices.DeleteFunc(slices.Clone(p.Streams), func(s string) bool { return s == p.Stream })
}
