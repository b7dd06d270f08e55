package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	sdk "github.com/mark3labs/mcp-go/mcp"
)

// message is the part of a JSON-RPC message that is checked before the library gets it.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// isResponse reports whether the message is the client's answer to a request of ours.
func (m message) isResponse() bool { return m.Method == nil && (m.Result != nil || m.Error != nil) }

func (m message) isNotification() bool { return m.Method != nil && m.ID == nil }

// read parses a message. Its error says why the protocol does not allow the message, where the library would show
// its own types or answer nothing.
func read(text []byte) (message, *Error) {
	var m message
	switch text := bytes.TrimSpace(text); {
	case len(text) == 0:
		return m, &Error{Code: sdk.PARSE_ERROR, Message: "the message is empty: send a JSON-RPC request"}
	case !json.Valid(text):
		return m, &Error{Code: sdk.PARSE_ERROR, Message: "the message is not valid JSON" + where(text)}
	case text[0] == '[':
		return m, invalid("batches are not supported: send each message on its own")
	case text[0] != '{':
		return m, invalid("a message is a JSON object with jsonrpc, id, method and params")
	}
	if json.Unmarshal(text, &m) != nil {
		return m, invalid("jsonrpc and method of a message must be text")
	}
	id, ok := identifier(m.ID)
	if m.ID = id; !ok {
		return m, invalid("the id of a request must be text or a whole number")
	}
	switch {
	case m.JSONRPC != sdk.JSONRPC_VERSION:
		return m, invalid(`a message must say "jsonrpc": "2.0"`)
	case m.isResponse():
		return m, nil
	case m.Method == nil || *m.Method == "":
		return m, invalid("the message names no method")
	}
	return m, m.badParams()
}

func invalid(format string, args ...any) *Error {
	return &Error{Code: sdk.INVALID_REQUEST, Message: fmt.Sprintf(format, args...)}
}

// identifier returns the id to answer to, and whether the protocol allows it.
func identifier(id json.RawMessage) (json.RawMessage, bool) {
	var v any
	if id == nil {
		return nil, true
	}
	if json.Unmarshal(id, &v) != nil {
		return nil, false
	}
	switch v := v.(type) {
	case string:
		return id, len(v) <= 1000
	case float64:
		return id, v == float64(int64(v)) && !bytes.ContainsAny(id, ".eE")
	}
	return nil, false
}

// where says at which byte a text stops being JSON.
func where(text []byte) string {
	var v any
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal(text, &v), &syntax) {
		return fmt.Sprintf(" (byte %d)", syntax.Offset)
	}
	return ""
}

// params are the shapes of the parameters of methods, with a description of each.
var params = map[string]struct {
	shape func() any
	words string
}{
	"initialize":               {func() any { return new(sdk.InitializeRequest) }, "protocolVersion is text, capabilities and clientInfo are objects"},
	"ping":                     {func() any { return new(sdk.PingRequest) }, "they are an object"},
	"server/discover":          {func() any { return new(sdk.DiscoverRequest) }, "they are an object with _meta"},
	"tools/list":               {func() any { return new(sdk.ListToolsRequest) }, "cursor is text"},
	"tools/call":               {func() any { return new(sdk.CallToolRequest) }, "name is text, arguments is an object"},
	"resources/list":           {func() any { return new(sdk.ListResourcesRequest) }, "cursor is text"},
	"resources/templates/list": {func() any { return new(sdk.ListResourceTemplatesRequest) }, "cursor is text"},
	"resources/read":           {func() any { return new(sdk.ReadResourceRequest) }, "uri is text"},
	"prompts/list":             {func() any { return new(sdk.ListPromptsRequest) }, "cursor is text"},
	"prompts/get":              {func() any { return new(sdk.GetPromptRequest) }, "name is text, arguments is an object whose values are text"},
	"completion/complete":      {func() any { return new(sdk.CompleteRequest) }, "ref is an object with a type, argument is an object with name and value"},
	"subscriptions/listen":     {func() any { return new(sdk.SubscriptionsListenRequest) }, "notifications is an object"},
}

// badParams returns an error if the parameters of a request have a wrong shape.
func (m message) badParams() *Error {
	p := bytes.TrimSpace(m.Params)
	if len(p) > 0 && p[0] != '{' && !bytes.Equal(p, []byte("null")) {
		return &Error{Code: sdk.INVALID_PARAMS, Message: "the params of a message must be an object"}
	}
	kind, known := params[*m.Method]
	if !known {
		return nil
	}
	if text, err := json.Marshal(map[string]any{"method": *m.Method, "params": m.Params}); err != nil || json.Unmarshal(text, kind.shape()) != nil {
		return &Error{Code: sdk.INVALID_PARAMS, Message: fmt.Sprintf("the params of %s are not as the protocol has them: %s", *m.Method, kind.words)}
	}
	return nil
}
