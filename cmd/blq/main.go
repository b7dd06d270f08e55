// Command blq records the output of build steps and answers questions about it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/store"
)

func main() {
	capture.Reexec()
	collectLater()
	os.Exit(run())
}

// gcPercent is the value of GOGC after the first garbage collection. Commands that make much short-lived data set it.
var gcPercent atomic.Int32

// collectLater lets the heap grow to 16 MB before the first garbage collection. Most commands end before that. GOGC in
// the environment takes precedence.
func collectLater() {
	gcPercent.Store(100)
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(400) // the first collection is at 4 MB for 100, and at 16 MB for 400
	type heap struct{ _ [64]byte }
	runtime.AddCleanup(new(heap), func(struct{}) { debug.SetGCPercent(int(gcPercent.Load())) }, struct{}{})
}

// run executes the command line and returns the exit code. The code is 0 for success, 1 for an error of blq or a failed
// check, 2 for wrong usage, or the exit code of the wrapped command.
func run() int {
	outliveFileSizes()
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv}
	a.style = newStyle(a.getenv, os.Stdout)
	a.notes = newStyle(a.getenv, os.Stderr)
	root := newTree(a, os.Args[1:])
	if completing(os.Args[1:]) {
		a.complete(root)
	}
	root.SetArgs(joinFields(root, joinRemote(os.Args[1:])))
	command, err := root.ExecuteContextC(context.Background())
	a.close()
	a.command = command.CommandPath()
	code := a.exitCode(err)
	if a.died != nil {
		capture.Exit(*a.died) // end this process with the signal that ended the command
	}
	return code
}

// usage is an error about the command line itself.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

func (a *app) exitCode(err error) int {
	var code exit
	var bad usage
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return code.code
	case errors.Is(err, syscall.EPIPE):
		return 0 // the reader, such as head, has closed the output
	}
	a.complain(err)
	if errors.As(err, &bad) || !a.began || store.CodeOf(err) == store.Invalid {
		return 2
	}
	return 1
}

// complain prints an error, and then advice for the user, or a command line that the user should try next.
func (a *app) complain(err error) {
	fmt.Fprintf(a.stderr, "blq: %v\n", err)
	if a.form.argument != "" && store.CodeOf(err) == store.NotFound && len(a.form.known) > 0 {
		fmt.Fprintf(a.stderr, "  %v\n", unknownField(a.form.argument, a.form.known))
	}
	step := store.NextOf(err)
	if advice, ok := step.(store.Text); ok {
		fmt.Fprintf(a.stderr, "  %s\n", advice)
		if a.began && store.CodeOf(err) != store.Invalid {
			return // the error is not about the command line, so help is not useful
		}
		step = nil
	}
	if step == nil {
		step = store.Shell{Line: a.command + " -h"}
	}
	fmt.Fprintf(a.stderr, "  try: %s\n", a.stepText(step))
}

// newTrunk returns the command blq without its subcommands.
func newTrunk(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "blq COMMAND",
		Short: "Ask what your build said",
		Long: `blq wraps a build step, keeps what it printed, and turns it into events that
you can ask about: errors, warnings and failed tests with file and line.`,
		Example: `  blq run -- make -j8     # run a command and record it
  blq errors              # what went wrong
  blq inspect make:1:3    # one error with its log and source
  blq diff                # what changed since the baseline`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noSuchCommand,
		RunE:          help,
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.AddGroup(&cobra.Group{ID: "record", Title: "Record:"}, &cobra.Group{ID: "ask", Title: "Ask:"},
		&cobra.Group{ID: "serve", Title: "Serve agents:"}, &cobra.Group{ID: "keep", Title: "Keep in order:"})
	return root
}
