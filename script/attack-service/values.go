//go:build linux

package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/api"
)

// webhookSecret is the secret of the service's webhooks.
const webhookSecret = "attack"

// values sends JSON with very many small values, each of which needs far more memory than its text.
func (a *attacker) values() {
	const header, kind = "Content-Type", "application/json"
	list := func(value string, bytes int) string { return strings.Repeat(value+",", bytes/(len(value)+1)) + value }
	hook := []byte(`{"action":"completed","workflow_job":{"steps":[` + list("{}", 24<<20) + `]}}`)
	mac := hmac.New(sha256.New, []byte(webhookSecret))
	mac.Write(hook)
	signature := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	call := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status","arguments":{"x":[` +
		list("0", 3<<20) + `]}}}`)
	sent := []byte(`{"ancestors":[` + list(`""`, 1<<20-1000) + `]}`)
	a.workers(32, func(worker int) {
		switch worker % 3 {
		case 0:
			a.call("", "POST", "/webhooks/github", hook, header, kind, "X-Hub-Signature-256", signature,
				"X-GitHub-Event", "workflow_job", "X-GitHub-Delivery", fmt.Sprint(a.n.Add(1)))
		case 1:
			a.call(a.Tokens[0], "POST", "/mcp", call, header, kind, "Accept", "application/json, text/event-stream")
		default:
			a.call(a.Tokens[0], "POST", "/v1/facts", sent, header, kind)
		}
	})
}

// longTexts starts runs with very long commands, and asks about them.
func (a *attacker) longTexts() {
	long := strings.Repeat("x", 250<<10)
	about := []string{"/v1/history?limit=10000", "/v1/status", "/v1/triage"}
	a.workers(16, func(worker int) {
		if worker%2 > 0 {
			a.call(a.Tokens[0], "GET", about[worker/2%len(about)], nil)
			return
		}
		body, _ := json.Marshal(api.Start{AttemptID: attemptID(int(a.n.Add(1))), Repo: "t0/app",
			Source: fmt.Sprint("build", a.n.Load()%1000), Command: "make " + long, StartedAt: time.Now()})
		a.call(a.Tokens[0], "POST", "/v1/runs", body, "Content-Type", "application/json")
	})
}

// largeHeaders sends headers of the max size, without the end of the body.
func (a *attacker) largeHeaders() {
	a.each(4000, func(c net.Conn) error {
		if _, err := io.WriteString(c, "POST /webhooks/github HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+
			"X-Hub-Signature-256: sha256=00\r\nContent-Length: 1000\r\nX: "+strings.Repeat("y", 15_000)+"\r\n\r\n"); err != nil {
			return err
		}
		return hold(c)
	})
}
