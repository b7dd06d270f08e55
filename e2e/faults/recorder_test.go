//go:build linux

package faults

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/blq-ci/blq/ingest/api"
)

// recorder is a proxy in front of the server that notes what the server acknowledges. It outlives clients and server.
// Each client has a path of its own.
type recorder struct {
	*httptest.Server
	to *server

	mu       sync.Mutex
	acks     []ack
	statuses map[int]int       // number of answers by status
	faults   map[string]*fault // by name of the client
	told     chan struct{}     // receives a value after each answer
	tell     func(acks, refusals int)
	refusals int // number of answers with status 5xx
}

// ack is a request that the server acknowledged.
type ack struct {
	path   string // below /v1
	digest string
	body   []byte // set for requests other than chunks
	answer []byte
}

func record(t *testing.T, to *server) *recorder {
	t.Helper()
	p := &recorder{to: to, statuses: map[int]int{}, faults: map[string]*fault{}, told: make(chan struct{}, 1)}
	p.Server = httptest.NewUnstartedServer(p)
	p.Config.ErrorLog = quiet
	p.Start()
	t.Cleanup(p.Close)
	return p
}

// url returns the address of the server for a client.
func (p *recorder) url(client string) string { return p.URL + "/" + client }

// befall sets the fault for the next requests of a client.
func (p *recorder) befall(client string, f *fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults[client] = f
}

// direct uses a new connection for each request, because the connections to a killed server do not work any more.
var direct = &http.Transport{DisableKeepAlives: true, DisableCompression: true}

// ServeHTTP passes a request on to the server and notes the answer. A fault can break the request or the answer.
func (p *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	client, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	ctx, cut := context.WithCancel(r.Context())
	defer cut()
	f := p.arrived(client)
	if f != nil && f.victim == theWire {
		f.strike = cut
	}
	out := r.Clone(ctx)
	out.RequestURI, out.URL.Scheme, out.URL.Host, out.URL.Path = "", "http", p.to.addr, "/"+path
	body := &tapped{ReadCloser: r.Body, fault: f, size: r.ContentLength}
	if out.Body = body; r.ContentLength == 0 {
		out.Body = nil
	}
	res, err := direct.RoundTrip(out)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	p.note(r, client, "/"+path, res.StatusCode, body.text.Bytes(), answer)
	if err != nil || f.answered() {
		panic(http.ErrAbortHandler)
	}
	for name, values := range res.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(res.StatusCode)
	_, _ = w.Write(answer) // an error means that the client is gone
}

// arrived returns the fault that strikes in this request, or nil.
func (p *recorder) arrived(client string) *fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.faults[client]
	if f == nil {
		return nil
	}
	if f.request--; f.request != 0 {
		return nil
	}
	return f
}

func (p *recorder) note(r *http.Request, client, path string, status int, body, answer []byte) {
	p.mu.Lock()
	p.statuses[status]++
	if status < 300 && r.Method != http.MethodGet {
		a := ack{path: strings.TrimPrefix(path, "/v1"), digest: r.Header.Get(api.DigestHeader), answer: answer}
		if !strings.Contains(path, "/chunks/") {
			a.body = bytes.Clone(body)
		} else if f := p.faults[client]; f != nil {
			f.first.Do(func() { close(f.begun) })
		}
		p.acks = append(p.acks, a)
	}
	if status >= 500 {
		p.refusals++
	}
	acks, refusals, tell := len(p.acks), p.refusals, p.tell
	p.mu.Unlock()
	if tell != nil {
		tell(acks, refusals)
	}
	select {
	case p.told <- struct{}{}:
	default:
	}
}

// heard sets f, which is called after the server's answer and before the client gets the answer. The arguments of f are
// the number of acknowledged requests and the number of answers with status 5xx so far.
func (p *recorder) heard(f func(acks, refusals int)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tell = f
}
