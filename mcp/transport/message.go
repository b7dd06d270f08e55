package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// version is the version of JSON-RPC.
const version = "2.0"

// Stateless is the first revision of the protocol without sessions. In this revision, results have more keys than
// before, and some errors have other codes.
const Stateless = "2026-07-28"

// withSessions is the last revision with sessions.
const withSessions = "2025-11-25"

// message holds the fields of a JSON-RPC message that are checked before the library gets the message.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`

	request jsonrpc.Message // the message in the library's type
}

// isResponse reports whether the message is the client's response to a request of the server.
func (m message) isResponse() bool { return m.Method == nil && (m.Result != nil || m.Error != nil) }

// isNotification reports whether the message gets no answer.
func (m message) isNotification() bool { return m.Method != nil && m.ID == nil }

// read parses a message. The error says why the protocol does not allow the message. It is nil for an allowed message.
// Without this check, the library's answer would show names of its own types, or there would be no answer.
func read(text []byte) (message, *jsonrpc.Error) {
	var m message
	switch text := bytes.TrimSpace(text); {
	case len(text) == 0:
		return m, problem(jsonrpc.CodeParseError, "the message is empty: send a JSON-RPC request")
	case !json.Valid(text):
		return m, problem(jsonrpc.CodeParseError, "the message is not valid JSON%s", where(text))
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
	case m.JSONRPC != version:
		return m, invalid(`a message must say "jsonrpc": "2.0"`)
	case m.isResponse():
		return m, nil
	case m.Method == nil || *m.Method == "":
		return m, invalid("the message names no method")
	}
	if bad := m.badParams(); bad != nil {
		return m, bad
	}
	var err error
	if m.request, err = jsonrpc.DecodeMessage(text); err != nil {
		return m, invalid("the message is nested too deeply")
	}
	return m, nil
}

// identifier returns the id for the answer to a message. It returns false if the protocol does not allow the id of the
// message.
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

// where returns a text with the number of the first byte that makes a message invalid JSON. It returns "" for valid
// JSON.
func where(text []byte) string {
	var v any
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal(text, &v), &syntax) {
		return fmt.Sprintf(" (byte %d)", syntax.Offset)
	}
	return ""
}

// method describes the parameters of a method.
type method struct {
	params   func() any // returns a pointer to a value of the type of the parameters
	required bool
	words    string // description of the parameters for an error
}

func with[T any](words string) method {
	return method{params: func() any { return new(T) }, words: words}
}

func needs[T any](words string) method {
	return method{params: func() any { return new(T) }, required: true, words: words}
}

// methodOf returns the method of the protocol with the given name. It returns false if there is no such method.
func methodOf(name string) (method, bool) {
	const cursor = "cursor is text"
	switch name {
	case "initialize":
		return needs[sdk.InitializeParams]("protocolVersion is text, capabilities and clientInfo are objects"), true
	case "ping":
		return with[sdk.PingParams]("they are an object"), true
	case "server/discover":
		return with[sdk.DiscoverParams]("they are an object with _meta"), true
	case "tools/list":
		return with[sdk.ListToolsParams](cursor), true
	case "tools/call":
		return needs[sdk.CallToolParamsRaw]("name is text, arguments is an object"), true
	case "resources/list":
		return with[sdk.ListResourcesParams](cursor), true
	case "resources/templates/list":
		return with[sdk.ListResourceTemplatesParams](cursor), true
	case "resources/read":
		return needs[sdk.ReadResourceParams]("uri is text"), true
	case "resources/subscribe", "resources/unsubscribe":
		return needs[sdk.SubscribeParams]("uri is text"), true
	case "prompts/list":
		return with[sdk.ListPromptsParams](cursor), true
	case "prompts/get":
		return needs[sdk.GetPromptParams]("name is text, arguments is an object whose values are text"), true
	case "completion/complete":
		return needs[sdk.CompleteParams]("ref is an object with a type, argument is an object with name and value"), true
	case "logging/setLevel":
		return needs[sdk.SetLoggingLevelParams]("level is text"), true //nolint:staticcheck // older clients set the level
	case "subscriptions/listen":
		return needs[sdk.SubscriptionsListenParams]("notifications is an object"), true
	}
	return method{}, false
}

// badParams returns the error for an unknown method, or for parameters of wrong types. It returns nil if method and
// parameters are right. Of a notification, it checks only that the parameters are an object.
func (m message) badParams() *jsonrpc.Error {
	p := bytes.TrimSpace(m.Params)
	none := len(p) == 0 || bytes.Equal(p, []byte("null"))
	if !none && p[0] != '{' {
		return problem(jsonrpc.CodeInvalidParams, "the params of a message must be an object")
	}
	if m.isNotification() {
		return nil
	}
	kind, known := methodOf(*m.Method)
	if !known {
		return problem(jsonrpc.CodeMethodNotFound, "there is no such method")
	}
	if none && kind.required || !none && json.Unmarshal(p, kind.params()) != nil {
		return problem(jsonrpc.CodeInvalidParams, "the params of %s are not as the protocol has them: %s", *m.Method,
			kind.words)
	}
	return nil
}
