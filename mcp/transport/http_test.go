package transport_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/mcp/transport"
	"github.com/blq-ci/blq/store"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// modern returns a request of the revision without sessions, with its headers.
func modern(method, params string, header ...string) (string, http.Header) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	if params != "" {
		meta += "," + params
	}
	h := http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method}}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + meta + `}}`, h
}

// start serves a handler until the end of the test.
func start(t *testing.T, handler http.Handler) *httptest.Server {
	h := httptest.NewServer(handler)
	t.Cleanup(h.Close)
	return h
}

// refusal is a request that the server refuses, with the status and a part of the answer.
type refusal struct {
	name, method, path, body string
	header                   http.Header
	status                   int
	says                     string
}

func head(name, value string) http.Header { return http.Header{name: {value}} }

var refusals = []refusal{
	{"evil origin", "POST", "/mcp", ping, head("Origin", "https://evil.example"), 403, "Origin"},
	{"null origin", "POST", "/mcp", ping, head("Origin", "null"), 403, "Origin"},
	{"origin that only begins well", "POST", "/mcp", ping, head("Origin", "http://localhost.evil.example"),
		403, "Origin"},
	{"origin with a user", "POST", "/mcp", ping, head("Origin", "http://x@127.0.0.1"), 403, "Origin"},
	{"origin of a file", "POST", "/mcp", ping, head("Origin", "file://"), 403, "Origin"},
	{"evil origin opens a stream", "GET", "/sse", "", head("Origin", "https://evil.example"), 403, "Origin"},
	{"evil origin posts to a stream", "POST", "/message?sessionId=x", ping, head("Origin", "https://evil.example"),
		403, "Origin"},
	{"evil origin asks whether it may", "OPTIONS", "/mcp", "",
		http.Header{"Origin": {"https://evil.example"}, "Access-Control-Request-Method": {"POST"}}, 403, "Origin"},
	{"image of another site", "GET", "/sse", "", head("Sec-Fetch-Site", "cross-site"), 403, "other sites"},
	{"rebound name", "POST", "/mcp", ping, head("Host", "evil.example"), 403, "Host"},
	{"rebound name of a stream", "GET", "/sse", "", head("Host", "evil.example:80"), 403, "Host"},
	{"10 MB", "POST", "/mcp", strings.Repeat("a", 10<<20), nil, 413, "larger than 4194304 bytes"},
	{"10 MB to a stream", "POST", "/message", strings.Repeat("a", 10<<20), nil, 413, "larger than"},
	{"no JSON", "POST", "/mcp", `{"jsonrpc":`, nil, 400, "-32700"},
	{"nothing", "POST", "/mcp", "", nil, 400, "-32700"},
	{"batch", "POST", "/mcp", "[" + ping + "]", nil, 400, "batches are not supported"},
	{"text", "POST", "/mcp", `"hello"`, nil, 400, "-32600"},
	{"no version", "POST", "/mcp", `{"id":1,"method":"ping"}`, nil, 400, "jsonrpc"},
	{"old version", "POST", "/mcp", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, nil, 400, "jsonrpc"},
	{"no method", "POST", "/mcp", `{"jsonrpc":"2.0","id":1}`, nil, 400, "no method"},
	{"method of another type", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":5}`, nil, 400, "must be text"},
	{"id of another type", "POST", "/mcp", `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, nil, 400, "id of a request"},
	{"id null", "POST", "/mcp", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, nil, 400, "id of a request"},
	{"id with a fraction", "POST", "/mcp", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, nil, 400, "id of a request"},
	{"params of another type", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`,
		nil, 200, "-32602"},
	{"name of another type", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}`,
		nil, 200, "name is text"},
	{"uri of another type", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":{}}}`, nil,
		200, "uri is text"},
	{"prompt arguments of another type", "POST", "/mcp",
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"a","arguments":{"b":5}}}`, nil,
		200, "values are text"},
	{"completion without a type", "POST", "/mcp",
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"x"}}}`, nil,
		200, "ref is an object"},
	{"deep JSON", "POST", "/mcp", strings.Repeat("[", 99_000), nil, 400, "-32700"},
	{"very many values", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":[` +
		strings.Repeat("0,", 100_000) + `0]}}`, nil, 413, "values and keys"},
	{"very many values to a stream", "POST", "/message", strings.Repeat("[", 200_000), nil, 413, "values and keys"},
	{"unknown method", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"nosuch"}`, nil, 200, "-32601"},
	{"panic in a completion", "POST", "/mcp",
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"b","value":"c"}}}`, nil, 500, "internal error"},
	{"panic in a tool", "POST", "/mcp", tool(1, "panics"), nil, 500, "internal error"},
	{"text/plain", "POST", "/mcp", ping, head("Content-Type", "text/plain"), 415, "application/json"},
	{"no type", "POST", "/mcp", ping, head("Content-Type", ""), 415, "application/json"},
	{"unknown revision", "POST", "/mcp", ping, head("Mcp-Protocol-Version", "1999-01-01"),
		400, "Unsupported protocol version"},
	{"GET", "GET", "/mcp", "", nil, 405, "POST only"},
	{"GET of a modern client", "GET", "/mcp", "", head("Mcp-Protocol-Version", "2026-07-28"), 405, "POST only"},
	{"DELETE", "DELETE", "/mcp", "", head("Mcp-Session-Id", "forged"), 405, "POST only"},
	{"POST to the stream", "POST", "/sse", ping, nil, 405, "GET only"},
	{"no such path", "GET", "/", "", nil, 404, "/mcp"},
	{"forged stream", "POST", "/message?sessionId=forged", ping, nil, 404, "no such session"},
	{"forged stream with a proof", "POST", "/message?sessionId=forged-00000000000000000000000000000000", ping,
		nil, 404, "no such session"},
}

