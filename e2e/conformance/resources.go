package main

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func addResources(s *server.MCPServer) {
	for _, uri := range []string{"test://static-text", "test://watched-resource"} {
		s.AddResource(sdk.NewResource(uri, uri, sdk.WithMIMEType("text/plain")), func(context.Context, sdk.ReadResourceRequest) ([]sdk.ResourceContents, error) {
			return []sdk.ResourceContents{sdk.TextResourceContents{URI: uri, MIMEType: "text/plain", Text: "text for the suite"}}, nil
		})
	}
	const binary = "test://static-binary"
	s.AddResource(sdk.NewResource(binary, binary, sdk.WithMIMEType("image/png")), func(context.Context, sdk.ReadResourceRequest) ([]sdk.ResourceContents, error) {
		return []sdk.ResourceContents{sdk.BlobResourceContents{URI: binary, MIMEType: "image/png", Blob: pixel()}}, nil
	})
	s.AddResourceTemplate(sdk.NewResourceTemplate("test://template/{id}/data", "template", sdk.WithTemplateMIMEType("application/json")),
		func(_ context.Context, r sdk.ReadResourceRequest) ([]sdk.ResourceContents, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
			return []sdk.ResourceContents{sdk.TextResourceContents{URI: r.Params.URI, MIMEType: "application/json", Text: fmt.Sprintf(`{"id":%q,"data":"of %s"}`, id, id)}}, nil
		})
}

func addPrompts(s *server.MCPServer) {
	add := func(name string, answer func(map[string]string) []sdk.Content, arguments ...string) {
		options := []sdk.PromptOption{sdk.WithPromptDescription("For the conformance suite.")}
		for _, a := range arguments {
			options = append(options, sdk.WithArgument(a, sdk.ArgumentDescription("Any text."), sdk.RequiredArgument()))
		}
		s.AddPrompt(sdk.NewPrompt(name, options...), func(_ context.Context, r sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			result := &sdk.GetPromptResult{}
			for _, c := range answer(r.Params.Arguments) {
				result.Messages = append(result.Messages, sdk.NewPromptMessage(sdk.RoleUser, c))
			}
			return result, nil
		})
	}
	add("test_simple_prompt", func(map[string]string) []sdk.Content { return []sdk.Content{sdk.NewTextContent("a prompt")} })
	add("test_prompt_with_arguments", func(a map[string]string) []sdk.Content {
		return []sdk.Content{sdk.NewTextContent(fmt.Sprintf("arg1=%q arg2=%q", a["arg1"], a["arg2"]))}
	}, "arg1", "arg2")
	add("test_prompt_with_embedded_resource", func(a map[string]string) []sdk.Content {
		return []sdk.Content{sdk.NewEmbeddedResource(sdk.TextResourceContents{URI: a["resourceUri"], MIMEType: "text/plain", Text: "embedded text"})}
	}, "resourceUri")
	add("test_prompt_with_image", func(map[string]string) []sdk.Content { return []sdk.Content{sdk.NewImageContent(pixel(), "image/png")} })
}
