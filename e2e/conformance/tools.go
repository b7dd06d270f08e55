package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/png"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

type handler = func(context.Context, sdk.CallToolRequest) (*sdk.CallToolResult, error)

func addTools(s *server.MCPServer) {
	text := sdk.NewTextContent("text for the suite")
	resource := sdk.NewEmbeddedResource(sdk.TextResourceContents{URI: "test://embedded", MIMEType: "text/plain", Text: "embedded text"})
	picture := sdk.NewImageContent(pixel(), "image/png")
	for name, content := range map[string][]sdk.Content{
		"test_simple_text":            {text},
		"test_image_content":          {picture},
		"test_audio_content":          {sdk.NewAudioContent(silence(), "audio/wav")},
		"test_embedded_resource":      {resource},
		"test_multiple_content_types": {text, picture, resource},
	} {
		add(s, name, `{"type":"object"}`, func(context.Context, sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: content}, nil
		})
	}
	add(s, "test_error_handling", `{"type":"object"}`, func(context.Context, sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return sdk.NewToolResultError("an error on purpose"), nil
	})
	add(s, "test_tool_with_logging", `{"type":"object"}`, func(ctx context.Context, _ sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return told(), tell(ctx, s, "notifications/message", func(i int) map[string]any {
			return map[string]any{"level": "info", "data": []string{"begun", "half way", "done"}[i]}
		})
	})
	add(s, "test_tool_with_progress", `{"type":"object"}`, func(ctx context.Context, r sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if r.Params.Meta == nil || r.Params.Meta.ProgressToken == nil {
			return told(), nil
		}
		return told(), tell(ctx, s, "notifications/progress", func(i int) map[string]any {
			return map[string]any{"progressToken": r.Params.Meta.ProgressToken, "progress": 50 * i, "total": 100}
		})
	})
	add(s, "test_logging_tool", `{"type":"object"}`, func(ctx context.Context, _ sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if info := server.RequestProtocolInfoFromContext(ctx); info == nil || info.LogLevel == "" {
			return told(), nil // a client that did not ask for logs gets none
		}
		return told(), tell(ctx, s, "notifications/message", func(int) map[string]any { return map[string]any{"level": "info", "data": "asked for"} })
	})
	add(s, "json_schema_2020_12_tool", schema2020, func(context.Context, sdk.CallToolRequest) (*sdk.CallToolResult, error) { return told(), nil })
	add(s, "test_header_parameter", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`,
		func(context.Context, sdk.CallToolRequest) (*sdk.CallToolResult, error) { return told(), nil })
}

func add(s *server.MCPServer, name, schema string, h handler) {
	s.AddTool(sdk.NewToolWithRawSchema(name, "For the conformance suite.", json.RawMessage(schema)), h)
}

const schema2020 = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {
		"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}
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

func told() *sdk.CallToolResult { return sdk.NewToolResultText("told") }

// tell sends three notifications. The library loses a notification that is sent right before the
// answer, so tell waits a little.
func tell(ctx context.Context, s *server.MCPServer, method string, params func(i int) map[string]any) error {
	for i := range 3 {
		if err := s.SendNotificationToClient(ctx, method, params(i)); err != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

// pixel returns a picture of one pixel.
func pixel() string {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// silence returns a sound of one sample.
func silence() string {
	b := []byte("RIFF")
	b = binary.LittleEndian.AppendUint32(b, 38)
	b = append(b, "WAVEfmt "...)
	for _, n := range []uint32{16, 1 | 1<<16, 8000, 16000, 2 | 16<<16} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, 2)
	return base64.StdEncoding.EncodeToString(append(b, 0, 0))
}