func TestWhatIsNotServed(t *testing.T) {
	t.Parallel()
	var l log
	h := start(t, transport.NewHandler(config(&l, nil), transport.HTTPConfig{Origins: []string{"https://ci.example.com"}}))
	mismatch, mismatchHeader := modern("tools/call", `"name":"good"`, "Mcp-Name", "panics")
	unversioned, unversionedHeader := modern("tools/call", `"name":"good"`, "Mcp-Protocol-Version", "2027-01-01")
	for _, c := range append(refusals,
		refusal{"header against body", "POST", "/mcp", mismatch, mismatchHeader, 400, "-32020"},
		refusal{"versions that differ", "POST", "/mcp", unversioned, unversionedHeader, 400, "-32020"},
	) {
		t.Run(c.name, func(t *testing.T) {
			status, body := send(t, c.method, h.URL+c.path, c.body, c.header)
			if status != c.status || !strings.Contains(body, c.says) {
				t.Errorf("answered %d %s, want %d and %q", status, body, c.status, c.says)
			}
			var answer struct {
				JSONRPC string
				Error   struct {
					Code    int
					Message string
				}
			}
			if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.JSONRPC != "2.0" || answer.Error.Code == 0 ||
				answer.Error.Message == "" {
				t.Errorf("no error of JSON-RPC: %s", body)
			}
			checkNoLeak(t, body)
			if status, body := send(t, "POST", h.URL+"/mcp", tool(7, "good"), nil); status != 200 ||
				!strings.Contains(body, "fine") {
				t.Errorf("afterwards a good call is answered %d %s", status, body)
			}
		})
	}
	if !strings.Contains(l.String(), "secret detail") || !strings.Contains(l.String(), "goroutine") {
		t.Errorf("the log does not tell of the panic: %s", l.String())
	}
}

