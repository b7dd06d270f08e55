package github_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/store"
)

// says returns a handler that answers with a status and a text.
func says(status int, text string, header ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text) // fails only if the client is gone
	})
}

func TestRefusalsHaveTheirCode(t *testing.T) {
	codes := map[int]store.Code{400: store.Invalid, 401: store.Unauthorized, 403: store.Forbidden, 404: store.NotFound,
		409: store.Conflict, 410: store.NotFound, 413: store.TooLarge, 422: store.Invalid, 429: store.RateLimited,
		451: store.NotFound, 500: store.Unavailable, 502: store.Unavailable, 503: store.Unavailable}
	bodies := map[string]string{
		"JSON":    `{"message": "Validation Failed", "errors": [{"resource": "Issue", "field": "body", "code": "missing"}]}`,
		"HTML":    "<html><title>Unicorn!</title></html>",
		"nothing": "",
		"cut off": `{"message": "Validation F`,
		"endless": `{"message": "` + strings.Repeat("x", 10<<20) + `"}`,
	}
	p := newPlace(t)
	c := p.client(github.Config{API: p.github.URL, Token: p.github.Job(shop, "pull-requests: read"), Patience: -1})
	for status, code := range codes {
		for name, body := range bodies {
			t.Run(fmt.Sprintf("%d, %s", status, name), func(t *testing.T) {
				p.github.Fault("GET ", 1, says(status, body))
				_, err := c.Comments(t.Context(), shop, 7)
				refused(t, err, code)
				if text := err.Error(); len(text) > 700 {
					t.Errorf("an error of %d bytes", len(text))
				} else if status == 422 && name == "JSON" && !strings.Contains(text,
					`422 Unprocessable Entity: Validation Failed {"resource": "Issue", "field": "body", "code": "missing"}`) {
					t.Errorf("%q does not have the field", text)
				}
				if _, again := store.RetryAfter(err); again != (status == 429 || status >= 500) {
					t.Errorf("%v: tried again: %v", err, again)
				}
			})
		}
	}
}

func TestWhatIsNoAnswerIsNotTakenForNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		answer http.Handler
		words  string
	}{
		"nothing":         {says(200, ""), "cannot be read"},
		"HTML":            {says(200, "<html>Sign in to the proxy</html>"), "cannot be read"},
		"accepted":        {says(202, `{"message": "at work"}`), "202 Accepted"},
		"no redirect":     {says(302, "[]"), "302 Found"},
		"not modified":    {says(304, ""), "304 Not Modified"},
		"another page":    {says(200, "[]", "Link", `<https://x.example/?per_page=1>; rel="next"`), "does not say its page"},
		"an unknown page": {says(200, "[]", "Link", `<https://x.example/%zz?page=2>; rel="next"`), "does not say its page"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, "pull-requests: read")
			p.github.Fault("GET ", 1, tt.answer)
			_, err := p.Comments(t.Context(), shop, 7)
			refused(t, err, store.Unavailable, tt.words)
			if _, again := store.RetryAfter(err); !again {
				t.Error("it is not tried again")
			}
		})
	}
}

