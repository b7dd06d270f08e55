package mcp

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

type realmStatusIn struct {
	query.RealmStatusParams
	Budget
}

type realmStatusOut struct {
	query.RealmStatus
	Truncation
	in realmStatusIn
}

func (o *realmStatusOut) parts() []part {
	more := func(what string, total int) func(n int) []query.Omission {
		return func(n int) []query.Omission {
			return omitted(n, total, what, callLike("realm_status", o.in, "max_bytes", maxBytes))
		}
	}
	return []part{list(&o.Repos, more("repos", len(o.Repos))), list(&o.Domains, more("domains", len(o.Domains)))}
}

var realmStatusTool = newTool(spec{
	name: "realm_status", description: `Contracts between repositories: members, domains, versions, who uses what. ` +
		`Example: realm_status().`,
}, func(c *call, in realmStatusIn) (realmStatusOut, error) {
	s, err := c.Asker.RealmStatus(c, in.RealmStatusParams)
	return realmStatusOut{RealmStatus: s, in: in}, err
})

type realmCheckIn struct {
	query.RealmCheckParams
	Budget
}

type realmCheckOut struct {
	query.RealmChecked
	Truncation
	in realmCheckIn
}

func (o *realmCheckOut) parts() []part {
	more := func(what string, total int) func(n int) []query.Omission {
		return func(n int) []query.Omission {
			return omitted(n, total, what, callLike("realm_check", o.in, "max_bytes", maxBytes))
		}
	}
	return []part{list(&o.SchemaHashes, more("schema hashes", len(o.SchemaHashes))),
		list(&o.Warnings, more("warnings", len(o.Warnings))), list(&o.Errors, more("errors", len(o.Errors)))}
}

var realmCheckTool = newTool(spec{
	name: "realm_check", description: `Check contracts and bindings, before a change is merged. ` +
		`Example: realm_check(strict=true).`,
}, func(c *call, in realmCheckIn) (realmCheckOut, error) {
	r, err := c.Asker.RealmCheck(c, in.RealmCheckParams)
	return realmCheckOut{RealmChecked: r, in: in}, err
})

var contractGetTool = newTool(spec{
	name: "contract_get", description: `One contract: schema, value, versions, who is bound to it. ` +
		`Example: contract_get(domain="s3-access", contract="s3-permissions").`, bytes: maxBytes,
}, func(c *call, in query.ContractGetParams) (query.ContractFound, error) {
	return c.Asker.ContractGet(c, in)
})

type notificationsIn struct {
	query.NotificationsListParams
	Budget
}

type notificationsOut struct {
	query.NotificationsList
	Truncation
	in notificationsIn
}

func (o *notificationsOut) parts() []part {
	total := len(o.Notifications)
	return []part{list(&o.Notifications, func(n int) []query.Omission {
		return omitted(n, total, "notifications", callLike("notifications_list", o.in, "max_bytes", maxBytes))
	})}
}

var notificationsTool = newTool(spec{
	name: "notifications_list", description: `Contracts that changed. Example: notifications_list(state="pending").`,
}, func(c *call, in notificationsIn) (notificationsOut, error) {
	l, err := c.Asker.NotificationsList(c, in.NotificationsListParams)
	return notificationsOut{NotificationsList: l, in: in}, err
})

// realmProblem is the answer to a failed call of a tool about realms.
type realmProblem struct {
	Status    string     `json:"status"`
	Message   string     `json:"message"`
	Code      store.Code `json:"code,omitempty"`
	NextSteps []string   `json:"next_steps"`
}

// realmRefusal returns the answer to a failed call of a realm tool. The answer always has a next step.
func (s *Server) realmRefusal(ctx context.Context, t tool, err error) (*sdk.CallToolResult, error) {
	p := s.problem(ctx, t.name, err)
	next := p.NextStep
	if next == "" && p.Code == store.Invalid && t.example() != "" {
		next = t.example() + "   # an example"
	}
	if next == "" {
		next = "See what there is: realm_status()"
	}
	text, err := marshal(realmProblem{"error", sentence(p.Error), p.Code, []string{next}})
	if err != nil {
		return nil, err
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}, nil
}

// sentence returns a text with a capital first letter. It does not change a text that begins with the name of a tool or
// of a repository.
func sentence(text string) string {
	if word, _, _ := strings.Cut(text, " "); strings.ContainsAny(word, "_/") {
		return text
	}
	first, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[n:]
}