func TestWhatIsServed(t *testing.T) {
	t.Parallel()
	var l log
	h := start(t, transport.NewHandler(config(&l, nil),
		transport.HTTPConfig{Origins: []string{"https://ci.example.com"}, Hosts: []string{"box.example"}}))
	call, header := modern("tools/call", `"name":"good"`, "Mcp-Name", "good")
	for name, c := range map[string]struct {
		body   string
		header http.Header
		status int
		says   string
	}{
		"page of this machine":      {tool(1, "good"), http.Header{"Origin": {"http://localhost:6274"}}, 200, "fine"},
		"configured origin":         {tool(1, "good"), http.Header{"Origin": {"https://ci.example.com"}}, 200, "fine"},
		"configured host":           {tool(1, "good"), http.Header{"Host": {"box.example"}}, 200, "fine"},
		"name of this machine":      {tool(1, "good"), http.Header{"Host": {"localhost:1"}}, 200, "fine"},
		"forged session":            {tool(1, "good"), http.Header{"Mcp-Session-Id": {"forged"}}, 200, "fine"},
		"modern":                    {call, header, 200, "fine"},
		"text id":                   {tool("a", "good"), nil, 200, `"id":"a"`},
		"notification":              {`{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, ""},
		"notification nobody knows": {`{"jsonrpc":"2.0","method":"notifications/nosuch"}`, nil, 202, ""},
		"answer to nothing":         {`{"jsonrpc":"2.0","id":3,"result":{}}`, nil, 202, ""},
		"cancellation of nothing": {`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`,
			nil, 202, ""},
		"keys that nobody knows": {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1},"b":2}`, nil,
			200, `"result":{}`},
		"question of a page's browser": {
			ping, http.Header{"Origin": {"http://127.0.0.1:1"}, "Sec-Fetch-Site": {"cross-site"}}, 200, "result"},
		"content type with a parameter": {ping, http.Header{"Content-Type": {"application/json; charset=utf-8"}},
			200, "result"},
		"params null": {`{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, nil, 200, "result"},
		"arguments of an unexpected kind": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good","arguments":[1]}}`, nil, 200, "fine"},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := send(t, "POST", h.URL+"/mcp", c.body, c.header)
			if status != c.status || !strings.Contains(body, c.says) {
				t.Errorf("answered %d %s, want %d and %q", status, body, c.status, c.says)
			}
		})
	}
}

func TestBrowsersOfTrustedPagesMayReadAnswers(t *testing.T) {
	t.Parallel()
	h := start(t, transport.NewHandler(config(&log{}, nil), transport.HTTPConfig{}))
	for _, path := range []string{"/mcp", "/sse"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", "http://localhost:6274")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if got := answer.Header.Values("Access-Control-Allow-Origin"); len(got) != 1 || got[0] != "http://localhost:6274" {
			t.Errorf("%s allows %q to read, want the page alone", path, got)
		}
	}
}

func TestPagesOfOtherSitesMayNotReadTheirRefusal(t *testing.T) {
	t.Parallel()
	h := transport.NewHandler(config(&log{}, nil), transport.HTTPConfig{})
	for _, method := range []string{http.MethodPost, http.MethodOptions} {
		r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1/mcp", strings.NewReader(ping))
		r.Header.Set("Origin", "https://evil.example")
		r.Header.Set("Access-Control-Request-Method", "POST")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got := w.Header().Get("Access-Control-Allow-Origin"); w.Code != http.StatusForbidden || got != "" {
			t.Errorf("%s is answered %d and lets %q read", method, w.Code, got)
		}
	}
}

