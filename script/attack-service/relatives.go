//go:build linux

package main

import (
	"bytes"
	"fmt"
	"net"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/query/questions"
)

// askEverything asks every question and calls every tool, mostly with wrong parameters.
func (a *attacker) askEverything() {
	params := []string{`{}`, `{"ref":"t0/app@build:2"}`, `{"at":"build:2","source":"build"}`, `{"repo":"t0/app"}`,
		`{"query":"a b c d e f g","path":"a/b.go","symbol":"x","source":"docs","node":"a"}`}
	all := questions.All()
	a.workers(32, func(worker int) {
		n := int(a.n.Add(1))
		row, p := all[n%len(all)], params[n/len(all)%len(params)]
		if worker%4 > 0 {
			a.ask(a.Tokens[0], row.Name, p)
			return
		}
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, n,
			row.Tool, p)
		a.call(a.Tokens[0], "POST", "/mcp", []byte(body), "Content-Type", "application/json", "Accept",
			"application/json, text/event-stream")
	})
}

// sessions begins MCP sessions and lists their tools.
func (a *attacker) sessions() {
	list := []string{`"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"x","version":"1"}}`, `"tools/list"`, `"resources/list"`, `"prompts/list"`,
		`"resources/read","params":{"uri":"blq://status"}`}
	a.workers(64, func(int) {
		n := int(a.n.Add(1))
		a.call(a.Tokens[0], "POST", "/mcp", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%s}`, n, list[n%len(list)]),
			"Content-Type", "application/json", "Accept", "application/json, text/event-stream")
	})
}

// smallBombs sends many small bodies that each unpack to the max size.
func (a *attacker) smallBombs() {
	lines := encoder().EncodeAll(bytes.Repeat([]byte("\n"), 8<<20), nil)
	object := encoder().EncodeAll(bytes.Repeat([]byte("# x\n"), 1<<18), nil)
	attempt := a.begin(0, "t0/app")
	a.workers(64, func(worker int) {
		n := int(a.n.Add(1)) % 1000
		if worker%2 == 0 {
			a.put(0, fmt.Sprintf("/v1/runs/%s/events/%d", attempt, n), lines, "application/x-ndjson")
			return
		}
		a.putObject(facts.Digest([]byte(fmt.Sprint(n))), object)
	})
}

// heartbeats sends heartbeats and live events of one run.
func (a *attacker) heartbeats() {
	attempt := a.begin(0, "t0/app")
	a.workers(64, func(worker int) {
		if worker%2 == 0 {
			a.call(a.Tokens[0], "POST", "/v1/runs/"+attempt+"/heartbeat", nil)
			return
		}
		a.put(0, fmt.Sprintf("/v1/runs/%s/live/%d", attempt, 1+worker%10), batches()[0], "application/x-ndjson")
	})
}

// pipelined sends many questions on each connection. It reads no answers for a second.
func (a *attacker) pipelined() {
	a.each(50, func(c net.Conn) error {
		go func() {
			time.Sleep(time.Second) // requests in full buffers wait for this time
			_ = hold(c)
		}()
		for {
			if _, err := fmt.Fprintf(c, "GET /v1/status HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n",
				a.Tokens[0]); err != nil {
				return err
			}
		}
	})
}
