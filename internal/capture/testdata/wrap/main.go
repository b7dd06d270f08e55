// Command wrap runs a command in a terminal, as blq does. A test builds wrap with the build tag and the linker flags
// that script/compile.sh uses to see ignored signals.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/blq-ci/blq/internal/capture"
)

func main() {
	capture.Reexec()
	sink := func(capture.Stream, []byte) error { return nil }
	res, err := capture.Run(context.Background(), capture.Command{Args: os.Args[1:], PTY: true}, sink)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	}
	capture.Exit(res)
}
