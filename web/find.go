package web

import (
	"fmt"
	"strconv"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

const (
	findRuns  = 20 // max logs to search
	findLines = 3  // max lines to show from each log
)

// findPage shows the result of a search in several logs.
type findPage struct {
	page
	Search   string
	Regexp   bool
	Filter   query.HistoryParams
	Searched int
	Found    []foundIn
	Before   int  // serial before which the next search begins, 0 if there are no earlier logs
	Across   bool // there are earlier logs, and the logs are of all repositories
}

// foundIn is the result of the search in one log. Log also says whether the log was searched completely.
type foundIn struct {
	Run query.RunFacts
	Log searchPage
}

// find searches the logs of the newest runs.
func find(q *request) error {
	p := findPage{page: q.page("Search logs", ""), Search: q.r.FormValue("q"), Regexp: q.r.FormValue("regexp") != "",
		Filter: query.HistoryParams{Limit: findRuns, Source: q.r.FormValue("source")}}
	p.Filter.Branch, p.Filter.Repo = q.r.FormValue("branch"), q.r.FormValue("repo")
	var err error
	if p.Filter.Before, err = q.number("before"); err != nil {
		return err
	}
	if p.Search == "" {
		return q.show(p.view())
	}
	history, err := questions.History.Ask(q.context(), q.by, p.Filter)
	if err != nil {
		return err
	}
	if n := len(history.Runs); n == findRuns {
		p.Before, p.Across = nextPage(p.Filter.Repo, history.Runs[n-1].Repo, history.Runs[n-1].RunID)
	}
	for _, r := range history.Runs {
		ref := refOf(r.Repo, r.Source, r.RunID)
		first := searchPage{Search: p.Search, Regexp: p.Regexp}
		err := first.look(q, ref, 1)
		if store.CodeOf(err) == store.NotFound {
			continue // the log is empty, or was removed after the runs were listed
		}
		if err != nil {
			return err
		}
		p.Searched++
		p.add(r, first)
		for _, stream := range first.others() {
			log := searchPage{Search: p.Search, Regexp: p.Regexp, Stream: stream}
			if err := log.look(q, ref, 1); err != nil {
				return err
			}
			p.add(r, log)
		}
	}
	return q.show(p.view())
}

// add adds the result for a log.
func (p *findPage) add(r query.RunFacts, log searchPage) {
	if log.Count > 0 || log.Rest > 0 {
		p.Found = append(p.Found, foundIn{r, log})
	}
}

func (p findPage) view() g.Node {
	return p.layout(
		h.Form(h.Class("filter"), h.Role("search"), field("Find", "q", p.Search, h.Type("search")),
			h.Label(h.Input(h.Type("checkbox"), h.Name("regexp"), h.Value("1"), g.If(p.Regexp, h.Checked())),
				g.Text(" regular expression")),
			field("Source", "source", p.Filter.Source), field("Branch", "branch", p.Filter.Branch),
			hidden("repo", p.Filter.Repo), h.Button(g.Text("Find"))),
		g.If(p.Search != "", h.P(h.Role("status"), g.Text(p.verdict()))),
		g.Map(p.Found, p.found),
		earlierElsewhere(p.Across),
		g.If(p.Before > 0, h.Form(h.Class("filter"), hidden("q", p.Search), g.If(p.Regexp, hidden("regexp", "1")),
			hidden("source", p.Filter.Source), hidden("branch", p.Filter.Branch), hidden("repo", p.Filter.Repo),
			hidden("before", number(p.Before)), h.Button(g.Text("Search earlier logs")))),
	)
}

// verdict returns a sentence about the result: the number of logs with a match, and the number of logs that were not
// searched completely.
func (p findPage) verdict() string {
	found, parts := 0, 0
	for _, f := range p.Found {
		if f.Log.Count > 0 {
			found++
		}
		if f.Log.Rest > 0 {
			parts++
		}
	}
	text := fmt.Sprintf("Found in %d of the %d newest logs.", found, p.Searched)
	if p.Filter.Before > 0 {
		text = fmt.Sprintf("Found in %d of the %d newest logs before run %d.", found, p.Searched, p.Filter.Before)
	}
	if parts > 0 {
		text += " Of " + count(parts, "log") + " the beginning was searched."
	}
	return text
}

// found shows the first matching lines of a log.
func (p findPage) found(f foundIn) g.Node {
	ref := refOf(f.Run.Repo, f.Run.Source, f.Run.RunID)
	of := ""
	if len(f.Log.Streams) > 1 {
		of = " " + f.Log.Stream
	}
	hits := f.Log.Hits[:min(findLines, len(f.Log.Hits))]
	return g.Group{
		h.H2(runLink(ref), g.Text(of+" "), result(f.Run.Status), h.Small(g.Text(" "+when(f.Run.Started)))),
		h.Ol(h.Class("hits"), g.Map(hits, func(l line) g.Node {
			return h.Li(link(logPath(ref, f.Log.Stream, l.Number), strconv.Itoa(l.Number)), g.Text(" "),
				g.El("bdi", spansOf(f.Log.marked(l.Spans))))
		})),
		g.If(f.Log.Count > len(hits), h.P(link(f.Log.path(ref, f.Log.Stream, 0), "All "+count(f.Log.Count, "line")))),
		f.Log.rest(ref),
	}
}
