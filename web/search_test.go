package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/web"
)

// endless answers each search like a log that takes long to search. Each answer covers only one line.
type endless struct {
	questions.Local
	turns    *int
	boundary func(query.OutputParams)
}

func (e endless) Output(ctx context.Context, p query.OutputParams) (query.Output, error) {
	if p.Grep == "" {
		return e.Local.Output(ctx, p)
	}
	*e.turns++
	e.boundary(p)
	return query.Output{RestFrom: p.From + 1, RestTo: 1_000_000}, nil
}

// A long search takes several turns, and then stops. The page names the lines that were not searched.
func TestLongSearches(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	turns := 0
	s := &web.Site{Name: "blq", Source: func(*http.Request) (web.Source, error) {
		return endless{questions.Local{Asker: f.Asker, Line: cmdline.Words}, &turns, func(p query.OutputParams) {
			if p.MaxBytes == 0 {
				t.Errorf("a turn without a bound: %+v", p)
			}
		}}, nil
	}}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	for path, want := range map[string][]string{
		"/search/build:3?q=a%26b&regexp=1": {"0 lines from line 1 on to line 10",
			`href="/search/build:3?from=11&amp;q=a%26b&amp;regexp=1"`},
		"/search/build:3?q=x&from=11": {"0 lines from line 11 on to line 20", "Search on from line 21"},
		"/find?q=x&source=build": {"Found in 0 of the 3 newest logs. Of 3 logs the beginning was searched.",
			`href="/search/build:3?from=2&amp;q=x"`},
	} {
		answer := get(t, server.Client(), server.URL+path)
		for _, text := range want {
			if !strings.Contains(answer.body, text) {
				t.Errorf("%s lacks %q: %d %s", path, text, answer.status, answer.body)
			}
		}
	}
	if turns > 10+10+3 {
		t.Errorf("%d turns", turns)
	}
}

// If each turn of a search finds many lines, the search still finds all lines.
func TestSearchesOfSeveralTurnsFindAll(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	f.Add(t, querytest.Run{Source: "many", At: 40, Exit: 1, Log: strings.Repeat(strings.Repeat("x", 1000)+"\n", 50_000)})
	f.Add(t, querytest.Run{Source: "wide", At: 41, Exit: 1, Log: strings.Repeat(strings.Repeat("x", 50_000)+"\n", 300)})
	for name, want := range map[string]string{"many": "50000 lines, the first 200", "wide": "300 lines, the first 200"} {
		answer := get(t, site(t, f).Client(), site(t, f).URL+"/search/"+name+"?q=x")
		if !strings.Contains(answer.body, want) || strings.Contains(answer.body, "Search on") {
			t.Errorf("%s: %d %.3000s", name, answer.status, answer.body)
		}
	}
}

// What was searched for is marked in the lines that were found.
func TestMatchesAreMarked(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	f.Add(t, querytest.Run{Source: "some", At: 40, Exit: 1, Log: "a needle, <b>, and a needle\nx" +
		strings.Repeat("x", 2000) + "needle\nnone\n" + strings.Repeat("ä", 1000) + "\n"})
	server := site(t, f)
	for query, want := range map[string][]string{
		"q=needle":            {"a <mark>needle</mark>, &lt;b&gt;, and a <mark>needle</mark>", "xneedle"},
		"q=%3Cb%3E":           {"needle, <mark>&lt;b&gt;</mark>, and"},
		"q=n.%2B?e,&regexp=1": {"a <mark>needle,</mark> "},
		"q=%C3%A4.*&regexp=1": {"<mark>" + strings.Repeat("ä", 512) + "</mark>ä"},
		"q=x*&regexp=1":       {"a needle, &lt;b", "<mark>xxx"},
		"q=(needle%7Cx%7B90%7D)x%7B0,90%7D&regexp=1": {"a needle, &lt;b"}, // too large to be marked
	} {
		for _, page := range []string{"/search/some:7?", "/find?source=some&"} {
			answer := get(t, server.Client(), server.URL+page+query)
			for _, text := range want {
				if !strings.Contains(answer.body, text) {
					t.Errorf("%s%s: no %s in %s", page, query, text, answer.body)
				}
			}
		}
	}
}

func TestSearchesOfNoText(t *testing.T) {
	t.Parallel()
	server := site(t, querytest.New(t))
	for query, want := range map[string]string{
		"q=%FF": "the text to search for is not valid UTF-8", "q=%FF&regexp=1": "is not valid UTF-8",
		"q=(&regexp=1": "missing closing )", "q=a%00b": "0 lines", "q=%EF%BF%BD": "0 lines", "q=%0A": "0 lines",
	} {
		status := http.StatusOK
		if !strings.HasPrefix(want, "0") {
			status = http.StatusBadRequest
		}
		for _, page := range []string{"/search/build:3?", "/find?"} {
			answer := get(t, server.Client(), server.URL+page+query)
			if answer.status != status || page != "/find?" && !strings.Contains(answer.body, want) {
				t.Errorf("%s%s: %d %s", page, query, answer.status, answer.body)
			}
		}
	}
}
