package auth

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Action is something that a caller may be allowed to do. It is a route, written as a pattern of http.ServeMux, or
// the use of a scope (see Scope). An action that is not in the table is forbidden to everybody.
type Action string

// Scope returns the action for the use of a scope. A caller of a tool or a question must be allowed such an action.
func Scope(s store.TokenScope) Action { return Action(scopePrefix + s) }

const scopePrefix = "scope:"

// rule says who may do an action. The caller must be of one of the kinds, and have one of the scopes. Without scopes,
// everybody may do the action.
type rule struct {
	kinds  []Kind
	scopes []store.TokenScope
}

// These are the rules in the table. The rule "looks" is for reading documents and for requests over MCP. "asksBy" is
// for queries in SQL, and "views" is for the pages of the service.
var (
	public = rule{kinds: kinds}
	sends  = rule{[]Kind{KindOperator, KindJob, KindToken}, []store.TokenScope{store.ScopeIngest}}
	asks   = rule{[]Kind{KindOperator, KindJob, KindToken, KindUser}, []store.TokenScope{store.ScopeRead}}
	looks  = rule{[]Kind{KindOperator, KindJob, KindToken, KindUser}, []store.TokenScope{store.ScopeDocsRead}}
	adds   = rule{[]Kind{KindOperator, KindToken}, []store.TokenScope{store.ScopeDocsWrite}}
	asksBy = rule{[]Kind{KindOperator, KindToken, KindUser}, []store.TokenScope{store.ScopeQuery}}
	views  = rule{[]Kind{KindOperator, KindUser, KindVisitor}, []store.TokenScope{store.ScopeRead}}
	alters = rule{[]Kind{KindOperator, KindToken}, []store.TokenScope{store.ScopeGraphWrite}}
	posts  = rule{[]Kind{KindOperator, KindToken}, []store.TokenScope{store.ScopeSummaryWrite}}
	starts = rule{[]Kind{KindOperator, KindToken, KindUser}, []store.TokenScope{store.ScopeRun}}
	either = rule{[]Kind{KindOperator, KindJob, KindToken, KindUser},
		[]store.TokenScope{store.ScopeIngest, store.ScopeRead}}
	admins = rule{[]Kind{KindOperator, KindToken}, []store.TokenScope{store.ScopeAdmin}}
)

// table has the rules for all actions. The repositories for which a caller may do an action are not in the table.
// They are in the fields Read, Write and Start of the caller's principal.
var table = map[Action]rule{
	"GET /{$}":             public,
	"GET /healthz":         public,
	"GET /readyz":          public,
	"GET /metrics":         admins,
	"GET /v1/openapi.yaml": public,
	"POST /v1/token":       public, // the request body has the OIDC token
	"GET /.well-known/oauth-protected-resource":               public,
	"GET /.well-known/oauth-protected-resource/{resource...}": public,
	"POST /webhooks/github":                                   public, // the webhook is signed

	"GET /ui/{page...}":     views,
	"GET /ui/static/{file}": public,
	"GET /ui/sign-in":       public,
	"GET /ui/signed-in":     public, // the request has GitHub's code
	"POST /ui/sign-out":     public, // the form has the browser's key

	"POST /v1/runs":                          sends,
	"PUT /v1/runs/{attempt_id}/chunks/{seq}": sends,
	"PUT /v1/runs/{attempt_id}/events/{seq}": sends,
	"PUT /v1/runs/{attempt_id}/tests":        sends,
	"PUT /v1/runs/{attempt_id}/live/{from}":  sends,
	"POST /v1/runs/{attempt_id}/finish":      sends,
	"POST /v1/runs/{attempt_id}/heartbeat":   sends,
	"POST /v1/facts":                         sends,
	"PUT /v1/facts/objects":                  sends,
	"PUT /v1/facts/objects/{digest}":         sends,
	"GET /v1/runs/{attempt_id}":              either,
	"GET /v1/runs/{attempt_id}/check":        either,

	"POST /v1/ask/{question}": asks, // unknown questions; known questions need their scope
	"GET /v1/{tool}":          asks, // unknown tools; known tools need their scope
	"OPTIONS /mcp":            public,
	"OPTIONS /sse":            public,
	"OPTIONS /message":        public,
	"/mcp":                    looks,
	"/sse":                    looks,
	"/message":                looks,

	Scope(store.ScopeRead):  asks, // also resources, prompts and completions of MCP
	Scope(store.ScopeQuery): asksBy,
	Scope(store.ScopeRun):   starts,
	Scope(store.ScopeAdmin): admins,

	Scope(store.ScopeDocsRead):  looks,
	Scope(store.ScopeDocsWrite): adds,

	Scope(store.ScopeGraphWrite): alters,

	Scope(store.ScopeSummaryWrite): posts,
}

// actions returns all actions of the table, sorted.
func actions() []Action { return slices.Sorted(maps.Keys(table)) }

// routes returns the patterns of all routes in the table, sorted. Other routes are forbidden.
func routes() []string {
	var routes []string
	for _, a := range actions() {
		if strings.Contains(string(a), "/") {
			routes = append(routes, string(a))
		}
	}
	return routes
}

// Allow checks that a caller may do an action. No other function decides this. The error is unauthorized if the action
// needs a token and the caller has none. It is forbidden if the caller's kind or scopes do not allow the action.
func Allow(p Principal, action Action) error {
	r, known := table[action]
	switch {
	case !known:
		return store.Errorf(store.Forbidden, "nobody may %s", action)
	case r.scopes == nil:
		return nil
	case p.Kind == KindNobody || p.Kind == "":
		return store.Hint(store.Errorf(store.Unauthorized, "a token is needed"), "%s", howToShow)
	case !slices.Contains(r.kinds, p.Kind):
		return store.Hint(store.Errorf(store.Forbidden, "%s cannot do this", kindNames[p.Kind]),
			"use a token with scope %s: %s", r.words(" or "), r.howToMake())
	case p.Kind == KindUser && len(p.Scopes) == 0:
		return store.Hint(store.Errorf(store.Forbidden, "the GitHub token can read no repository of this service"),
			"ask the service's operator to enrol one: blqd repo enrol OWNER/NAME")
	case !slices.ContainsFunc(r.scopes, p.may):
		return store.Hint(store.Errorf(store.Forbidden, "the token has no scope %s", r.words(" or ")),
			"the service's operator makes one that has: %s", r.howToMake())
	}
	return nil
}

const howToShow = "send the header Authorization: Bearer TOKEN; the service's operator makes one with: blqd token " +
	"create"

var kindNames = map[Kind]string{
	KindOperator: "the operator", KindJob: "the token of a CI job", KindToken: "a token of this kind",
	KindUser: "a GitHub token", KindVisitor: "a visitor",
}

func (r rule) words(between string) string {
	var words []string
	for _, s := range r.scopes {
		words = append(words, string(s))
	}
	return strings.Join(words, between)
}

func (r rule) howToMake() string {
	return fmt.Sprintf("blqd token create --name NAME --scope %s --repo OWNER/NAME", r.words(","))
}
