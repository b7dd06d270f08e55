package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// A connection without a complete request makes room for a new one.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	t.Parallel()
	b := newBounded(t, func(l *limits) { l.Connections = 3 })
	address := strings.TrimPrefix(b.URL, "http://")
	var idle []net.Conn
	for _, sent := range []string{"", "GET /v1/st", "GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "", "GET", ""} {
		conn, err := net.Dial("tcp", address)
		check(t, err)
		defer conn.Close()
		_, err = conn.Write([]byte(sent))
		check(t, err)
		idle = append(idle, conn)
	}
	until(t, "all were accepted", func() bool { return strings.Contains(b.metrics(), "blq_connections 3") })
	for range 4 {
		conn, err := net.Dial("tcp", address)
		check(t, err)
		defer conn.Close()
		_, err = conn.Write([]byte("GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"))
		check(t, err)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		check(t, err)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("beside idle connections: %s", resp.Status)
		}
	}
	if _, err := idle[0].Read(make([]byte, 1)); err == nil {
		t.Error("the first connection is still open")
	}
}

// Anybody can send a request whose body never arrives. A new connection may replace its connection, as long as the
// caller is not known.
func TestRequestsOfUnknownCallersMakeRoom(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", func(c *Config) { c.Limits.Connections = 3; c.Webhook = "secret" })
	token := w.token("one/app")
	address := strings.TrimPrefix(w.url, "http://")
	for range 3 {
		conn, err := net.Dial("tcp", address)
		check(t, err)
		defer conn.Close()
		_, err = conn.Write([]byte("POST /webhooks/github HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
			"X-Hub-Signature-256: sha256=00\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n"))
		check(t, err)
		status := make([]byte, len("HTTP/1.1 100"))
		if _, err = io.ReadFull(conn, status); string(status[9:]) != "100" {
			t.Fatalf("the server does not wait for the body: %s, %v", status, err)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+"/v1/status", nil)
	check(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	check(t, err)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("beside requests without a body: %s", resp.Status)
	}
}

func TestOneNetworkLeavesConnectionsForOthers(t *testing.T) {
	t.Parallel()
	c := newCapped(nil, 8, func(n string) bool { return n == "10.0.0.9" }, func(int) {}, func() {})
	admit := func(from string) bool {
		k, _ := c.admit(conn{from: from})
		if k != nil {
			c.note(k, 1)
		}
		return k != nil
	}
	open := func(from string) (n int) {
		for admit(from) {
			n++
		}
		return n
	}
	if n := open("1.2.3.4:5"); n != 4 {
		t.Errorf("the first network has %d of 8", n)
	}
	if n := open("[2001:db8::1]:5"); n != 2 || admit("[2001:db8::2]:5") || !admit("[2001:db9::2]:5") {
		t.Errorf("the second network has %d of 8", n)
	}
	if n := open("10.0.0.9:5"); n != 1 {
		t.Errorf("a proxy has %d, of what is left", n)
	}
}

// conn is a connection from the given address.
type conn struct {
	net.Conn
	from string
}

func (c conn) RemoteAddr() net.Addr {
	a, _ := net.ResolveTCPAddr("tcp", c.from)
	return a
}

func (conn) Close() error { return nil }
