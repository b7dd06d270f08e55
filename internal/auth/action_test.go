package auth_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/store"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// callers returns callers of every kind with every set of scopes.
func callers() (names []string, list []auth.Principal) {
	add := func(name string, p auth.Principal) {
		names, list = append(names, name), append(list, p)
	}
	add("nobody", auth.Principal{Kind: auth.KindNobody})
	add("operator", auth.Operator())
	add("job", auth.Principal{Kind: auth.KindJob, Scopes: scopes(store.ScopeIngest, store.ScopeRead)})
	add("user", auth.Principal{Kind: auth.KindUser, Scopes: scopes(store.ScopeRead, store.ScopeQuery)})
	add("writer", auth.Principal{Kind: auth.KindUser, Scopes: scopes(store.ScopeRead, store.ScopeQuery, store.ScopeRun)})
	for _, s := range store.TokenScopes {
		add(string(s), auth.Principal{Kind: auth.KindToken, Scopes: scopes(s)})
	}
	return names, list
}

// The golden is the table for reviewers: who may do what.
func TestDecisions(t *testing.T) {
	t.Parallel()
	names, principals := callers()
	var b strings.Builder
	fmt.Fprintf(&b, "%-62s", "")
	for _, n := range names {
		fmt.Fprintf(&b, " %-8s", n)
	}
	b.WriteString("\n")
	for _, action := range auth.Actions() {
		fmt.Fprintf(&b, "%-62s", action)
		for _, p := range principals {
			answer := "yes"
			if err := auth.Allow(p, action); err != nil {
				answer = map[store.Code]string{store.Unauthorized: "401", store.Forbidden: "403"}[store.CodeOf(err)]
			}
			fmt.Fprintf(&b, " %-8s", answer)
		}
		b.WriteString("\n")
	}
	got := strings.ReplaceAll(b.String(), " \n", "\n")
	for strings.Contains(got, " \n") {
		got = strings.ReplaceAll(got, " \n", "\n")
	}
	if *update {
		check(t, os.WriteFile("testdata/decisions.txt", []byte(got), 0o644))
	}
	want, err := os.ReadFile("testdata/decisions.txt")
	check(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("decisions changed (-update rewrites them, after a look at each):\n%s", diff)
	}
}

// A scope does not allow what the kind forbids, and a kind does not allow what the scopes lack.
func TestKindAndScopeBothDecide(t *testing.T) {
	t.Parallel()
	every := func(k auth.Kind) auth.Principal { return auth.Principal{Kind: k, Scopes: store.TokenScopes} }
	for action, kinds := range map[auth.Action][]auth.Kind{
		"POST /v1/runs":     {auth.KindOperator, auth.KindJob, auth.KindToken},
		auth.Tool("triage"): {auth.KindOperator, auth.KindJob, auth.KindToken, auth.KindUser},
		auth.Tool("query"):  {auth.KindOperator, auth.KindToken, auth.KindUser},
		auth.Tool("clean"):  {auth.KindOperator, auth.KindToken},
	} {
		for _, k := range append(slices.Clone(auth.Kinds), "", "invented") {
			if err := auth.Allow(every(k), action); (err == nil) != slices.Contains(kinds, k) {
				t.Errorf("%s by %q: %v", action, k, err)
			}
			if auth.Allow(auth.Principal{Kind: k}, action) == nil {
				t.Errorf("%s by %q without scopes", action, k)
			}
		}
	}
}

func TestWhatHasNoRowIsAllowedToNobody(t *testing.T) {
	t.Parallel()
	_, principals := callers()
	for _, action := range []auth.Action{"", "DELETE /v1/runs", "tool:", "tool:drop", "triage", "GET /v1/{other}"} {
		for _, p := range principals {
			if err := auth.Allow(p, action); store.CodeOf(err) != store.Forbidden {
				t.Errorf("%q by %s: %v", action, p.Kind, err)
			}
		}
	}
}

func TestEveryToolHasARow(t *testing.T) {
	t.Parallel()
	tools := append(mcp.ToolNames(mcp.Config{}), mcp.ToolNames(mcp.Config{CompatLQ: true})...)
	for _, name := range tools {
		if !slices.Contains(auth.Actions(), auth.Tool(name)) {
			t.Errorf("tool %s has no row", name)
		}
	}
	for _, a := range auth.Actions() {
		if name, ok := strings.CutPrefix(string(a), "tool:"); ok && !slices.Contains(tools, name) {
			t.Errorf("row %s is of no tool", a)
		}
	}
}

