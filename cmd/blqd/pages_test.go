//go:build unix

package main

import (
	"crypto/sha256"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/mcp/mcptest"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// office is a service with pages. People reach it over HTTPS and sign in with GitHub.
type office struct {
	*world
	front  *httptest.Server
	github *githubtest.GitHub
	ids    int64
}

func newOffice(t *testing.T, database string, change ...func(*Config)) *office {
	t.Helper()
	o := &office{github: githubtest.New(t)}
	var back http.Handler
	o.front = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		back.ServeHTTP(w, r)
	}))
	t.Cleanup(o.front.Close)
	o.github.SignIns("client", "client secret", o.front.URL+"/ui/signed-in")
	o.world = newWorldWith(t, database, func(c *Config) {
		c.PublicURL, c.GitHubAPI, c.Client, c.ClientSecret = o.front.URL, o.github.URL, "client", "client secret"
		for _, f := range change {
			f(c)
		}
	})
	to, err := url.Parse(o.url)
	check(t, err)
	back = httputil.NewSingleHostReverseProxy(to)
	return o
}

// enrol enrols a repository and lets readers read it on GitHub. Without readers the repository is public.
func (o *office) enrol(name string, readers ...string) {
	o.Helper()
	o.ids++
	if len(readers) == 0 {
		o.github.Public(name, o.ids)
	} else {
		o.github.Repo(name, o.ids, readers...)
	}
	_, err := o.places.store.EnrolRepo(o.Context(), store.EnrolledRepo{
		Host: github.HostOf(o.github.URL), ID: o.ids, Name: name, DefaultBranch: "main", Public: len(readers) == 0})
	check(o.T, err)
}

// browser is a client of the pages with its own cookies.
type browser struct {
	*office
	client *http.Client
}

func (o *office) browser() *browser {
	jar, err := cookiejar.New(nil)
	check(o.T, err)
	return &browser{o, &http.Client{Jar: jar, Transport: o.front.Client().Transport}}
}

// person returns the browser of a person who has signed in.
func (o *office) person(name string) *browser {
	o.Helper()
	b := o.browser()
	o.github.Browses(name)
	if status, text, _ := b.get("/ui/sign-in?to=/"); status != http.StatusOK || !strings.Contains(text, name) {
		o.Fatalf("signing in: %d %s", status, text)
	}
	return b
}

// arrival is an answer whose body was read.
type arrival struct{ *http.Response }

func (b *browser) get(path string) (status int, body string, last arrival) {
	b.Helper()
	return b.send("GET", path, nil)
}

func (b *browser) send(method, path string, form url.Values, header ...string) (
	status int, body string, last arrival) {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), method, b.front.URL+path, strings.NewReader(form.Encode()))
	check(b.T, err)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := b.client.Do(r)
	check(b.T, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	check(b.T, err)
	return resp.StatusCode, string(text), arrival{resp}
}

var hrefs = regexp.MustCompile(`(?:href|data-after)="(/ui/[^"#]*)`)

// crawl returns the paths of all linked pages, at most max of each kind.
func (b *browser) crawl(max int) []string {
	b.Helper()
	open, seen, kinds := []string{"/ui/"}, map[string]bool{"/ui/": true}, map[string]int{}
	for i := 0; i < len(open); i++ {
		_, text, _ := b.get(open[i])
		if strings.HasPrefix(open[i], "/ui/raw/") {
			continue
		}
		for _, m := range hrefs.FindAllStringSubmatch(text, -1) {
			path := html.UnescapeString(m[1])
			kind := kindOf(path)
			if !seen[path] && kinds[kind] < max {
				seen[path] = true
				kinds[kind]++
				open = append(open, path)
			}
		}
	}
	return open
}

// kindOf returns the kind of page for a path.
func kindOf(path string) string {
	kind, _, _ := strings.Cut(strings.TrimPrefix(path, "/ui/"), "/")
	kind, _, _ = strings.Cut(kind, "?")
	return kind
}

// personal matches the parts of a page that differ between browsers, and between servers.
var personal = regexp.MustCompile(`<input type="hidden" name="key" value="[^"]*">|https://127\.0\.0\.1:\d+`)

