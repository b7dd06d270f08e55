package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/png"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/blq-ci/blq/mcp/transport"
)

func addTools(s *transport.Server) {
	text := &sdk.TextContent{Text: "text for the suite"}
	resource := &sdk.EmbeddedResource{
		Resource: &sdk.ResourceContents{URI: "test://embedded", MIMEType: "text/plain", Text: "embedded text"}}
	picture := &sdk.ImageContent{Data: pixel(), MIMEType: "image/png"}
	for name, content := range map[string][]sdk.Content{
		"test_simple_text":            {text},
		"test_image_content":          {picture},
		"test_audio_content":          {&sdk.AudioContent{Data: silence(), MIMEType: "audio/wav"}},
		"test_embedded_resource":      {resource},
		"test_multiple_content_types": {text, picture, resource},
	} {
		add(s, name, `{"type":"object"}`, answers(&sdk.CallToolResult{Content: content}))
	}
	add(s, "test_error_handling", `{"type":"object"}`, answers(&sdk.CallToolResult{
		IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "an error on purpose"}},
	}))
	add(s, "test_tool_with_logging", `{"type":"object"}`,
		func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return told(), log(ctx, r, "begun", "half way", "done")
		})
	add(s, "test_tool_with_progress", `{"type":"object"}`,
		func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			token := r.Params.GetProgressToken()
			if token == nil {
				return told(), nil
			}
			for i := range 3 {
				p := &sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(50 * i), Total: 100}
				if err := r.Session.NotifyProgress(ctx, p); err != nil {
					return nil, err
				}
			}
			return told(), nil
		})
	// A client that did not ask for logs gets none.
	add(s, "test_logging_tool", `{"type":"object"}`,
		func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return told(), log(ctx, r, "asked for")
		})
	add(s, "json_schema_2020_12_tool", schema2020, answers(told()))
	add(s, "test_header_parameter", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`,
		answers(told()))
}

func add(s *transport.Server, name, schema string, h sdk.ToolHandler) {
	s.AddTool(&sdk.Tool{Name: name, Description: "For the conformance suite.", InputSchema: json.RawMessage(schema)}, h)
}

func answers(r *sdk.CallToolResult) sdk.ToolHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		own := *r
		return &own, nil
	}
}

func told() *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "told"}}}
}

// log sends log messages to the client.
func log(ctx context.Context, r *sdk.CallToolRequest, messages ...string) error {
	for _, m := range messages {
		//nolint:staticcheck // the suite asks for logging
		if err := r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: m}); err != nil {
			return err
		}
	}
	return nil
}

const schema2020 = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {
		"address": {
			"$anchor": "addressDef", "type": "object",
			"properties": {"street": {"type": "string"}, "city": {"type": "string"}}
		}
	},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`

// pixel returns an image of one pixel.
func pixel() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// silence returns an audio file of one sample.
func silence() []byte {
	b := []byte("RIFF")
	b = binary.LittleEndian.AppendUint32(b, 38)
	b = append(b, "WAVEfmt "...)
	for _, n := range []uint32{16, 1 | 1<<16, 8000, 16000, 2 | 16<<16} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, 2)
	return append(b, 0, 0)
}
