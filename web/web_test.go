package web_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/web"
)

// site serves the pages of a fixture.
func site(t *testing.T, f *querytest.Fixture) *httptest.Server {
	t.Helper()
	s := &web.Site{Name: "blq", Source: func(*http.Request) (web.Source, error) {
		return questions.Local{Asker: f.Asker, Line: cmdline.Words}, nil
	}}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	return server
}

// answered is a response with its body.
type answered struct {
	http.Header
	status int
	body   string
}

func get(t *testing.T, c *http.Client, address string) answered {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
	querytest.Check(t, err)
	answer, err := c.Do(r)
	querytest.Check(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	querytest.Check(t, err)
	return answered{answer.Header, answer.StatusCode, string(body)}
}

func TestPagesShowWhatQuestionsAnswer(t *testing.T) {
	t.Parallel()
	sum := sha256.New()
	for _, name := range []string{"static/blq.css", "static/blq.js"} {
		text, err := os.ReadFile(name)
		querytest.Check(t, err)
		sum.Write(text)
	}
	stamp := fmt.Sprintf("%x", sum.Sum(nil)[:6]) // browsers must not use files of another release
	server := site(t, querytest.New(t))
	for _, tt := range []struct {
		path   string
		status int
		want   []string
	}{
		{"/", 200, []string{`href="/run/build:3"`, "Newest run of each source"}},
		{"/runs?source=build&result=FAIL", 200, []string{"build:1", "build:3"}},
		{"/runs?pr=12", 200, []string{"deploy:6"}},
		{"/runs?pr=0", 400, []string{"pr is"}},
		{"/runs?result=NONSENSE", 400, []string{"no run has the result", "ORPHANED"}},
		{"/tests?show=nonsense", 400, []string{"never_run"}},
		{"/run/build:3", 200, []string{
			"3 new since build:2", "src/main.c:9", "make -j8", "Exit code", `id="L3"`, `class="l error`,
			`data-key="f" href="/run/build:1"`, "build:3 fail", "/static/icon-bad.svg", "/upload/build:3",
			"/sources?source=build",
		}},
		{"/run/build:2", 200, []string{"/static/icon-ok.svg"}},
		{"/run/deploy:6", 200, []string{"/static/icon-going.svg", "running", "data-live", "deploying",
			"data-end", "No errors so far", " so far </dd>", "deploy:6 is running</p>", `class="l" id="L1"`}},
		{"/run/build", 200, []string{"build:3"}},
		{"/run/nope:7", 404, []string{"nope"}},
		{"/run/nope:3", 404, []string{"number 3 is build:3", `Its page: <a href="/run/build:3">build:3</a>`}},
		{"/errors/build:3", 200, []string{"&#39;foo&#39; undeclared", "3 in all"}},
		{"/errors/build:3?severity=warning", 200, []string{"unused variable"}},
		{"/event/build:3:1", 200, []string{"int x = foo + 1;", "<h2>Source", "First seen", `href="/log/build:3?line=3#L3"`, "blq inspect"}},
		{"/fingerprint/" + querytest.BuildEvents()[0].Fingerprint, 200, []string{
			"Since when, and how often", "2 times in 2 runs", "came with <a href=\"/run/build:3\">", "/compare/build:3?with=build%3A2", "Why these are one",
			"/event/build:1:1"}},
		{"/fingerprint/gcc_compile_0123456789abcdef", 404, []string{"may have been removed"}},
		{"/fingerprint/nonsense", 400, []string{"16 hexadecimal digits"}},
		{"/fingerprint/acme/shop@" + querytest.BuildEvents()[0].Fingerprint, 404, []string{"no run has"}},
		{"/uploads", 200, []string{"/upload/build:3", "command line on dev-machine", "gcc (4)", "nothing, although it failed",
			"github, CI", "nothing to report", `1 line of build:3 not understood`}},
		{"/uploads?source=build", 200, []string{"build:1"}},
		{"/uploads?source=nope", 404, []string{"nope"}},
		{"/upload/build:3", 200, []string{"1 line with words of failure", "make: *** [main.o] Error 1",
			`href="/log/build:3?line=9#L9"`}},
		{"/upload/lint:5", 200, []string{"0 lines with words of failure"}},
		{"/upload/nope:9", 404, []string{"nope"}},
		{"/sources", 200, []string{"/sources?source=build&amp;branch=main", "2 of 3 runs red", "median 1 s",
			`aria-label="build:1: fail; build:2: ok; build:3: fail"`}},
		{"/sources?source=build", 200, []string{"Trends of build", "Time of 3 runs, oldest first: from 1 s to 12 s",
			"Errors of 3 runs, oldest first: from 0 errors to 3 errors", "make -j8"}},
		{"/sources?branch=nope", 404, []string{"nope"}},
		{"/log/build:3?line=6", 200, []string{
			`href="/log/build:3?line=3#L3">Previous error`, `href="/log/build:3?line=8#L8">Next error`, "Lines 1 to 9 of 9",
		}},
		{"/log/build:3?line=6", 200, []string{`data-key="N" href="/log/build:3?line=6&amp;new=next"`,
			`data-key="P" href="/log/build:3?line=6&amp;new=previous"`}},
		{"/log/build:3?line=6&new=next", 200, []string{`data-n="8" tabindex="-1"`}},
		{"/log/build:3?new=next", 200, []string{`data-n="3" tabindex="-1"`}},
		{"/log/build:3?line=8&new=previous", 200, []string{`data-n="6" tabindex="-1"`}},
		{"/log/build:3?line=8&new=next", 200, []string{"Compared with build:2, no error is new after line 8."}},
		{"/log/build:1?line=8&new=next", 200, []string{"is called new"}},
		{"/log/build:3?line=8&new=back", 400, []string{"next or previous"}},
		{"/log/build:3?line=10", 404, []string{"9 lines", "not line 10", `id="L9"`}},
		{"/log/build:3?line=x", 400, []string{"number from 1"}},
		{"/log/test:4?stream=stderr", 200, []string{"two on stderr"}},
		{"/search/build:3?q=undeclared", 200, []string{"3 lines", `href="/log/build:3?line=8#L8"`}},
		{"/search/build:3?q=zzz", 200, []string{"0 lines"}},
		{"/search/build:3?q=(&regexp=1", 400, []string{"("}},
		{"/compare/build:3", 200, []string{"3 new, 0 fixed"}},
		{"/after/build:3?line=8", 200, []string{`"running":false`, "Error 1"}},
		{"/raw/build:3", 200, []string{querytest.BuildLog}},
		{"/compare/build:1", 200, []string{"No error is called new", "All errors of the run"}},
		{"/errors/build:3?from=99", 200, []string{"The list ends at 3."}},
		{"/log/build:3?line=99999999999", 400, []string{"number from 1 to 2147483647"}},
		{"/static/", 404, []string{"no such page"}},
		{"/static/blq.js", 200, []string{"addEventListener"}},
		{"/runs", 200, []string{`href="/static/blq.css?` + stamp, `src="/static/blq.js?` + stamp}},
		{"/nowhere", 404, []string{"no such page"}},
	} {
		answer := get(t, server.Client(), server.URL+tt.path)
		body := answer.body
		if answer.status != tt.status {
			t.Errorf("%s: status %d, want %d\n%s", tt.path, answer.status, tt.status, body)
		}
		for _, want := range tt.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %q\n%s", tt.path, want, body)
			}
		}
		if csp := answer.Get("Content-Security-Policy"); strings.Contains(csp, "unsafe") ||
			!strings.Contains(csp, "default-src 'none'") {
			t.Errorf("%s: Content-Security-Policy %q", tt.path, csp)
		}
	}
}