// page returns the status, headers, address and text of a page, without what differs between requests, browsers or
// servers.
func (b *browser) page(path string) string {
	b.Helper()
	status, text, last := b.get(path)
	for _, name := range []string{"Date", "X-Request-Id", "Content-Length"} { // the length counts the personal parts
		last.Header.Del(name)
	}
	return fmt.Sprint(status, " ", last.Header, " ", last.Request.URL.RequestURI(), "\n",
		personal.ReplaceAllString(text, ""))
}

// A person who may not read a repository gets exactly the same pages as if it did not exist.
func TestPagesTellNothingOfForeignRepositories(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func() string{
		"sqlite": func() string { return "" }, "postgres": func() string { return pgtest.Copy(t, migrated) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both, alone := newOffice(t, database()), newOffice(t, database())
			mcptest.SeedMine(t, both.fixture())
			mcptest.SeedTheirs(t, both.fixture())
			mcptest.SeedMine(t, alone.fixture())
			for _, o := range []*office{both, alone} {
				o.enrol(mcptest.Mine, "ann", "bob")
			}
			both.enrol(mcptest.Theirs, "bob")
			ann, her, bob := both.person("ann"), alone.person("ann"), both.person("bob")
			told := map[string]bool{}
			paths := append(bob.crawl(40), "/ui/search/"+mcptest.Theirs+"@build:1?q=make", "/ui/run/"+mcptest.Theirs+"@999",
				"/ui/runs?repo="+mcptest.Theirs, "/ui/find?q=hidden", "/ui/find?q=make&repo="+mcptest.Theirs,
				"/ui/tests?show=history&test=hidden", "/ui/tests?repo="+mcptest.Theirs, "/ui/sources?repo="+mcptest.Theirs,
				"/ui/uploads?repo="+mcptest.Theirs, "/ui/upload/"+mcptest.Theirs+"@build:1", "/ui/fingerprint/0123456789abcdef",
				"/ui/run/"+mcptest.Theirs+"@build", "/ui/log/"+mcptest.Theirs+"@build:L1", "/ui/log/"+mcptest.Theirs+"@1:L1",
				"/ui/compare/"+mcptest.Mine+"@build?with="+mcptest.Theirs+"@build:1", "/ui/repo/"+mcptest.Theirs+"/",
				"/ui/tests?show=grid&repo="+mcptest.Theirs, "/ui/runs?before=9&repo="+mcptest.Theirs,
				"/ui/sources?source=build&repo="+mcptest.Theirs, "/ui/after/"+mcptest.Theirs+"@build:1?line=2")
			for _, path := range paths {
				got := ann.page(path)
				if diff := cmp.Diff(her.page(path), got); diff != "" {
					t.Errorf("%s tells of a foreign repository (-without it +with it):\n%.2000s", path, diff)
				}
				if strings.ReplaceAll(bob.page(path), "bob", "ann") != got {
					told[kindOf(path)] = true
				}
			}
			for _, kind := range []string{"", "repo", "runs", "run", "errors", "event", "log", "search", "raw", "compare",
				"find", "fingerprint", "uploads", "upload", "sources"} {
				if !told[kind] {
					t.Errorf("no page %q of %d tells its owner anything: the test says nothing of it", kind, len(paths))
				}
			}
		})
	}
}

