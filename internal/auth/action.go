package auth

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Action is something that a caller may be allowed to do: a route, written as
// http.ServeMux has it, or a tool, see Tool. What is not in the table is
// allowed to nobody.
type Action string

// Tool returns the action of calling a tool, over MCP or by GET /v1/{tool}.
func Tool(name string) Action { return Action(toolPrefix + name) }

const toolPrefix = "tool:"

// Ask is the action of asking by other means than a tool: resources, prompts
// and completions of MCP.
const Ask Action = "ask"

// rule says who may: callers of these kinds with any of these scopes.
type rule struct {
	kinds  []Kind
	scopes []store.TokenScope
}

// The rules.
var (
	public = rule{kinds: Kinds}
	sends  = rule{[]Kind{KindOperator, KindJob, KindToken}, []store.TokenScope{store.ScopeIngest}}
	asks   = rule{[]Kind{KindOperator, KindJob, KindToken, KindUser}, []store.TokenScope{store.ScopeRead}}
	asksBy = rule{[]Kind{KindOperator, KindToken, KindUser}, []store.TokenScope{store.ScopeQuery}} // in SQL
	starts = rule{[]Kind{KindOperator, KindToken, KindUser}, []store.TokenScope{store.ScopeRun}}
	either = rule{[]Kind{KindOperator, KindJob, KindToken, KindUser}, []store.TokenScope{store.ScopeIngest, store.ScopeRead}}
	admins = rule{[]Kind{KindOperator, KindToken}, []store.TokenScope{store.ScopeAdmin}}
)

// table is every decision. Which repositories an action reaches is not here:
// that is the principal's Read, Write and Start.
var table = map[Action]rule{
	"GET /{$}":             public,
	"GET /healthz":         public,
	"GET /readyz":          public,
	"GET /metrics":         public,
	"GET /v1/openapi.yaml": public,
	"POST /v1/token":       public, // shows its OIDC token
	"GET /.well-known/oauth-protected-resource":               public,
	"GET /.well-known/oauth-protected-resource/{resource...}": public,
	"POST /webhooks/github":                                   public, // signed by the forge

	"POST /v1/runs":                          sends,
	"PUT /v1/runs/{attempt_id}/chunks/{seq}": sends,
	"PUT /v1/runs/{attempt_id}/events/{seq}": sends,
	"PUT /v1/runs/{attempt_id}/live/{from}":  sends,
	"POST /v1/runs/{attempt_id}/finish":      sends,
	"POST /v1/runs/{attempt_id}/heartbeat":   sends,
	"GET /v1/runs/{attempt_id}":              either,
	"GET /v1/runs/{attempt_id}/check":        either,

	routeQuestion:      asks, // likewise, where a tool has its name
	routeTool:          asks, // and then as the tool's own row says
	"OPTIONS /mcp":     public,
	"OPTIONS /sse":     public,
	"OPTIONS /message": public,
	"/mcp":             asks,
	"/sse":             asks,
	"/message":         asks,

	Ask:                       asks,
	"tool:triage":             asks,
	"tool:summarize":          asks,
	"tool:events":             asks,
	"tool:inspect":            asks,
	"tool:output":             asks,
	"tool:status":             asks,
	"tool:info":               asks,
	"tool:history":            asks,
	"tool:diff":               asks,
	"tool:commands":           asks,
	"tool:query":              asksBy,
	"tool:run":                starts,
	"tool:exec":               admins,
	"tool:clean":              admins,
	"tool:errors":             asks, // from here on those of lq
	"tool:warnings":           asks,
	"tool:event":              asks,
	"tool:context":            asks,
	"tool:register_command":   admins,
	"tool:unregister_command": admins,
}

// The routes of tools over plain HTTP, and of the command line's questions.
const (
	routeTool     = "GET /v1/{tool}"
	routeQuestion = "POST /v1/ask/{question}"
)

// Actions returns all actions of the table, sorted.
func Actions() []Action { return slices.Sorted(maps.Keys(table)) }

// Routes returns the patterns of all routes of the table, sorted: a route that
// is not among them cannot be reached through Authenticate.
func Routes() []string {
	var routes []string
	for _, a := range Actions() {
		if strings.Contains(string(a), "/") {
			routes = append(routes, string(a))
		}
	}
	return routes
}

// Allow says whether a caller may do something. Unauthorized: they showed no
// token, and have to. Forbidden: their kind, or their token's scopes, do not
// allow it, or nobody may.
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
		return store.Hint(store.Errorf(store.Forbidden, "%s cannot do this", kindNames[p.Kind]), "use a token with scope %s: %s", r.words(" or "), r.howToMake())
	case !slices.ContainsFunc(r.scopes, p.May):
		return store.Hint(store.Errorf(store.Forbidden, "the token has no scope %s", r.words(" or ")), "%s", r.howToMake())
	}
	return nil
}

const howToShow = "send the header Authorization: Bearer TOKEN; the service's operator makes one with: blqd token create"

var kindNames = map[Kind]string{
	KindOperator: "the operator", KindJob: "the token of a CI job", KindToken: "a token of this kind", KindUser: "a GitHub token",
}

func (r rule) words(between string) string {
	var words []string
	for _, s := range r.scopes {
		words = append(words, string(s))
	}
	return strings.Join(words, between)
}

func (r rule) howToMake() string {
	return fmt.Sprintf("blqd token create --scope %s --repo OWNER/NAME", r.words(","))
}
