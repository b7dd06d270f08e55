package parse

import (
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// Result is the outcome of one attempt of a test, as a test runner reports it.
type Result struct {
	Name     string
	File     string // "" if the runner does not say
	Outcome  store.TestOutcome
	Duration time.Duration // 0 if it is not known
	Message  string        // why it failed
	// Retry is set if the runner says that the test with this name was tried again.
	Retry bool
	// Same is set if all results with this name belong to one test. The runner does not say why the
	// test ran again: it may have been retried, or somebody may have asked for a repetition.
	Same bool
	// After marks a result that may come from code that runs after the test, such as its teardown. Runners count such a
	// result separately. So if the test already has an outcome other than an error, the result counts as a test of its
	// own.
	After bool
	// Distinct is set if several tests may have this name. A further result with the name belongs to another test,
	// unless Retry or Same is set.
	Distinct bool
	// Listed marks a result from a list that may repeat earlier results. The result is dropped if the same kind of
	// source already has a result of the test. But a failure is dropped only if the test already has this outcome.
	Listed bool

	document int // number of the document that has the result, 0 for a line of text
}

// Test reports the outcome of a test, if the caller of the parser wants outcomes. It ignores the outcome if the current
// line was inside of another line.
func (s *Scan) Test(r Result) {
	if s.tests == nil || r.Name == "" || s.inner {
		return
	}
	if r.File != "" {
		r.File = s.paths.clean(r.File, "")
	}
	r.document = s.document
	s.tests(r)
}

// outcomes passes a line to the formats of m that read test outcomes. It is called before the open block gets the line.
func (s *Scan) outcomes(l Line, m *mask) {
	for word, set := range m {
		for set &= s.testers[word]; set != 0; set &= set - 1 {
			i := word<<6 + bits.TrailingZeros64(set)
			if s.cur.outcomes[i] == nil {
				s.cur.outcomes[i] = s.formats[i].Outcomes()
			}
			s.cur.outcomes[i](s, l)
		}
	}
}

// Listen sends each following line of the lane to f, until f returns false or the step ends. Readers of test outcomes
// use Listen for lines without a fixed text, such as titles of suites. All formats still get the lines.
func (s *Scan) Listen(f func(Line) bool) { s.cur.listeners = append(s.cur.listeners, f) }

// listen sends a line to the listeners of the lane.
func (s *Scan) listen(l Line) {
	list := s.cur.listeners
	s.cur.listeners = nil // stays nil if a listener panics
	s.guard(func() {
		kept := list[:0]
		for _, f := range list {
			if f(l) {
				kept = append(kept, f)
			}
		}
		if len(kept) > 0 {
			s.cur.listeners = kept
		}
	})
}

// finishOutcomes tells the readers of outcomes that the log has ended. It sends them the zero Line.
func (s *Scan) finishOutcomes() {
	for _, lane := range s.lanes {
		for _, read := range lane.outcomes {
			if read != nil {
				read(s, Line{})
			}
		}
	}
}

// infrastructureFailed reports whether the message of a failure says that the machine or the network
// failed. It returns false for an assertion with such words, because then the test failed. A broken
// connection counts only if the message names a host of the network, because a test that talks to a
// server of its own breaks such connections itself.
func infrastructureFailed(message string) bool {
	if len(message) > MaxText {
		message = message[:MaxText]
	}
	if strings.Contains(message, "ssert") || strings.Contains(message, "xpected") {
		return false
	}
	return containsAny(message, infrastructure[:]) || containsAny(message, brokenConnection[:]) && namesHost(message)
}

func containsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// hostName finds IPv4 addresses, the hosts of URLs, and names before the port of HTTPS.
var hostName = lazyregexp.New(`[a-z]://([^/\s"'<>]+)|\b(\d{1,3}(?:\.\d{1,3}){3})\b|([a-z0-9-]+\.[a-z0-9.-]+):443\b`)

// namesHost reports whether a message names a host that is not this machine.
func namesHost(message string) bool {
	for _, g := range hostName.FindAllStringSubmatch(message, -1) {
		host := g[1][strings.LastIndexByte(g[1], '@')+1:] + g[2] + g[3]
		if !strings.HasPrefix(host, "127.") && !strings.HasPrefix(host, "localhost") && !strings.HasPrefix(host, "[::1]") &&
			!strings.HasPrefix(host, "0.0.0.0") {
			return true
		}
	}
	return false
}

// brokenConnection holds texts about connections that broke or could not be opened, and about gateways that failed.
var brokenConnection = [...]string{
	"Connection reset by peer", "connection reset by peer", "ECONNRESET", "Connection timed out", "ETIMEDOUT",
	"TLS handshake timeout", "502 Bad Gateway", "503 Service Unavailable", "504 Gateway",
}

var infrastructure = [...]string{
	"No space left on device", "no space left on device", "ENOSPC", "Disk quota exceeded", "disk quota exceeded",
	"Read-only file system", "read-only file system", "Input/output error", "There is not enough space on the disk",
	"Temporary failure in name resolution", "EAI_AGAIN", "Could not resolve host", "Name or service not known",
	"no such host", "Network is unreachable", "network is unreachable", "ENETUNREACH", "No route to host", "EHOSTUNREACH",
	"received a shutdown signal", "lost communication with the server", "The operation was canceled.",
}
