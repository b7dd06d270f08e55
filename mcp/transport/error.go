package transport

import (
	"bytes"
	"encoding/json"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"github.com/blq-ci/blq/internal/lazyregexp"
)

// Error is the error of a JSON-RPC answer.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
	URI     string          `json:"-"` // of a missing resource, if that is the error
}

// Internal is the answer to an error of the server.
var Internal = Error{Code: sdk.INTERNAL_ERROR, Message: "internal error: the server's log says more"}

// answered is the part of an answer that has the error.
type answered struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   *Error          `json:"error"`
}

// refuse returns the answer that refuses the message with that id, which is nil for none.
func refuse(id json.RawMessage, e Error) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(answered{sdk.JSONRPC_VERSION, id, &e}); err != nil {
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}` + "\n")
	}
	return b.Bytes()
}

// explained returns an answer of the library, with its error replaced by ours.
func (c Config) explained(answer []byte) []byte {
	if !bytes.Contains(answer, []byte(`"error":`)) {
		return answer
	}
	var a answered
	if json.Unmarshal(answer, &a) != nil || a.Error == nil {
		return answer
	}
	if m := noResource.FindStringSubmatch(a.Error.Message); m != nil && a.Error.Data == nil {
		a.Error.URI = m[1]
		a.Error.Data, _ = json.Marshal(map[string]string{"uri": m[1]}) // a string can always be encoded
	}
	return refuse(a.ID, c.Explain(*a.Error))
}

// noResource is the library's message for a missing resource. It lacks the data that the protocol requires.
var noResource = lazyregexp.New(`(?s)^handler not found for resource URI '(.*)': resource not found$`)
