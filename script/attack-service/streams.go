//go:build linux

package main

import (
	"bufio"
	"fmt"
	"net"
	"strings"
)

// calls are tool calls with long answers.
var calls = []string{
	`"events","arguments":{"ref":"t0/app@build:2","limit":10000}`, `"output","arguments":{"ref":"t0/app@build:1"}`,
	`"triage","arguments":{"ref":"t0/app@build:2"}`, `"query","arguments":{"sql":"SELECT * FROM lq_events"}`,
	`"diff","arguments":{"run2":"t0/app@build:2"}`, `"history","arguments":{"limit":10000}`,
}

// streams opens event streams and keeps them open.
func (a *attacker) streams() {
	a.each(500, func(c net.Conn) error {
		if err := a.listen(c); err != nil {
			return err
		}
		return hold(c)
	})
}

// listen asks for an event stream.
func (a *attacker) listen(c net.Conn) error {
	_, err := fmt.Fprintf(c, "GET /sse HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
		"Accept: text/event-stream\r\n\r\n", a.Tokens[0])
	return err
}

// unreadStreams opens event streams and calls tools whose long answers come in these streams. It does not read the
// answers.
func (a *attacker) unreadStreams() {
	a.each(300, func(c net.Conn) error {
		_ = c.(*net.TCPConn).SetReadBuffer(4096) // a larger buffer only makes the attack weaker
		if err := a.listen(c); err != nil {
			return err
		}
		lines := bufio.NewReaderSize(c, 16)
		for a.ctx.Err() == nil {
			line, err := lines.ReadString('\n')
			if err != nil {
				return err
			}
			if path, ok := strings.CutPrefix(strings.TrimSpace(line), "data: /"); ok {
				a.callInto("/" + path)
				<-a.ctx.Done()
			}
		}
		return nil
	})
}

// callInto makes up to 40 calls of tools. The answers go to the stream that belongs to the path. callInto continues
// after the status 429, and stops at any other refusal.
func (a *attacker) callInto(path string) {
	for range 40 {
		n := int(a.n.Add(1))
		body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s}}`, n,
			calls[n%len(calls)])
		if status := a.call(a.Tokens[0], "POST", path, body, "Content-Type", "application/json"); status != 202 &&
			status != 429 {
			return
		}
	}
}
