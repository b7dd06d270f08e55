package githubtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

type object = map[string]any

// call is a request and its response.
type call struct {
	*http.Request
	g      *GitHub
	who    *account // nil without a token
	sent   []byte
	answer answer
}

// handled is an http.Handler that answers a call.
type handled func(*call)

// ServeHTTP implements http.Handler.
func (h handled) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	c := r.Context().Value(callKey{}).(*call)
	c.Request = r
	h(c)
}

type callKey struct{}

// answer is a response.
type answer struct {
	status int
	body   any // encoded as JSON
	header http.Header
}

func (a answer) write(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	if a.body == nil {
		w.WriteHeader(a.status)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(a.body) // fails only if the client is gone
}

func refuse(status int, message string) answer {
	return answer{status: status, body: object{"message": message, "documentation_url": "https://docs.github.com/rest",
		"status": strconv.Itoa(status)}}
}

func (c *call) refuse(status int, message string) { c.answer = refuse(status, message) }

func (c *call) notFound() { c.refuse(http.StatusNotFound, "Not Found") }

func (c *call) say(status int, body any) { c.answer.status, c.answer.body = status, body }

// read decodes the body of the request. The body has already been checked against the description of GitHub's API.
func (c *call) read(v any) {
	if err := json.Unmarshal(c.sent, v); err != nil {
		c.g.t.Errorf("%s %s sent %s: %v", c.Method, c.URL, c.sent, err)
	}
}

func (c *call) number(name string) int64 {
	n, err := strconv.ParseInt(c.PathValue(name), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// page returns the requested page of a list and sets the Link header.
func page[T any](c *call, all []T) []T {
	q := c.URL.Query()
	size, number := least(q.Get("per_page"), 30), least(q.Get("page"), 1)
	size = min(size, 100)
	from := min(len(all), size*(number-1))
	to := min(len(all), from+size)
	if to < len(all) {
		q.Set("page", strconv.Itoa(number+1))
		next := url.URL{Scheme: "http", Host: c.Host, Path: c.URL.Path, RawQuery: q.Encode()}
		c.answer.header = http.Header{"Link": {fmt.Sprintf(`<%s>; rel="next"`, next.String())}}
	}
	return all[from:to]
}

func least(text string, otherwise int) int {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n
	}
	return otherwise
}

// routes registers the operations, each with its required permission.
func (g *GitHub) routes() {
	add := func(pattern string, h handled) { g.mux.Handle(pattern, h) }
	add("GET /user", (*call).user)
	add("GET /user/repos", (*call).repositories)
	add("GET /installation/repositories", (*call).repositories)
	of := func(pattern string, do func(*call, *repository)) {
		method, path, _ := strings.Cut(pattern, " ")
		add(method+" /repos/{owner}/{name}"+path, func(c *call) { c.seen(do) })
	}
	needs := func(pattern, permission string, do func(*call, *repository)) {
		of(pattern, func(c *call, r *repository) { c.allowed(r, permission, do) })
	}
	of("GET ", (*call).repo)
	needs("GET /issues/{number}/comments", "pull-requests: read", (*call).comments)
	needs("POST /issues/{number}/comments", "pull-requests: write", (*call).addComment)
	needs("PATCH /issues/comments/{id}", "pull-requests: write", (*call).editComment)
	needs("DELETE /issues/comments/{id}", "pull-requests: write", (*call).deleteComment)
	needs("GET /contents/{path}", "contents: read", (*call).file)
	needs("PUT /contents/{path}", "contents: write", (*call).commitFile)
	needs("GET /git/trees/{ref}", "contents: read", (*call).tree)
	needs("GET /git/ref/{ref}", "contents: read", (*call).ref)
	needs("POST /git/refs", "contents: write", (*call).createRef)
	needs("POST /pulls", "pull-requests: write", (*call).openPull)
	needs("GET /pulls", "pull-requests: read", (*call).pulls)
	needs("GET /pulls/{number}", "pull-requests: read", (*call).pull)
	add("GET /app", asApp((*call).describeSelf))
	add("GET /app/installations", asApp((*call).installations))
	add("POST /app/installations/{id}/access_tokens", asApp((*call).accessToken))
	add("GET /app/hook/deliveries", asApp((*call).deliveries))
	add("POST /app/hook/deliveries/{id}/attempts", asApp((*call).redeliver))
	add("POST /app-manifests/{code}/conversions", (*call).convert)
	add("GET /repos/{owner}/{name}/installation", asApp((*call).installation))
	needs("POST /check-runs", "checks: write", (*call).addCheck)
	needs("PATCH /check-runs/{id}", "checks: write", (*call).editCheck)
	needs("GET /check-runs/{id}/annotations", "checks: read", (*call).annotations)
	needs("GET /commits/{ref}/check-runs", "checks: read", (*call).checksOf)
	needs("GET /actions/runs", "actions: read", (*call).runs)
	needs("GET /actions/runs/{run}", "actions: read", (*call).run)
	needs("GET /actions/runs/{run}/attempts/{attempt}/logs", "actions: read", (*call).attemptLogs)
	needs("GET /actions/jobs/{job}", "actions: read", (*call).job)
	needs("GET /actions/jobs/{job}/logs", "actions: read", (*call).jobLog)
	needs("GET /actions/runs/{run}/jobs", "actions: read", (*call).jobs)
	needs("GET /actions/runs/{run}/artifacts", "actions: read", (*call).artifacts)
	needs("GET /actions/artifacts/{id}/zip", "actions: read", (*call).download)
	needs("GET /actions/workflows/{workflow}", "actions: read", (*call).workflow)
	needs("POST /actions/workflows/{workflow}/dispatches", "actions: write", (*call).dispatch)
}
