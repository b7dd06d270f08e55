package auth_test

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// callers returns callers of every kind with the scopes that blqd gives them, and one token for each scope.
func callers() (names []string, list []auth.Principal) {
	add := func(name string, p auth.Principal) {
		names, list = append(names, name), append(list, p)
	}
	add("nobody", auth.Principal{Kind: auth.KindNobody})
	add("operator", auth.Operator())
	add("job", auth.Principal{Kind: auth.KindJob, Scopes: scopes(store.ScopeIngest, store.ScopeRead)})
	add("visitor", auth.Principal{Kind: auth.KindVisitor, Scopes: scopes(store.ScopeRead)})
	add("user", auth.Principal{Kind: auth.KindUser, Scopes: scopes(store.ScopeRead, store.ScopeQuery)})
	add("writer", auth.Principal{Kind: auth.KindUser, Scopes: scopes(store.ScopeRead, store.ScopeQuery, store.ScopeRun)})
	for _, s := range store.TokenScopes {
		add(string(s), auth.Principal{Kind: auth.KindToken, Scopes: scopes(s)})
	}
	return names, list
}

// decision is a row of the golden.
type decision struct {
	name   string
	action auth.Action
}

// decisions returns a row for each route, and for each tool with its scope.
func decisions() []decision {
	var list []decision
	for _, a := range auth.Routes() {
		list = append(list, decision{a, auth.Action(a)})
	}
	tools := map[string]auth.Action{}
	for _, row := range questions.All() {
		tools[row.Tool] = auth.Scope(row.Scope)
		if row.Compat {
			tools[row.Name] = auth.Scope(row.Scope)
		}
	}
	delete(tools, "")
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		list = append(list, decision{"tool:" + name, tools[name]})
	}
	return list
}

// The golden shows reviewers who may do which action.
func TestDecisions(t *testing.T) {
	t.Parallel()
	names, principals := callers()
	var b strings.Builder
	fmt.Fprintf(&b, "%-62s", "")
	for _, n := range names {
		fmt.Fprintf(&b, " %-8s", n)
	}
	b.WriteString("\n")
	for _, row := range decisions() {
		name, action := row.name, row.action
		fmt.Fprintf(&b, "%-62s", name)
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

// A caller needs both: the right kind and the right scope.
func TestKindAndScopeBothDecide(t *testing.T) {
	t.Parallel()
	every := func(k auth.Kind) auth.Principal { return auth.Principal{Kind: k, Scopes: store.TokenScopes} }
	for action, kinds := range map[auth.Action][]auth.Kind{
		"POST /v1/runs":              {auth.KindOperator, auth.KindJob, auth.KindToken},
		auth.Scope(store.ScopeRead):  {auth.KindOperator, auth.KindJob, auth.KindToken, auth.KindUser},
		auth.Scope(store.ScopeQuery): {auth.KindOperator, auth.KindToken, auth.KindUser},
		auth.Scope(store.ScopeAdmin): {auth.KindOperator, auth.KindToken},
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
	for _, action := range []auth.Action{"", "DELETE /v1/runs", "scope:", "scope:drop", "read", "tool:triage",
		"GET /v1/{other}"} {
		for _, p := range principals {
			if err := auth.Allow(p, action); store.CodeOf(err) != store.Forbidden {
				t.Errorf("%q by %s: %v", action, p.Kind, err)
			}
		}
	}
}

// The advice for a token without the scope is a command that blqd accepts, and a token needs a name.
func TestTheAdviceForAMissingScopeNamesTheToken(t *testing.T) {
	t.Parallel()
	reader := auth.Principal{Kind: auth.KindToken, Scopes: scopes(store.ScopeRead)}
	err := auth.Allow(reader, auth.Scope(store.ScopeQuery))
	if next := fmt.Sprint(store.NextOf(err)); !strings.Contains(next, "blqd token create --name NAME --scope query ") {
		t.Errorf("%v: %s", err, next)
	}
}

func TestEveryScopeOfARowIsDecidedAbout(t *testing.T) {
	t.Parallel()
	for _, row := range questions.All() {
		if !slices.Contains(auth.Actions(), auth.Scope(row.Scope)) {
			t.Errorf("nobody may use %s, which needs the scope %s", row.Name, row.Scope)
		}
	}
}

// TestEveryRouteByHTTP sends requests with real tokens to the routes of all actions. It checks which requests are
// allowed.
func TestEveryRouteByHTTP(t *testing.T) {
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
			if p.Kind == auth.KindOperator || p.Kind == auth.KindVisitor {
				continue // tested by TestOpen and TestVisitorsReadPublicRepositories
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

// requestFor returns a request for an action, or "" for none. serves reports whether the next handler serves the
// request.
func requestFor(a auth.Action) (route string, serves bool) {
	route = strings.NewReplacer("{$}", "", "{attempt_id}", "x", "{seq}", "0", "{tool}", "triage", "{question}",
		"report", "{resource...}", "mcp").Replace(string(a))
	if !strings.Contains(route, "/") {
		return "", false
	}
	if strings.HasPrefix(route, "/") {
		route = "POST " + route
	}
	return route, route != "POST /v1/token" && !strings.Contains(route, "/.well-known/")
}
