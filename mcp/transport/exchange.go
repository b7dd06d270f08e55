package transport

import (
	"context"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// exchange is the library's connection for one request. Each request has a connection of its own, as in HTTP. So a
// client may call a tool without initialize, or send initialize twice. The library writes the notifications of a
// request before the answer.
type exchange struct {
	requests chan jsonrpc.Message
	write    func([]byte)
	answered func()
	closed   chan struct{}
	end      func() // closes the channel closed, once
}

// ask passes a request to the library, and returns after the library has answered the request. It calls the function
// write with each message of the answer.
func (c Config) ask(ctx context.Context, m message, write func([]byte)) {
	answered, closed := make(chan struct{}), make(chan struct{})
	e := &exchange{
		requests: make(chan jsonrpc.Message, 1), write: write,
		answered: sync.OnceFunc(func() { close(answered) }),
		closed:   closed, end: sync.OnceFunc(func() { close(closed) }),
	}
	state := &sdk.ServerSessionState{InitializedParams: &sdk.InitializedParams{}}
	if *m.Method != "initialize" {
		state.InitializeParams = &sdk.InitializeParams{ProtocolVersion: withSessions}
	}
	ctx, _ = from(ctx)
	session, err := c.Server.Connect(ctx, e, &sdk.ServerSessionOptions{State: state})
	if err != nil {
		c.Log.ErrorContext(ctx, "internal error", "error", err)
		write(refuse(m.ID, Internal))
		return
	}
	e.requests <- m.request
	<-answered
	if err := session.Close(); err != nil {
		c.Log.ErrorContext(ctx, "internal error", "error", err)
	}
}

// Connect implements the library's Transport.
func (e *exchange) Connect(context.Context) (sdk.Connection, error) { return e, nil }

// Read implements the library's Connection.
func (e *exchange) Read(context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-e.requests:
		return m, nil
	case <-e.closed:
		return nil, io.EOF
	}
}

// Write implements the library's Connection.
func (e *exchange) Write(_ context.Context, m jsonrpc.Message) error {
	if _, last := m.(*jsonrpc.Response); last {
		defer e.answered()
	}
	text, err := jsonrpc.EncodeMessage(m)
	if err == nil {
		e.write(text)
	}
	return err
}

// Close implements the library's Connection.
func (e *exchange) Close() error {
	e.end()
	return nil
}

// SessionID implements the library's Connection.
func (e *exchange) SessionID() string { return "" }
