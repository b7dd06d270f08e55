package parse

import "bytes"

// tailFollows ends the line of Nix 2.3 above the last lines of a builder's log.
var tailFollows = []byte(" log lines:")

// nix recognizes Nix by a derivation that it builds, or that it could not build.
func (w *workspace) nix(b []byte) {
	rest := bytes.TrimPrefix(b, []byte("error: "))
	for _, start := range [...]string{"building '/nix/store/", "builder for '/nix/store/", "Cannot build '/nix/store/"} {
		if bytes.HasPrefix(rest, []byte(start)) && (w.runner == noRunner || w.runner == nixRunner) {
			w.runner = nixRunner
			w.nixTail = bytes.HasSuffix(b, tailFollows)
		}
	}
}

// nixLane is the lane of the last lines of a builder's log. Nix shows them below the error.
const nixLane = "nix log"

// nixLog removes what Nix puts before a line of a builder's output: "hello> " with --print-build-logs, "       > " in
// the last lines of a log, or two blanks in an older version.
func (w *workspace) nixLog(b []byte) (lane string, rest []byte) {
	if w.nixTail {
		if bytes.HasPrefix(b, []byte("  ")) {
			return nixLane, b[2:]
		}
		w.nixTail = bytes.HasSuffix(b, tailFollows)
	}
	i := bytes.IndexByte(b[:min(len(b), 100)], '>')
	if i < 1 || i+1 < len(b) && b[i+1] != ' ' {
		return "", b
	}
	rest = bytes.TrimPrefix(b[i+1:], []byte(" "))
	if string(b[:i]) == "       " {
		return nixLane, rest
	}
	for _, c := range b[:i] {
		if !IsLower(c|0x20) && !IsDigit(c) && bytes.IndexByte([]byte("+-._?="), c) < 0 {
			return "", b
		}
	}
	return string(b[:i+1]), rest
}