// A request whose method is neither GET nor HEAD gets the status 405 and a page.
func TestPagesTakeOnlyGET(t *testing.T) {
	t.Parallel()
	server := site(t, querytest.New(t))
	for _, path := range []string{"/", "/runs", "/nowhere"} {
		answer, err := server.Client().PostForm(server.URL+path, nil)
		querytest.Check(t, err)
		body, err := io.ReadAll(answer.Body)
		querytest.Check(t, errors.Join(err, answer.Body.Close()))
		if answer.StatusCode != http.StatusMethodNotAllowed || answer.Header.Get("Allow") != "GET, HEAD" ||
			!strings.Contains(string(body), "</main>") {
			t.Errorf("POST %s: status %d, Allow %q\n%s", path, answer.StatusCode, answer.Header.Get("Allow"), body)
		}
	}
}

var href = regexp.MustCompile(`href="(/[^"]*)"`)

// Every link of every page leads to a page. Pages of each kind can be reached through links, without scripts.
func TestLinksLeadToPages(t *testing.T) {
	t.Parallel()
	server := site(t, querytest.New(t))
	seen, open := map[string]bool{"/": true}, []string{"/"}
	for len(open) > 0 {
		path := open[0]
		open = open[1:]
		answer := get(t, server.Client(), server.URL+path)
		if answer.status != http.StatusOK {
			t.Errorf("%s: status %d", path, answer.status)
		}
		if strings.HasPrefix(path, "/raw/") || strings.HasPrefix(path, "/static/") {
			continue
		}
		for _, m := range href.FindAllStringSubmatch(answer.body, -1) {
			if link, _, _ := strings.Cut(strings.ReplaceAll(m[1], "&amp;", "&"), "#"); !seen[link] {
				seen[link] = true
				open = append(open, link)
			}
		}
	}
	for _, want := range []string{"/fingerprint/" + querytest.BuildEvents()[0].Fingerprint, "/upload/build:3",
		"/sources?source=build&branch=main", "/run/build:3", "/event/build:3:1", "/log/build:3?line=3", "/compare/build:3"} {
		if !seen[want] && !seen[strings.Replace(want, "build:3:", "3:", 1)] {
			t.Errorf("no link leads to %s", want)
		}
	}
}