func TestLinksLeadToNoOtherPlace(t *testing.T) {
	p := newPlace(t, "pull-requests: read")
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was asked", r.URL)
	}))
	defer elsewhere.Close()
	for range 130 {
		p.github.AddComment(shop, 7, "octocat", "x")
	}
	const first = `[{"id": 1, "body": "first", "user": null}]`
	for _, link := range []string{
		`<%s/user?page=2>; rel="next"`,
		`<%[1]s/a,b;c?page=1>; rel="prev", <%[1]s/x?q=a,b&page=2>; title="1"; rel="next", <%[1]s?page=9>; rel="last"`,
		`<%[1]s?page=9>; rel="last",<%[1]s?page=2>;rel=next`,
	} {
		p.github.Fault("GET ", 1, says(200, first, "Link", fmt.Sprintf(link, elsewhere.URL)))
		list, err := p.Comments(t.Context(), shop, 7)
		if check(t, err); len(list) != 31 || list[0].Body != "first" || list[0].Author != "" {
			t.Errorf("%s: %d comments", link, len(list))
		}
	}
	for _, link := range []string{`<%s?page=1>; rel="prev"`, `%s; rel="next"`, "<", `rel="next"`, "<%s?page=2"} {
		p.github.Fault("GET ", 1, says(200, first, "Link", strings.ReplaceAll(link, "%s", elsewhere.URL)))
		list, err := p.Comments(t.Context(), shop, 7)
		if check(t, err); len(list) != 1 {
			t.Errorf("%s: %d comments", link, len(list))
		}
	}
	p.github.Asked()
	p.github.Fault("GET ", 1000, says(200, first, "Link", "<"+p.github.URL+`?page=1>; rel="next"`))
	_, err := p.Comments(t.Context(), shop, 7)
	refused(t, err, store.TooLarge)
	if n := p.github.Asked()["/repos/acme/shop/issues/7/comments"]; n != 100 {
		t.Errorf("GitHub was asked %d times", n)
	}
}

func TestRedirects(t *testing.T) {
	p := newPlace(t, "pull-requests: write")
	p.github.Asked()
	p.github.Fault("GET ", 1000, http.RedirectHandler("/again", http.StatusFound))
	_, err := p.Comments(t.Context(), shop, 7)
	refused(t, err, store.Unavailable, "redirects without end")
	if n := p.github.Asked()["/again"]; n != 4 {
		t.Errorf("followed %d times", n)
	}
	c := p.github.AddComment(shop, 7, "octocat", "x")
	p.github.Fault("DELETE ", 1, http.RedirectHandler("/user", http.StatusMovedPermanently))
	refused(t, p.DeleteComment(t.Context(), shop, c.ID), store.Unavailable, "redirects a DELETE to a GET")
	if n := p.github.Asked()["/user"]; n != 0 {
		t.Error("it was followed")
	}
}

func TestPathsStayWhereTheyBelong(t *testing.T) {
	p := newPlace(t, "contents: write", "checks: read", "pull-requests: read")
	p.github.Asked()
	for _, file := range []string{"", "..", "../x", "a/../../../user", ".", "./x", "a/./b", "a//b", "/a", "a/"} {
		if text, err := p.File(t.Context(), shop, file, "main"); err == nil {
			t.Errorf("%q is %q", file, text)
		}
	}
	for _, repo := range []string{"../..", "./.", "acme/..", "acme/.", "acme%2f/x"} {
		_, err := p.File(t.Context(), repo, "x", "main")
		refused(t, err, store.NotFound)
	}
	if asked := p.github.Asked(); len(asked) != 0 {
		t.Errorf("GitHub was asked %v", asked)
	}
	var paths []string
	p.github.Fail(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.RequestURI())
		githubtest.Broken(http.StatusNotFound).ServeHTTP(w, r)
	}))
	for _, ref := range []string{"a/b", ".x", "%2e%2e", "a#b", "é"} {
		_, _ = p.CheckRuns(t.Context(), shop, ref, "a&b", 1) // all report that there is no such object
		_, _, _ = p.Tree(t.Context(), shop, ref)
		_, _ = p.File(t.Context(), shop, "x ?#%2e/"+ref, ref)
		_, _, _ = p.PullOfBranch(t.Context(), shop, ref)
	}
	var want []string
	for _, ref := range []string{"a%2Fb", ".x", "%252e%252e", "a%23b", "%C3%A9"} {
		of := "/repos/acme/shop/"
		want = append(want, of+"commits/"+ref+"/check-runs?check_name=a%26b&filter=latest&per_page=100",
			of+"git/trees/"+ref+"?recursive=1", of+"contents/x%20%3F%23%252e%2F"+ref+"?ref="+ref,
			of+"pulls?head=acme%3A"+ref+"&page=1&per_page=100&state=all")
	}
	if got := strings.Join(paths, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("asked\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