// The links to lists stay in the repository that a page is about.
func TestListsStayInTheRepository(t *testing.T) {
	t.Parallel()
	o := newOffice(t, "")
	o.enrol(mcptest.Mine, "ann")
	mcptest.SeedMine(t, o.fixture())
	ann := o.person("ann")
	_, _, last := ann.get("/ui/run/" + mcptest.Mine + "@build")
	run := strings.TrimPrefix(last.Request.URL.Path, "/ui/run/")
	of := "?repo=" + url.QueryEscape(mcptest.Mine)
	for _, path := range []string{"/ui/repo/" + mcptest.Mine, "/ui/run/" + run, "/ui/log/" + run, "/ui/upload/" + run,
		"/ui/tests" + of, "/ui/sources" + of, "/ui/find" + of, "/ui/uploads" + of, "/ui/runs" + of} {
		_, text, _ := ann.get(path)
		for _, want := range []string{`href="/ui/repo/` + mcptest.Mine + `"`, `href="/ui/runs` + of + `"`,
			`href="/ui/sources` + of, `href="/ui/tests` + of, `href="/ui/find` + of, `href="/ui/uploads` + of} {
			if head, _, _ := strings.Cut(text, "</header>"); !strings.Contains(head, want) {
				t.Errorf("%s: no %s in %s", path, want, head)
			}
		}
	}
	if _, text, _ := ann.get("/ui/repo/" + mcptest.Mine); !strings.Contains(text, ">build:1</a>") {
		t.Errorf("the page of a repository repeats its name: %s", text)
	}
	if _, text, _ := ann.get("/ui/runs"); !strings.Contains(text, ">"+mcptest.Mine+"@build:1</a>") {
		t.Errorf("the list of all runs does not name the repository: %s", text)
	}
	if _, text, _ := ann.get("/ui/tests" + of); !strings.Contains(text, "<h1>Tests in "+mcptest.Mine+"</h1>") {
		t.Error("the title of a list does not name the repository")
	}
}