// Checks every row of the table by requests with real tokens.
func TestEveryRouteAndToolByHTTP(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/web", 7)
	s.github.Repo("acme/web", 7, "ann")
	s.github.Writers("acme/web", "bob")
	tokens := map[string]string{"nobody": "", "user": s.github.Token("ann"), "writer": s.github.Token("bob")}
	tokens["job"] = s.exchange(s.job("acme/web", 7)).Token
	for _, sc := range store.TokenScopes {
		tokens[string(sc)], _ = s.token(store.Token{Scopes: scopes(sc), Repos: []string{"acme/web"}})
	}
	names, principals := callers()
	for _, action := range auth.Actions() {
		route, serves := requestFor(action)
		if route == "" {
			continue
		}
		for i, p := range principals {
			if p.Kind == auth.KindOperator {
				continue // tested by TestOpen
			}
			w := s.send(route, tokens[names[i]])
			want := http.StatusOK
			switch err := auth.Allow(p, action); {
			case store.CodeOf(err) == store.Unauthorized:
				want = http.StatusUnauthorized
			case err != nil:
				want = http.StatusForbidden
			}
			if came := s.called.Kind != ""; serves && (w.Code != want || came != (want == http.StatusOK)) {
				t.Errorf("%s as %s: %d, came through: %v, want %d", route, names[i], w.Code, came, want)
			}
		}
	}
}

// requestFor returns a request for an action, "" for none, and whether the next handler serves it.
func requestFor(a auth.Action) (route string, serves bool) {
	if name, ok := strings.CutPrefix(string(a), "tool:"); ok {
		return "GET /v1/" + name, true
	}
	route = strings.NewReplacer("{$}", "", "{attempt_id}", "x", "{seq}", "0", "{tool}", "triage", "{question}", "report", "{resource...}", "mcp").Replace(string(a))
	if !strings.Contains(route, "/") {
		return "", false
	}
	if strings.HasPrefix(route, "/") {
		route = "POST " + route
	}
	return route, route != "POST /v1/token" && !strings.Contains(route, "/.well-known/")
}

func TestUnknownToolIsAskedAboutLikeAny(t *testing.T) {
	t.Parallel()
	s := newService(t)
	read, _ := s.token(store.Token{Scopes: scopes(store.ScopeRead), Repos: []string{"acme/web"}})
	s.refused(s.send("GET /v1/nosuch", ""), 401)
	s.through(s.send("GET /v1/nosuch", read)) // allowed, and the API answers 404
	s.through(s.send("POST /v1/ask/report", read))
	for _, route := range []string{"GET /v1/query", "POST /v1/ask/query", "POST /v1/ask/query/", "POST /v1/ask/%71uery", "GET /v1/clean", "POST /v1/ask/clean"} {
		s.refused(s.send(route, read), 403)
	}
}

func TestRoutesWithoutARowAreNotServed(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *auth.Config) { c.Open = true })
	for route, status := range map[string]int{
		"GET /v2/runs": 404, "GET /admin": 404, "POST /": 405, "DELETE /v1/runs": 405, "PUT /v1/token": 405, "POST /v1/runs/x": 405,
		"PUT /v1/runs/x/chunks": 404, "GET /debug/pprof/": 404, "POST /v1/triage": 405, "GET /mcp/other": 404,
	} {
		w := s.send(route, "")
		s.refused(w, status)
		if status == 405 && !strings.Contains(w.Header().Get("Allow"), "OPTIONS") {
			t.Errorf("%s: Allow %q", route, w.Header().Get("Allow"))
		}
	}
	if w := s.send("OPTIONS /v1/runs/x/finish", ""); w.Code != 204 || w.Header().Get("Allow") != "POST, OPTIONS" || s.called.Kind != "" {
		t.Errorf("OPTIONS: %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
	s.through(s.send("POST /mcp/", "")) // clients add the slash
	s.through(s.send("HEAD /v1/triage", ""))
}
