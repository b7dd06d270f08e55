package main

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/term"
)

// greet prints the URL of the service and first steps, for people. If callers need credentials, it prints only to a
// terminal. Programs can read the address of the service in the log.
func (a *app) greet(addr net.Addr) {
	if !a.config.open() && !isTerminal(a.stderr) {
		return
	}
	base := a.base(addr)
	fmt.Fprintf(a.stderr, "blqd %s serves at %s\n", version, base)
	fmt.Fprintf(a.stderr, "  runs in         %s\n", a.config.databaseName())
	fmt.Fprintf(a.stderr, "  logs in         %s\n", redactURL(a.config.blobsURL()))
	bearer, header := "", ""
	if !a.config.open() {
		bearer, header = ` -H "Authorization: Bearer $BLQ_TOKEN"`, ` --header "Authorization: Bearer $BLQ_TOKEN"`
	}
	data := ""
	if a.config.Database == "" {
		data = " --data " + a.config.Data
	}
	fmt.Fprintf(a.stderr,
		"  make a token    export BLQ_TOKEN=$(blqd token create%s --name me --scope ingest,read,query --owner '*')\n", data)
	fmt.Fprintf(a.stderr, "  send a run      blq run --remote %s -- make\n", base)
	fmt.Fprintf(a.stderr, "  ask             curl%s %s/v1/status\n", bearer, base)
	fmt.Fprintf(a.stderr, "  agents          claude mcp add --transport http blq %s/mcp%s\n", base, header)
	if a.config.open() {
		fmt.Fprintln(a.stderr, "  who             everybody on this machine, without a token; --auth required changes that")
	}
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