func TestPeopleSignInAndOut(t *testing.T) {
	t.Parallel()
	o := newOffice(t, "")
	o.enrol(mcptest.Mine, "ann")
	mcptest.SeedMine(t, o.fixture())
	ann := o.browser()
	status, text, _ := ann.get("/ui/repo/" + mcptest.Mine)
	if status != http.StatusUnauthorized || !strings.Contains(text, "/ui/sign-in?to=") || strings.Contains(text, "build") {
		t.Fatalf("without signing in: %d %s", status, text)
	}
	o.github.Browses("ann")
	signIn := html.UnescapeString(regexp.MustCompile(`/ui/sign-in\?[^"]*`).FindString(text))
	status, text, last := ann.get(signIn)
	if status != http.StatusOK || last.Request.URL.Path != "/ui/repo/"+mcptest.Mine || !strings.Contains(text, "build") {
		t.Fatalf("after signing in: %s, %d %s", last.Request.URL, status, text)
	}
	if _, text, _ := ann.get("/ui/run/" + mcptest.Mine + "@build:1"); !strings.Contains(text,
		"blq output "+mcptest.Mine+"@build:1 --tail 200 --remote="+o.front.URL) {
		t.Errorf("the commands of the prompt ask no server: %s", text)
	}
	for name, want := range map[string]string{
		"Cache-Control": "no-store", "Content-Security-Policy": "frame-ancestors 'none'",
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"} {
		if got := last.Header.Get(name); !strings.Contains(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	key := regexp.MustCompile(`name="key" value="([^"]*)"`).FindStringSubmatch(text)[1]
	for _, form := range []url.Values{{}, {"key": {""}}, {"key": {"guess"}}} {
		if status, _, _ := ann.send("POST", "/ui/sign-out", form); status != http.StatusForbidden {
			t.Errorf("signing out with %v: %d", form, status)
		}
	}
	other := o.person("ann")
	old := &browser{o, &http.Client{Jar: cookies{ann.client.Jar.Cookies(ann.address())}, Transport: ann.client.Transport}}
	if status, _, _ := ann.send("POST", "/ui/sign-out", url.Values{"key": {key}}); status != http.StatusUnauthorized {
		t.Errorf("signed out: %d", status)
	}
	if status, _, _ := old.get("/ui/"); status != http.StatusUnauthorized {
		t.Errorf("a cookie of before: %d", status)
	}
	if status, _, _ := other.get("/ui/"); status != http.StatusOK {
		t.Errorf("another browser of hers: %d", status)
	}
}

// Other sites cannot show an answer below /ui in a frame. No cache stores it, and browsers do not guess its type.
// Static files are exempt. Redirects lead only to the service and to GitHub.
func TestEveryAnswerOfPagesIsGuarded(t *testing.T) {
	t.Parallel()
	o := newOffice(t, "")
	o.enrol(mcptest.Mine, "ann")
	mcptest.SeedMine(t, o.fixture())
	ann, nobody := o.person("ann"), o.browser()
	for _, b := range []*browser{ann, nobody} {
		b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		for _, to := range []string{"GET /ui", "GET /ui/", "GET /ui/nope", "GET /ui/static/", "GET /ui/static/nope.js",
			"GET /ui/sign-in", "GET /ui/signed-in", "GET /ui/signed-in?code=x&state=y", "POST /ui/sign-out", "GET /ui/sign-out",
			"POST /ui/runs", "PUT /ui/", "GET /ui//evil.example", "GET /ui/run/x//..//y", `GET /ui/\evil.example`,
			"GET /ui/run/" + mcptest.Mine + "@build", "GET /ui/raw/" + mcptest.Mine + "@build", "GET /ui/log/%00",
			"GET /ui/run/" + mcptest.Theirs + "@build:1", "GET /ui/runs?pr=x", "OPTIONS /ui/runs"} {
			method, path, _ := strings.Cut(to, " ")
			status, text, last := b.send(method, path, url.Values{})
			if refused := status == http.StatusMethodNotAllowed; refused && (!strings.Contains(text, "</main>") ||
				last.Header.Get("Allow") == "") || method == "PUT" && !refused {
				t.Errorf("%s: %d, Allow %q: %.200s", to, status, last.Header.Get("Allow"), text)
			}
			for name, want := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
				"Content-Security-Policy": "frame-ancestors 'none'", "Referrer-Policy": "no-referrer"} {
				if got := last.Header.Get(name); !strings.Contains(got, want) && path != "/ui/static/nope.js" {
					t.Errorf("%s: %d, %s %q", to, status, name, got)
				}
			}
			if at, err := last.Location(); err == nil && at.Host != o.address().Host &&
				!strings.HasPrefix(at.String(), o.github.URL) {
				t.Errorf("%s leads to %s", to, at)
			}
		}
	}
}

func (o *office) address() *url.URL {
	u, err := url.Parse(o.front.URL)
	check(o.T, err)
	return u
}

// cookies is the cookie jar of a thief. It never changes.
type cookies struct{ list []*http.Cookie }

func (cookies) SetCookies(*url.URL, []*http.Cookie) {}
func (c cookies) Cookies(*url.URL) []*http.Cookie   { return c.list }

func TestSignInCookies(t *testing.T) {
	t.Parallel()
	o := newOffice(t, "")
	o.enrol(mcptest.Mine, "ann")
	b := o.browser()
	o.github.Browses("ann")
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	_, _, began := b.get("/ui/sign-in?to=//evil.example/")
	_, _, agreed := b.follow(began)
	_, _, back := b.follow(agreed)
	if to := back.Header.Get("Location"); to != "/ui/" {
		t.Errorf("after signing in the browser goes to %q", to)
	}
	for _, c := range slices.Concat(began.Cookies(), back.Cookies()) {
		if !strings.HasPrefix(c.Name, "__Host-") || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode ||
			c.Path != "/" || c.Domain != "" {
			t.Errorf("cookie %s", c)
		}
	}
	if status, _, _ := b.follow(agreed); status != http.StatusForbidden {
		t.Errorf("GitHub's answer a second time: %d", status)
	}
	other := o.browser()
	other.client.CheckRedirect = b.client.CheckRedirect
	if status, _, last := other.follow(agreed); status != http.StatusForbidden || len(last.Cookies()) > 0 {
		t.Errorf("GitHub's answer in another browser: %d %v", status, last.Cookies())
	}
}

// follow requests the address to which an answer redirects. It returns a body only if the service has this address.
func (b *browser) follow(answer arrival) (status int, body string, last arrival) {
	b.Helper()
	to, err := answer.Location()
	check(b.T, err)
	if to.Host == b.address().Host {
		return b.get(to.RequestURI())
	}
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, to.String(), nil)
	check(b.T, err)
	resp, err := b.client.Do(r)
	check(b.T, err)
	resp.Body.Close()
	return resp.StatusCode, "", arrival{resp}
}