const hostile = "<script>alert(1)</script>\n" +
	"\x1b]8;;javascript:alert(1)\x1b\\click\x1b]8;;\x1b\\\n" +
	"\x1b[31;1mred\x1b[0m \u202eevil\u202c <img src=x onerror=alert(1)>\n" +
	"\"'><svg/onload=alert(1)> {{.Title}} \x00\x07\x1b[2J\x1b[999;999H\r\n" +
	"10%\r50%\r100% done\n"

// Text from a log never becomes markup of the page.
func TestLogsAreText(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	message := `<b onmouseover="alert(1)">bold</b>`
	f.Add(t, querytest.Run{Source: "evil", At: 40, Exit: 1, Log: hostile, Command: "sh -c '<script>x</script>'",
		Events: events(message)})
	server := site(t, f)
	for _, path := range []string{
		"/run/evil:7", "/log/evil:7", "/errors/evil:7", "/event/evil:7:1", "/search/evil:7?q=%3Cscript%3E", "/",
		"/uploads", "/upload/evil:7", "/sources", "/sources?source=evil", "/fingerprint/" + events(message)[0].Fingerprint,
	} {
		body := get(t, server.Client(), server.URL+path).body
		for _, bad := range []string{"<script>alert", "<script>x", "<img src=x", "<svg/onload", "<b onmouse", "javascript:",
			"\u202e", "\x1b", "\x00"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s has %q\n%s", path, bad, body)
			}
		}
	}
	body := get(t, server.Client(), server.URL+"/log/evil:7").body
	for _, want := range []string{`<span class="b c1">red</span>`, "&lt;U+202E&gt;evil", "<bdi>100% done</bdi>"} {
		if !strings.Contains(body, want) {
			t.Errorf("the log lacks %q\n%s", want, body)
		}
	}
}

func TestLongLinesAreCut(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	f.Add(t, querytest.Run{Source: "long", At: 40, Exit: 1, Log: "first\n" + strings.Repeat("x", 1<<20) + "\nlast\n"})
	server := site(t, f)
	body := get(t, server.Client(), server.URL+"/log/long:7?line=2").body
	if len(body) > 64<<10 || !strings.Contains(body, "bytes more") || !strings.Contains(body, `id="L3"`) {
		t.Errorf("%d bytes: %.2000s", len(body), body)
	}
}

// The log of this test changes the colour with each character. The number of coloured parts is limited in pages, in
// answers to the script of a page, and in exported files.
func TestStylesOfAPageAreBounded(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	ref := f.Add(t, querytest.Run{Source: "rainbow", At: 40, Exit: 1,
		Log: strings.Repeat(strings.Repeat("\x1b[31mx\x1b[32my", 500)+"\n", 300)}).Ref().String()
	server := site(t, f)
	text := strings.Repeat("xy", 500)
	pages := map[string]string{}
	for _, path := range []string{"/log/" + ref, "/run/" + ref, "/after/" + ref} {
		pages[path] = get(t, server.Client(), server.URL+path).body
	}
	pages["the file"] = file(t, f, ref)
	for name, body := range pages {
		if n := strings.Count(body, `class="c`) + strings.Count(body, `"c":`); n == 0 || n > 10_010 { // a few other classes begin so, too
			t.Errorf("%s has %d coloured parts, and %d bytes", name, n, len(body))
		}
		if lines := strings.Count(body, text); name != "the file" && lines < 50 {
			t.Errorf("%s has %d lines without colours", name, lines)
		}
	}
}

