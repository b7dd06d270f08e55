package main

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/blq-ci/blq/mcp/transport"
)

func addResources(s *transport.Server) {
	for _, uri := range []string{"test://static-text", "test://watched-resource"} {
		s.AddResource(&sdk.Resource{URI: uri, Name: uri, MIMEType: "text/plain"},
			contents(&sdk.ResourceContents{Text: "text for the suite"}))
	}
	const binary = "test://static-binary"
	s.AddResource(&sdk.Resource{URI: binary, Name: binary, MIMEType: "image/png"},
		contents(&sdk.ResourceContents{Blob: pixel()}))
	s.AddResourceTemplate(
		&sdk.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", MIMEType: "application/json"},
		func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
			text := fmt.Sprintf(`{"id":%q,"data":"of %s"}`, id, id)
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{Text: text}}}, nil
		})
}

// contents returns a handler that always returns c. The library adds the URI and the type.
func contents(c *sdk.ResourceContents) sdk.ResourceHandler {
	return func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		own := *c
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&own}}, nil
	}
}

func addPrompts(s *transport.Server) {
	add := func(name string, answer func(map[string]string) sdk.Content, arguments ...string) {
		p := &sdk.Prompt{Name: name, Description: "For the conformance suite."}
		for _, a := range arguments {
			p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: a, Description: "Any text.", Required: true})
		}
		s.AddPrompt(p, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: answer(r.Params.Arguments)}}}, nil
		})
	}
	add("test_simple_prompt", func(map[string]string) sdk.Content { return &sdk.TextContent{Text: "a prompt"} })
	add("test_prompt_with_arguments", func(a map[string]string) sdk.Content {
		return &sdk.TextContent{Text: fmt.Sprintf("arg1=%q arg2=%q", a["arg1"], a["arg2"])}
	}, "arg1", "arg2")
	add("test_prompt_with_embedded_resource", func(a map[string]string) sdk.Content {
		return &sdk.EmbeddedResource{
			Resource: &sdk.ResourceContents{URI: a["resourceUri"], MIMEType: "text/plain", Text: "embedded text"}}
	}, "resourceUri")
	add("test_prompt_with_image",
		func(map[string]string) sdk.Content { return &sdk.ImageContent{Data: pixel(), MIMEType: "image/png"} })
}