func TestReturnPathsStayHere(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]string{
		"/run/a/b@build:1": "/run/a/b@build:1", "/runs?branch=x": "/runs?branch=x", "": "/", "//evil.example": "/",
		"https://evil.example/": "/", `/\evil.example`: "/", "/\t/evil.example": "/", "evil": "/", "javascript:alert(1)": "/",
	} {
		if got := pathHere(to); got != want {
			t.Errorf("%q leads to %q, want %q", to, got, want)
		}
	}
}

func TestForgedSignIns(t *testing.T) {
	t.Parallel()
	o := newOffice(t, "")
	o.enrol(mcptest.Mine, "ann")
	ann := o.person("ann")
	secret := ann.client.Jar.Cookies(ann.address())[0].Value
	for _, forged := range []string{"x", secret[1:] + "x", strings.ToUpper(secret), secret + "=", "../" + secret} {
		thief := o.browser()
		if status, text, _ := thief.send("GET", "/ui/", nil, "Cookie", cookieSignedIn+"="+forged); status != 401 {
			t.Errorf("%q: %d %s", forged, status, text)
		}
	}
	if status, _, _ := o.browser().send("GET", "/v1/status", nil, "Cookie", cookieSignedIn+"="+secret); status != 401 {
		t.Errorf("the API takes a browser's cookie: %d", status)
	}
}

// Somebody who reads the database finds neither the browser's secret nor GitHub's token.
func TestSignInsAreStoredSealed(t *testing.T) {
	t.Parallel()
	o := newOffice(t, "")
	o.enrol(mcptest.Mine, "ann")
	ann := o.person("ann")
	stored, err := o.places.store.SignIn(o.Context(), hashOf(ann.client.Jar.Cookies(ann.address())[0].Value))
	check(t, err)
	if stored.Person != "ann" || strings.Contains(string(stored.Sealed), "ghu_") ||
		time.Until(stored.ExpiresAt) > 12*time.Hour {
		t.Errorf("stored: %+v", stored)
	}
}

func TestPublicPages(t *testing.T) {
	t.Parallel()
	o := newOffice(t, "", func(c *Config) { c.PublicPages = true })
	o.enrol(mcptest.Mine)
	o.enrol(mcptest.Theirs, "bob")
	mcptest.SeedMine(t, o.fixture())
	mcptest.SeedTheirs(t, o.fixture())
	anybody := o.browser()
	status, text, _ := anybody.get("/ui/")
	if status != http.StatusOK || !strings.Contains(text, mcptest.Mine) || strings.Contains(text, mcptest.Theirs) {
		t.Errorf("for everybody: %d %s", status, text)
	}
	foreign, missing := anybody.page("/ui/repo/"+mcptest.Theirs), anybody.page("/ui/repo/acme/nosuch")
	replaced := strings.NewReplacer("acme/nosuch", mcptest.Theirs, "acme%2Fnosuch", url.QueryEscape(mcptest.Theirs))
	if !strings.HasPrefix(foreign, "404 ") || replaced.Replace(missing) != foreign {
		t.Errorf("foreign: %s\nmissing: %s", foreign, missing)
	}
	if status, _, _ := anybody.get("/v1/status"); status != http.StatusUnauthorized {
		t.Errorf("the API: %d", status)
	}
}

func hashOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// The name of a source may look like a path, or may not be valid UTF-8. The links to the runs of the source still work.
func TestPagesOfSourcesThatLookLikePaths(t *testing.T) {
	t.Parallel()
	o := newOffice(t, "")
	o.enrol(mcptest.Mine, "ann")
	f, ann := o.fixture(), o.person("ann")
	for i, source := range []string{"a/../build", "x//y", "/abs", "./here", "../a", "a/..", "a/.", "a/", "\u00e9",
		"a\xff"} {
		f.Add(t, querytest.Run{Repo: mcptest.Mine, Source: source, At: i, Exit: 1, Log: "It is run " + strconv.Itoa(i) +
			".\n"})
		_, list, _ := ann.get("/ui/repo/" + mcptest.Mine)
		path := html.UnescapeString(regexp.MustCompile(`/ui/run/[^"]*`).FindString(list))
		for _, page := range []string{"run", "log", "raw", "upload", "errors", "compare", "search"} {
			status, text, _ := ann.get(strings.Replace(path, "/run/", "/"+page+"/", 1))
			if status != http.StatusOK || page == "log" && !strings.Contains(text, "It is run "+strconv.Itoa(i)) {
				t.Errorf("%q, %s of %s: %d %.300s", source, page, path, status, text)
			}
		}
	}
}