// The usual time of a run comes from other runs, even while the run goes on. The median of two times is their mean.
func TestUsualTimes(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	for i, took := range []time.Duration{10, 20, 30} {
		f.Add(t, querytest.Run{Source: "timed", At: 40 + i, Took: took * time.Second, Log: "x\n"})
	}
	running := f.Add(t, querytest.Run{Source: "timed", At: 43, Running: true, Log: "x\n"}).Ref().String()
	f.Add(t, querytest.Run{Source: "twice", At: 50, Took: 20 * time.Second, Log: "x\n"})
	f.Add(t, querytest.Run{Source: "twice", At: 51, Took: 40 * time.Second, Log: "x\n"})
	server := site(t, f)
	for path, want := range map[string]string{"/run/" + running: "usually 10 s to 30 s", "/run/timed:9": "usually 10 s to 20 s",
		"/sources?": "median 30 s"} {
		if answer := get(t, server.Client(), server.URL+path); !strings.Contains(answer.body, want) {
			t.Errorf("%s lacks %q: %d %s", path, want, answer.status, answer.body)
		}
	}
}

// A comparison with long lists says that it shows only their beginnings.
func TestLongComparisons(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	f.Add(t, querytest.Run{Source: "long", At: 40, Log: "fine\n"})
	many := make([]store.Event, 250)
	for i := range many {
		many[i] = events("wrong " + strings.Repeat("x", i+1))[0]
		many[i].ID, many[i].LogLine, many[i].LogLineEnd = i+1, i+1, i+1
	}
	f.Add(t, querytest.Run{Source: "long", At: 41, Exit: 1, Log: strings.Repeat("x\n", 250), Events: many})
	server := site(t, f)
	if body := get(t, server.Client(), server.URL+"/compare/long:8").body; !strings.Contains(body, "250 new") ||
		!strings.Contains(body, "The first 200 of 250 are listed.") {
		t.Error(body)
	}
}

// The page with the history of a test names the test. If several tests match, the page lists them.
func TestHistoriesNameTheirTest(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	named := func(name string) store.TestResult {
		return store.TestResult{Test: store.Test{Name: name, File: "a_test.go"}, Attempt: 1}
	}
	f.Add(t, querytest.Run{Source: "named", At: 40, Log: "x\n",
		Tests: []store.TestResult{named("TestNamedOne"), named("TestNamedTwo")}})
	server := site(t, f)
	for path, wants := range map[string][]string{
		"/tests?show=history&test=NamedOne": {"<h2>TestNamedOne in <code>a_test.go</code></h2>", "Runs of the test"},
		"/tests?show=history&test=Named": {"Several tests", `href="/tests?show=history&amp;test=TestNamedOne+a_test.go"`,
			`href="/tests?show=history&amp;test=TestNamedTwo+a_test.go"`},
		"/tests?show=history": {"Name a test", `<option value="history" selected>`},
	} {
		answer := get(t, server.Client(), server.URL+path)
		for _, want := range wants {
			if answer.status != http.StatusOK || !strings.Contains(answer.body, want) {
				t.Errorf("%s lacks %q: %d %s", path, want, answer.status, answer.body)
			}
		}
	}
}

