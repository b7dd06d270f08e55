package transport

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Internal is the answer to an error of the server.
var Internal = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error: the server's log says more"}

// answered is a JSON-RPC response that reports an error.
type answered struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   *jsonrpc.Error  `json:"error"`
}

// refuse returns the answer that refuses the message with the given id. id is nil if the message has no id.
func refuse(id json.RawMessage, e *jsonrpc.Error) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(answered{version, id, e}); err != nil {
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}` + "\n")
	}
	return b.Bytes()
}

func problem(code int64, format string, args ...any) *jsonrpc.Error {
	return &jsonrpc.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) *jsonrpc.Error {
	return problem(jsonrpc.CodeInvalidRequest, format, args...)
}
