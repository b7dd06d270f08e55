package mcp

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// resource is data that clients read at an address, such as blq://name. The parameters of the template follow the name:
// at most one parameter is in the path, and all others are in the query string.
type resource struct {
	scheme      string // scheme of the address, "" for blq
	name        string // first part of the address after the scheme
	template    string // the rest of the address: "/{+ref}", "{?source,limit}"; "" for none
	title       string
	description string
	mime        string // media type, "" for JSON
	tool        string // name of the tool together with which the resource is offered; "" means always
	read        func(c *call, path string, query map[string]any) (any, error)
}

const (
	scheme   = "blq://"
	jsonMIME = "application/json"
)

// resources are blq's resources, in the order of the list.
var resources = []resource{
	{
		name: "status", title: "Status", description: "How the newest run of each source went.",
		read: answerTo(statusTool),
	},
	{
		name: "runs", title: "Runs", description: "Runs, newest first.",
		read: answerTo(historyTool),
	},
	{
		name: "runs", template: "{?source,limit,status,before,branch,commit,pr}", title: "Runs, selected",
		description: "Runs of a source or in a state, newest first.",
		read:        answerTo(historyTool),
	},
	{
		name: "events", title: "Events", description: "Events of the newest run of each source.",
		read: answerTo(eventsTool),
	},
	{
		name: "events", template: "{?severity,run_id,source,file_pattern,limit,offset,branch,commit,pr}",
		title: "Events, selected", description: "Events by severity, run, source and file.",
		read: answerTo(eventsTool),
	},
	{
		name: "errors", title: "Errors", description: "Errors of the newest run of each source.",
		read: eventsOf(store.SeverityError),
	},
	{
		name: "errors", template: "/{+run_id}", title: "Errors of a run",
		description: "Errors of a run, by its serial or reference.",
		read:        eventsOf(store.SeverityError),
	},
	{
		name: "warnings", title: "Warnings", description: "Warnings of the newest run of each source.",
		read: eventsOf(store.SeverityWarning),
	},
	{
		name: "warnings", template: "/{+run_id}", title: "Warnings of a run",
		description: "Warnings of a run, by its serial or reference.",
		read:        eventsOf(store.SeverityWarning),
	},
	{
		name: "event", template: "/{+ref}", title: "Event", description: "One event with the facts of its run.",
		read: readEvent,
	},
	{
		name: "context", template: "/{+ref}", title: "Log context",
		description: "The log around an event; ?lines=N sets how much.",
		read:        readContext,
	},
	{
		name: "commands", title: "Commands", description: "Registered commands.", tool: "commands",
		read: answerTo(commandsTool),
	},
	{
		name: "docs", title: "Documentation", description: "Documentation that there is, and that can be added.",
		tool: "find", read: answerTo(sourcesTool),
	},
	{
		name: "docs", template: "/{+citation}", title: "Lines of documentation",
		description: "Lines that a citation names; ?contextMode=symmetric: their section.", tool: "find", read: readCitation,
	},
	{
		scheme: "blz://", name: "registry", title: "Registry", description: "Documentation that can be added by name.",
		tool: "find", read: sourcesOf(query.KindRegistry),
	},
	{
		scheme: "blz://", name: "sources", title: "Sources", description: "Documentation that there is.",
		tool: "find", read: sourcesOf(query.KindInstalled),
	},
	{
		name: "guide", title: "Guide", description: "How to work with blq: what to call when.", mime: "text/markdown",
		read: func(c *call, _ string, _ map[string]any) (any, error) { return c.server.guide(), nil },
	},
}

// answerTo returns a function that reads a resource with a tool. The query string of the resource has the arguments of
// the tool.
func answerTo(t tool) func(*call, string, map[string]any) (any, error) {
	return func(c *call, _ string, query map[string]any) (any, error) { return t.call(c, query) }
}

// eventsOf returns a function that reads the events of a severity. If the path names a run, the function reads only
// events of that run.
func eventsOf(severity store.Severity) func(*call, string, map[string]any) (any, error) {
	return func(c *call, path string, query map[string]any) (any, error) {
		query["severity"] = string(severity)
		if path != "" {
			query["ref"] = path
		}
		return eventsTool.call(c, query)
	}
}

// addResources registers the resources.
func (s *Server) addResources() {
	offered := resources
	if s.config.CompatLQ {
		offered = lqResources
	}
	for _, r := range offered {
		r.scheme = cmp.Or(r.scheme, scheme)
		if r.tool != "" && !s.has(r.tool) {
			continue
		}
		mime := cmp.Or(r.mime, jsonMIME)
		read := s.reader(r, mime)
		if r.template == "" {
			s.sdk.AddResource(&sdk.Resource{URI: r.scheme + r.name, Name: r.name, Title: r.title, Description: r.description,
				MIMEType: mime}, read)
			continue
		}
		s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
			URITemplate: r.scheme + r.name + r.template, Name: r.name + r.template, Title: r.title, Description: r.description,
			MIMEType: mime,
		}, read)
	}
}

func (s *Server) reader(r resource, mime string) sdk.ResourceHandler {
	return func(ctx context.Context, request *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		uri := request.Params.URI
		text, err := guarded(ctx, func(ctx context.Context) (string, error) { return s.read(ctx, r, uri) })
		if err != nil {
			return nil, s.resourceError(ctx, request, err)
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: mime, Text: text}}}, nil
	}
}

func (s *Server) read(ctx context.Context, r resource, uri string) (string, error) {
	if err := s.mayRead(ctx, r); err != nil {
		return "", err
	}
	path, query, err := address(uri, r.scheme+r.name)
	if err != nil {
		return "", err
	}
	asker, err := s.config.Ask(ctx)
	if err != nil {
		return "", err
	}
	out, err := r.read(&call{Context: ctx, Asker: asker.ForOneQuestion(), commands: s.config.Commands, server: s,
		bytes: defaultBytes}, path, query)
	if err != nil {
		return "", err
	}
	if text, ok := out.(string); ok {
		return text, nil
	}
	text, err := marshal(out)
	return string(text), err
}

// mayRead returns an error if the caller may not read a resource.
func (s *Server) mayRead(ctx context.Context, r resource) error {
	for _, t := range s.tools {
		if t.name == r.tool {
			return s.allow(ctx, t)
		}
	}
	return s.mayAsk(ctx)
}

// address returns the path and the query after the name of a resource in an address. Path and query may be
// percent-encoded.
func address(uri, name string) (path string, query map[string]any, err error) {
	rest := strings.TrimPrefix(uri, name)
	rest, search, _ := strings.Cut(rest, "?")
	if path, err = url.PathUnescape(strings.TrimPrefix(rest, "/")); err != nil {
		return "", nil, store.Errorf(store.Invalid, "%s is not an address: %v", show(uri), err)
	}
	values, err := url.ParseQuery(search)
	if err != nil {
		return "", nil, store.Errorf(store.Invalid, "%s is not an address: %v", show(uri), err)
	}
	query = map[string]any{}
	for key, list := range values {
		query[key] = list[len(list)-1]
	}
	return path, query, nil
}
