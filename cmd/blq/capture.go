package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/step"
	"github.com/blq-ci/blq/query"
)

func newCapture(a *app) *cobra.Command {
	var f logFlags
	c := &cobra.Command{
		Use:   "capture",
		Short: "Record what comes from a pipe, and pass it on",
		Long: `Capture records its input and passes it on. How the command ended is not known
to it: the run is FAIL when errors are found. blq run knows, and is better. A log
without a name is compared with no other: give it the name of its step.`,
		Example: `  make 2>&1 | blq capture --name build
  set -o pipefail; make 2>&1 | blq capture -n build   # ends with make's exit code`,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.name == "" {
				f.name = step.Unnamed
			}
			in := io.TeeReader(a.stdin, passOn{a.stdout})
			if a.form.json {
				in = a.stdin
			}
			err := a.importLog(c.Context(), f, "capture", in, f.known(c))
			var bad usage
			if err != nil && !a.form.json && !errors.As(err, &bad) {
				fmt.Fprintf(a.stderr, "blq: not recorded: %v\n", err)
				_, err = io.Copy(io.Discard, in) // read the remaining input, so that the writer does not fail
			}
			return err
		},
	}
	f.add(c)
	c.Flags().StringVarP(&f.name, "name", "n", "", "`SOURCE` of the run (default: stdin)")
	jsonFlags(c, a, query.Result{}, "print the result as JSON instead of the input")
	c.Flags().BoolVar(&f.raw, "no-redact", false, noRedactUsage)
	return c
}

// passOn writes to a reader that may have stopped reading. It ignores errors, because recording continues.
type passOn struct{ w io.Writer }

func (p passOn) Write(b []byte) (int, error) {
	_, _ = p.w.Write(b) // an error means that nobody reads the text any more
	return len(b), nil
}