// If a person edits a URL or follows a broken link, the service answers with a page, and never with a server error.
func TestBadInputGetsAPage(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func() string{
		"sqlite": func() string { return "" }, "postgres": func() string { return pgtest.Copy(t, migrated) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, database())
			o.enrol(mcptest.Mine, "ann")
			mcptest.SeedMine(t, o.fixture())
			ann := o.person("ann")
			run := mcptest.Mine + "@build:1"
			var paths []string
			for _, bad := range []string{"%FF", "a%00b", "%ED%A0%80", "-1", "0", "99999999999999999999", "..",
				"%27%3B--", strings.Repeat("x", 3000), "(", "%5C", "~1", "a@b@c", "1:1:1:1"} {
				for _, page := range []string{"run", "log", "errors", "event", "search", "raw", "compare", "after", "upload",
					"fingerprint",
					"repo/acme", "static"} {
					paths = append(paths, page+"/"+bad, page+"/"+mcptest.Mine+"@"+bad, page+"/"+run+":"+bad)
				}
				for _, with := range []string{"search/" + run + "?q=", "search/" + run + "?regexp=1&q=", "find?q=",
					"find?regexp=1&q=",
					"find?q=make&source=", "find?q=make&branch=", "find?q=make&repo=", "log/" + run + "?line=", "log/" + run +
						"?stream=",
					"log/" + run + "?new=", "search/" + run + "?q=x&from=", "search/" + run + "?q=x&stream=", "raw/" + run +
						"?stream=",
					"after/" + run + "?line=", "compare/" + run + "?with=", "errors/" + run + "?severity=", "errors/" + run +
						"?from=",
					"runs?source=", "runs?branch=", "runs?commit=", "runs?result=", "runs?pr=", "runs?before=", "runs?repo=",
					"tests?show=", "tests?show=history&test=", "tests?source=", "tests?branch=", "tests?repo=",
					"tests?show=grid&source=",
					"tests?show=grid&branch=", "tests?show=flaky&test=", "sources?source=", "sources?branch=", "sources?repo=",
					"uploads?source=", "uploads?before=", "uploads?repo=", "upload/" + run + "?from=", "upload/" + run + "?stream="} {
					paths = append(paths, with+bad)
				}
			}
			for _, path := range paths {
				status, text, last := ann.get("/ui/" + path)
				kind := last.Header.Get("Content-Type")
				page := strings.HasPrefix(kind, "text/html") && strings.Contains(text, "</main>")
				if status >= 500 || status != http.StatusOK && !page && !strings.HasPrefix(path, "static") {
					t.Errorf("%s: %d %s %.200s", path, status, kind, text[max(0, strings.Index(text, "<main")):])
				}
			}
		})
	}
}

// The service reserves memory for a request for a raw log. If there can never be enough memory, the service
// refuses the request with a page.
func TestReadersOfRawLogsHoldMemory(t *testing.T) {
	t.Parallel()
	for mb, want := range map[int]int{2: http.StatusRequestEntityTooLarge, 16: http.StatusOK} {
		o := newOffice(t, "", func(c *Config) { c.Limits.MemoryMB = mb })
		o.enrol(mcptest.Mine, "ann")
		mcptest.SeedMine(t, o.fixture())
		status, text, last := o.person("ann").get("/ui/raw/" + mcptest.Mine + "@build:1")
		if status != want || want != http.StatusOK && !strings.Contains(text, "</main>") {
			t.Errorf("with %d MB: %d %v %.300s", mb, status, last.Header, text)
		}
	}
}