func TestStopLetsRequestsFinishAndEndsStreams(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- transport.NewHandler(config(&log{}, release), transport.HTTPConfig{}).Serve(ctx, l)
	}()
	url := "http://" + l.Addr().String()
	_, events := openStream(t, url, nil)
	answered := make(chan string, 1)
	go func() {
		_, body := send(t, "POST", url+"/mcp", tool(1, "waits"), nil)
		answered <- body
	}()
	release <- struct{}{} // the call has begun
	stop()
	for events.Scan() { // until the server ends the stream
	}
	release <- struct{}{}
	if got := <-answered; !strings.Contains(got, "late") {
		t.Errorf("the request was answered %s", got)
	}
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestStopDoesNotWaitForAMessageThatDoesNotCome(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := config(&log{}, nil)
	c.Timeout = time.Hour
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- transport.NewHandler(c, transport.HTTPConfig{}).Serve(ctx, l) }()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	fmt.Fprint(client, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "+
		"1000\r\nExpect: 100-continue\r\n\r\n")
	answer := bufio.NewReader(client)
	if line, err := answer.ReadString('\n'); !strings.Contains(line, "100 Continue") {
		t.Fatalf("%q, %v: the server does not wait for the message", line, err)
	}
	stop()
	if rest, _ := io.ReadAll(answer); !strings.Contains(string(rest), "408 Request Timeout") ||
		!strings.Contains(string(rest), "did not arrive in time") {
		t.Errorf("the message that did not come was answered %q", rest)
	}
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestAMessageThatDoesNotComeDoesNotHoldItsConnection(t *testing.T) {
	t.Parallel()
	c := config(&log{}, nil)
	c.Timeout = time.Second
	h := start(t, transport.NewHandler(c, transport.HTTPConfig{}))
	client, err := net.Dial("tcp", h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	fmt.Fprint(
		client, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
	// until the server closes the connection
	if all, _ := io.ReadAll(client); !strings.Contains(string(all), "408 Request Timeout") {
		t.Errorf("the message that did not come was answered %q", all)
	}
}

func TestNotificationsOfACallComeBeforeItsAnswer(t *testing.T) {
	t.Parallel()
	h := start(t, transport.NewHandler(config(&log{}, nil), transport.HTTPConfig{}))
	call, header := modern("tools/call", `"name":"tells"`, "Mcp-Name", "tells")
	for range 20 {
		for _, c := range []struct {
			body   string
			header http.Header
		}{{tool(1, "tells"), nil}, {call, header}} {
			status, body := send(t, "POST", h.URL+"/mcp", c.body, c.header)
			events := strings.Split(strings.TrimSpace(body), "\n\n")
			if status != 200 || len(events) != 6 || strings.Count(body, "notifications/progress") != 5 ||
				!strings.Contains(events[5], "told") {
				t.Fatalf("answered %d %s", status, body)
			}
		}
	}
}

func TestAClientThatGoesAwayEndsItsRequest(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	h := start(t, transport.NewHandler(config(&log{}, release), transport.HTTPConfig{}))
	call, header := modern("tools/call", `"name":"waits"`, "Mcp-Name", "waits")
	for _, c := range []struct {
		body   string
		header http.Header
	}{{tool(1, "waits"), nil}, {call, header}} {
		ctx, leave := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+"/mcp", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = c.header.Clone()
		if r.Header == nil {
			r.Header = http.Header{}
		}
		r.Header.Set("Content-Type", "application/json")
		left := make(chan error, 1)
		go func() {
			answer, err := http.DefaultClient.Do(r)
			if err == nil {
				answer.Body.Close()
			}
			left <- err
		}()
		release <- struct{}{} // the call has begun
		leave()
		if err := <-left; err == nil {
			t.Error("the client that left got an answer")
		}
	}
	h.Close() // Close waits for requests, which end although nothing has released them
}

// Long messages are decoded in turns, short ones at once.
func TestALongMessageWaitsForItsTurn(t *testing.T) {
	turns := 0
	h := transport.NewHandler(config(io.Discard, nil), transport.HTTPConfig{Turn: func(context.Context) (func(), error) {
		turns++
		if turns > 1 {
			return nil, store.Errorf(store.RateLimited, "too many wait")
		}
		return func() { turns++ }, nil
	}})
	server := start(t, h)
	for i, want := range []struct{ size, status, turns int }{{10, 200, 0}, {64 << 10, 200, 2}, {64 << 10, 429, 3}} {
		res, err := http.Post(server.URL+"/mcp", "application/json", strings.NewReader(ping+strings.Repeat(" ", want.size)))
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want.status || turns != want.turns {
			t.Errorf("message %d: status %d after %d turns", i, res.StatusCode, turns)
		}
	}
}
