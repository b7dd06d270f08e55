//go:build linux

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

// bareEngine is the name of a service that does no work. Its neighbour shows what the attackers alone take from a
// machine. The service itself is to blame for what is slower than that.
const bareEngine = "bare"

// serveBare serves a service that reads each body and answers every request alike. It never returns without an error.
func serveBare() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, `{"msg":"serving","addr":%q}`+"\n", listener.Addr())
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // an attacker may break off
		status := http.StatusOK
		if r.URL.Path == "/v1/runs" {
			status = http.StatusCreated // so that attackers go on to send events
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "{}\n")
	}))
}
