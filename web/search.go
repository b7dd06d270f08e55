package web

import (
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

const (
	hit         = "hit"   // class of the text that was searched for
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
	Rest    int            // first line that was not searched, 0 for none
	match   *regexp.Regexp // matches the parts of lines that were searched for
}

// search finds lines in a log. It counts the matching lines, and shows the first of them. After searchTurns turns, it
// leaves the rest of the log to another search.
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
		if p.match == nil {
			p.match = matcher(pattern, p.Regexp)
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

// These limits bound the work of marking matches. The work for a line is in proportion to all three of them.
const (
	markMatches = 5       // max marked matches in a part of a line
	markBytes   = 1 << 10 // max bytes of a part in which matches are marked
	markSteps   = 100     // max steps of a regular expression whose matches are marked
)

// matcher returns the regular expression for marking matches of a pattern that a search has accepted. It returns nil if
// marking them would be too much work.
func matcher(pattern string, is bool) *regexp.Regexp {
	if is {
		parsed, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			return nil
		}
		if program, err := syntax.Compile(parsed.Simplify()); err != nil || len(program.Inst) > markSteps {
			return nil
		}
	}
	match, err := regexp.Compile(pattern)
	if err != nil {
		return nil
	}
	return match
}

// marked gives matches in the parts of a line the class hit.
func (p *searchPage) marked(list []span) []span {
	if p.match == nil {
		return list
	}
	var parts []span
	for _, s := range list {
		text, end := s.Text, 0
		if len(text) > markBytes {
			text = strings.ToValidUTF8(text[:markBytes], "") // removes an incomplete character at the end
		}
		for _, at := range p.match.FindAllStringIndex(text, markMatches) {
			if at[0] == at[1] {
				continue
			}
			if at[0] > end {
				parts = append(parts, span{s.Class, s.Text[end:at[0]]})
			}
			parts = append(parts, span{hit, s.Text[at[0]:at[1]]})
			end = at[1]
		}
		if end < len(s.Text) {
			parts = append(parts, span{s.Class, s.Text[end:]})
		}
	}
	return parts
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
