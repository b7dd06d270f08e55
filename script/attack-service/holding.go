//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"time"
)

// openRequests sends requests of one tenant without their bodies, over as many connections as possible.
func (a *attacker) openRequests() {
	a.each(a.Idle, func(c net.Conn) error {
		fmt.Fprintf(c, "POST /v1/ask/status HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: "+
			"application/json\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n", a.Tokens[0])
		status := make([]byte, len("HTTP/1.1 100"))
		if _, err := io.ReadFull(c, status); err != nil {
			return err
		}
		a.note(string(status[9:]))
		return hold(c)
	})
}

// missingBodies sends requests of unknown callers without their bodies, over as many connections as possible.
func (a *attacker) missingBodies() {
	a.each(a.Idle, func(c net.Conn) error {
		fmt.Fprint(c, "POST /webhooks/github HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+
			"X-Hub-Signature-256: sha256=00\r\nContent-Length: 1000\r\n\r\n")
		return hold(c)
	})
}

// chunkedBytes sends bodies in which every byte is a chunk.
func (a *attacker) chunkedBytes() {
	chunks := strings.Repeat("1\r\n \r\n", 10_000)
	a.each(64, func(c net.Conn) error {
		fmt.Fprintf(c, "POST /v1/ask/status HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: "+
			"application/json\r\nTransfer-Encoding: chunked\r\n\r\n", a.Tokens[0])
		go func() { _ = hold(c) }()
		for {
			if _, err := io.WriteString(c, chunks); err != nil {
				return err
			}
		}
	})
}

// expects sends headers with Expect: 100-continue, and never sends the bodies.
func (a *attacker) expects() {
	paths := []string{"/v1/runs", "/mcp", "/v1/ask/status", "/v1/facts", "/v1/token", "/webhooks/github"}
	a.each(1000, func(c net.Conn) error {
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
			"X-Hub-Signature-256: sha256=00\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n",
			paths[rand.IntN(len(paths))], a.Tokens[0])
		return hold(c)
	})
}

// drips sends the bodies of all kinds of requests slowly, a byte at a time.
func (a *attacker) drips() {
	attempt := a.begin(0, "t0/app")
	starts := []string{"POST /v1/runs", "PUT /v1/runs/" + attempt + "/events/0", "PUT /v1/runs/" + attempt + "/tests",
		"PUT /v1/runs/" + attempt + "/live/1", "POST /v1/runs/" + attempt + "/finish", "POST /v1/facts",
		"PUT /v1/facts/objects?repo=t0/app", "POST /v1/ask/status", "POST /v1/token", "POST /mcp", "POST /mcp/docs",
		"POST /message?sessionId=x", "POST /ui/sign-out", "POST /v1/runs/" + attempt + "/heartbeat", "GET /v1/status"}
	a.each(1000, func(c net.Conn) error {
		fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
			"Content-Length: 100000\r\n\r\n", starts[rand.IntN(len(starts))], a.Tokens[0])
		go func() { _ = hold(c) }()
		return trickle(c, " ", 100*time.Millisecond)
	})
}

// oddJSON sends JSON that is deeply nested, has very many keys, very long numbers, or invalid UTF-8.
func (a *attacker) oddJSON() {
	const params = `{"params":`
	repeat := strings.Repeat
	var keys strings.Builder
	for i := 0; keys.Len() < 1<<20-100; i++ {
		fmt.Fprintf(&keys, `"%x":0,`, i)
	}
	bodies := []string{
		params + repeat("[", 500_000) + repeat("]", 500_000) + "}",
		params + repeat(`{"ref":`, 100_000) + "0" + repeat("}", 100_000) + "}",
		params + "{" + keys.String() + `"a":0}}`,
		params + "{" + repeat(`"ref":"x",`, 90_000) + `"ref":"y"}}`,
		params + `{"limit":` + repeat("9", 1_000_000) + "}}",
		params + `{"limit":1e` + repeat("9", 900_000) + "}}",
		params + `{"ref":"` + repeat("\xff\xfe", 400_000) + `"}}`,
		params + `{"ref":"` + repeat(`\ud800`, 170_000) + `"}}`,
		repeat(" ", 1_000_000) + "{}",
	}
	a.workers(32, func(worker int) {
		n := int(a.n.Add(1))
		body := bodies[n%len(bodies)]
		if worker%2 == 0 {
			a.call(a.Tokens[0], "POST", "/v1/ask/events", []byte(body), "Content-Type", "application/json")
			return
		}
		message := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call",%s,"name":"x"}`, n,
			bytes.TrimSuffix([]byte(body[1:]), []byte("}")))
		a.call(a.Tokens[0], "POST", "/mcp", message, "Content-Type", "application/json")
	})
}

// oddTokens sends tokens in all forms: very long ones, JSON Web Tokens with odd headers, and tokens of GitHub.
func (a *attacker) oddTokens() {
	encoded := []string{"eyJhbGciOiJub25lIn0.e30.",
		"eyJhbGciOiJSUzI1NiIsImtpZCI6IngifQ." + strings.Repeat("A", 12_000) + ".AA",
		"ghp_" + strings.Repeat("x", 36), "github_pat_" + strings.Repeat("y", 80), strings.Repeat("z", 15_000)}
	a.workers(64, func(int) {
		n := int(a.n.Add(1))
		token := encoded[n%len(encoded)]
		if n%2 == 0 {
			a.call(token+fmt.Sprint(n), "POST", "/v1/token", nil)
			return
		}
		a.call(token+fmt.Sprint(n), "GET", "/v1/status", nil)
	})
}
