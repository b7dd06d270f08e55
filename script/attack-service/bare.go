//go:build linux

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

// bareEngine is the name of a service that does no work. With this service, the answers to the neighbour show how much
// the attackers alone slow down the machine. If a real service is slower, the service is the cause.
const bareEngine = "bare"

// serveBare serves a service that reads each body, and gives the same answer to every request. It returns only with an
// error.
func serveBare() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, `{"msg":"serving","addr":%q}`+"\n", listener.Addr())
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // an attacker may close the connection early
		status := http.StatusOK
		if r.URL.Path == "/v1/runs" {
			status = http.StatusCreated // so that attackers go on to send events
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "{}\n")
	}))
}
