//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"time"

	"github.com/klauspost/compress/zstd"
)

// slowExports asks for documents with all errors of a large run, and reads one byte per second.
func (a *attacker) slowExports() {
	forms := []string{"junit", "sarif", "ctrf", "checkstyle", "rdjson", "rdjsonl", "otlp"}
	a.sip(300, func(n int) (question string, params any) {
		return "export", map[string]any{"form": forms[n%len(forms)], "ref": "t0/app@build:2"}
	})
}

// slowLogs asks for a long log in several ways, and reads one byte per second.
func (a *attacker) slowLogs() {
	ways := []struct {
		question string
		params   map[string]any
	}{
		{"raw", map[string]any{"ref": "t0/app@build:1"}},
		{"output", map[string]any{"ref": "t0/app@build:1", "grep": "step .*0"}},
		{"output", map[string]any{"ref": "t0/app@build:1", "tail": 100_000}},
		{"output", map[string]any{"ref": "t0/app@build:1"}},
	}
	a.sip(300, func(n int) (question string, params any) { return ways[n%len(ways)].question, ways[n%len(ways)].params })
}

// slowShort asks for short answers over many connections, and reads one byte per second. The service reserves no memory
// for answers that are so short.
func (a *attacker) slowShort() {
	a.sip(a.Idle/2, func(n int) (question string, params any) {
		return "events", map[string]any{"ref": "t0/app@build:2", "limit": 480}
	})
}

// sip sends questions over n connections with small buffers. It reads one byte per second from each connection.
func (a *attacker) sip(n int, question func(n int) (string, any)) {
	a.each(n, func(c net.Conn) error {
		_ = c.(*net.TCPConn).SetReadBuffer(4096) // a larger buffer only makes the attack weaker
		name, params := question(int(a.n.Add(1)))
		body, err := json.Marshal(map[string]any{"params": params})
		if err != nil {
			return err
		}
		for range 3 {
			fmt.Fprintf(c, "POST /v1/ask/%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: "+
				"application/json\r\nContent-Length: %d\r\n\r\n%s", name, a.Tokens[0], len(body), body)
		}
		for one := make([]byte, 1); ; time.Sleep(time.Second) {
			if _, err := c.Read(one); err != nil {
				return err
			}
		}
	})
}

// windows sends small bodies whose zstd frames want very large windows.
func (a *attacker) windows() {
	attempt := a.begin(0, "t0/app")
	var bodies [][]byte
	for _, window := range []int{8 << 20, 64 << 20, zstd.MaxWindowSize} {
		enc, err := zstd.NewWriter(nil, zstd.WithWindowSize(window), zstd.WithSingleSegment(false))
		if err != nil {
			a.note(err.Error())
			return
		}
		bodies = append(bodies, enc.EncodeAll(noise(1)[:100_000], nil))
	}
	// a frame with the largest window of the format, without the size of its content, and with one empty block
	bodies = append(bodies, []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xff, 0x01, 0x00, 0x00})
	a.workers(64, func(worker int) {
		body := bodies[int(a.n.Add(1))%len(bodies)]
		if worker%2 > 0 {
			a.put(0, fmt.Sprintf("/v1/runs/%s/events/%d", attempt, worker), body, "application/x-ndjson")
			return
		}
		a.put(0, fmt.Sprintf("/v1/runs/%s/chunks/%d?first_line=1&lines=1&offset=0&bytes=100000", attempt, worker), body,
			"application/zstd")
	})
}