// Tests in several files and repositories may have the same name. Each test whose file is known has a link to its own
// history.
func TestHistoriesOfTestsWithOneName(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	in := func(file string, ended store.TestOutcome) store.TestResult {
		return store.TestResult{Test: store.Test{Name: "test one", File: file}, Attempt: 1, Outcome: ended}
	}
	for i, repo := range []string{"acme/shop", "acme/till"} {
		f.Add(t, querytest.Run{Repo: repo, Source: "unit", At: 40 + i, Exit: 1, Log: "x\n",
			Tests: []store.TestResult{in("a b.py", store.TestFailed), in("c.py", store.TestFailed), in("", store.TestFailed)}})
	}
	server := site(t, f)
	links := regexp.MustCompile(`href="(/tests\?show=history[^"]*)"`)
	for path, want := range map[string]int{"/tests?show=failing&source=unit&repo=acme/till": 3,
		"/tests?show=history&test=test+one&repo=acme/till": 3, "/tests?show=history&test=test+one": 6,
		"/tests?show=grid&source=unit&repo=acme/shop": 3} {
		seen := map[string]bool{}
		for _, m := range links.FindAllStringSubmatch(get(t, server.Client(), server.URL+path).body, -1) {
			to := html.UnescapeString(m[1])
			if answer := get(t, server.Client(), server.URL+to); !seen[to] &&
				strings.Contains(answer.body, "Runs of the test") {
				seen[to] = true
			}
		}
		if len(seen) != want-want/3 { // the tests without a file share their names with the others
			t.Errorf("%s leads to %v", path, seen)
		}
	}
}

// The number of a run is unique only within a repository. So a list of runs of several repositories has only one page.
func TestListsOfSeveralRepositories(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, t.TempDir())}
	for i := range 101 {
		f.Add(t, querytest.Run{Repo: []string{"acme/shop", "acme/till"}[min(i/100, 1)], Source: "build", At: i + 1, Log: "x\n"})
	}
	server := site(t, f)
	for path, pages := range map[string]bool{"/runs": false, "/uploads": false, "/runs?repo=acme/shop": true,
		"/uploads?repo=acme/shop": true} {
		answer := get(t, server.Client(), server.URL+path)
		if strings.Contains(answer.body, `name="before"`) != pages ||
			strings.Contains(answer.body, "newest runs of all repositories") == pages {
			t.Errorf("%s: %d %s", path, answer.status, answer.body)
		}
	}
}

// A link works in only one browser, which may open it again, and under only one host name.
func TestOneLink(t *testing.T) {
	t.Parallel()
	s := &web.Site{Name: "blq", Source: func(*http.Request) (web.Source, error) {
		return questions.Local{Asker: querytest.New(t).Asker, Line: cmdline.Words}, nil
	}}
	var gate http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { gate.ServeHTTP(w, r) }))
	defer server.Close()
	var link string
	gate, link = web.OneLink(s.Handler(), server.URL)
	jar, err := cookiejar.New(nil)
	querytest.Check(t, err)
	mine, other := &http.Client{Jar: jar}, server.Client()
	for _, path := range []string{"/", "/run/build:3", "/raw/build:3", "/open", "/open?key=guess"} {
		if answer := get(t, other, server.URL+path); answer.status != http.StatusUnauthorized {
			t.Errorf("%s without the link: status %d", path, answer.status)
		}
	}
	for range 2 { // the same browser may open the link again
		if answer := get(t, mine, link); answer.status != http.StatusOK {
			t.Errorf("the link: status %d", answer.status)
		}
	}
	if answer := get(t, other, link); answer.status != http.StatusUnauthorized {
		t.Errorf("the link in another browser: status %d", answer.status)
	}
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, server.URL+"/", nil)
	querytest.Check(t, err)
	r.Host = "evil.example"
	answer, err := mine.Do(r)
	querytest.Check(t, err)
	answer.Body.Close()
	if answer.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("under another name: status %d", answer.StatusCode)
	}
}

// If an error has several lines, all of them are marked. The page counts the errors that are not marked: a run may have
// too many, and an error of a report has no line in the log.
func TestLinesOfErrorsAreMarked(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	long := events("assertion failed")
	long[0].LogLine, long[0].LogLineEnd = 2, 4
	f.Add(t, querytest.Run{Source: "long", At: 40, Exit: 1, Log: "1\n2\n3\n4\n5\n", Events: long})
	many := make([]store.Event, 5003)
	for i := range many {
		many[i] = events(fmt.Sprintf("error %d", i))[0]
		many[i].ID, many[i].LogLine, many[i].LogLineEnd = i+1, i+1, i+1
	}
	f.Add(t, querytest.Run{Source: "many", At: 41, Exit: 1, Log: strings.Repeat("x\n", 5003), Events: many})
	server := site(t, f)
	body := get(t, server.Client(), server.URL+"/log/long:7").body
	if n := strings.Count(body, `class="l error"`); n != 3 {
		t.Errorf("%d lines are marked", n)
	}
	reported := events("from a report")
	reported[0].LogLine, reported[0].LogLineEnd = 0, 0
	f.Add(t, querytest.Run{Source: "reported", At: 42, Exit: 1, Log: "1\n", Events: reported})
	for path, want := range map[string]string{"/log/many:8": ": 3 of", "/run/many:8": ": 3 of",
		"/log/reported:9": ": 1 of"} {
		if body := get(t, server.Client(), server.URL+path).body; !strings.Contains(body, "Not marked in the log"+want) {
			t.Errorf("%s does not say what is not marked", path)
		}
	}
}

func TestTestsAndSearchOfLogs(t *testing.T) {
	t.Parallel()
	server := site(t, querytest.New(t))
	for path, want := range map[string]string{
		"/find?q=undeclared":     "Found in ",
		"/find?q=nothing-at-all": "Found in 0 of the ",
		"/tests":                 "No run has results of tests",
		"/tests?show=history":    "history",
		"/run/build:3":           "of the last",
		"/event/build:3:1":       "Since when",
	} {
		answer := get(t, server.Client(), server.URL+path)
		if !strings.Contains(answer.body, want) {
			t.Errorf("%s: %d %s", path, answer.status, answer.body)
		}
	}
	for path, status := range map[string]int{"/tests?show=evil": 400, "/find?q=(&regexp=1": 400,
		"/after/build:3?line=9223372036854775807": 400, "/runs?before=9223372036854775807": 400} {
		if answer := get(t, server.Client(), server.URL+path); answer.status != status {
			t.Errorf("%s: %d %s", path, answer.status, answer.body)
		}
	}
}

// If stdout and stderr are separate, links into the log name the stream.
func TestLinksIntoALogNameItsStream(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	e := querytest.Event(store.SeverityError, "a.c", 1, 1, "it is wrong", 2, 2)
	e.Stream = store.StreamStderr
	of := querytest.Event(store.SeverityError, "b.c", 1, 1, "so is this", 1, 1)
	of.Stream = store.StreamStdout
	ref := f.Add(t, querytest.Run{Source: "apart", At: 100, Exit: 1, Stdout: "b.c:1:1: error: so is this\nfine\nfine\n",
		Log: "begin\na.c:1:1: error: it is wrong\n", Events: []store.Event{e, of}}).Ref().String()
	server := site(t, f)
	for path, wants := range map[string][]string{
		"/run/" + ref:          {"line 2 of stderr", "/log/" + ref + "?stream=stderr&amp;line=2#L2", "line 1 of stdout"},
		"/errors/" + ref:       {"/log/" + ref + "?stream=stderr&amp;line=2#L2", "line 2 of stderr"},
		"/event/" + ref + ":1": {"/log/" + ref + "?stream=stderr&amp;line=2#L2"},
		"/log/" + ref + "?line=2": {`href="/log/` + ref + `?stream=stderr&amp;line=2#L2">Next error`,
			`href="/log/` + ref + `?stream=stdout&amp;line=1#L1">Previous error`, `<div class="l at" id="L2"`,
			`<div class="l error" id="L1"`, "/raw/" + ref + "?stream=stdout", "/after/" + ref + "?stream=stdout"},
		"/log/" + ref + "?stream=stderr&line=2": {`?stream=stdout&amp;line=1#L1">Previous error`,
			`<div class="l error at" id="L2"`, `<div class="l" id="L1"`},
		"/search/" + ref + "?q=wrong":               {"0 lines", "/search/" + ref + "?q=wrong&amp;stream=stderr", "Find it in stderr"},
		"/search/" + ref + "?q=wrong&stream=stderr": {"1 line", "/log/" + ref + "?stream=stderr&amp;line=2#L2"},
		"/find?source=apart&q=wrong":                {"Found in 1 of the 1 newest logs", "?stream=stderr&amp;line=2#L2"},
		"/after/" + ref + "?stream=stderr&line=2":   {"it is wrong"},
		"/fingerprint/" + e.Fingerprint:             {"line 2 of stderr"},
	} {
		body := get(t, server.Client(), server.URL+path).body
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %q\n%s", path, want, body)
			}
		}
	}
	html := file(t, f, ref)
	selfContained(t, html)
	for _, want := range []string{"Lines 1 to 3 of 3 of stdout", "--stream stdout", "1 more errors are not in this file"} {
		if !strings.Contains(html, want) {
			t.Errorf("the file lacks %q\n%s", want, html)
		}
	}
}
