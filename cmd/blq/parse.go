package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/ingest/parse"
)

func newParse(a *app) *cobra.Command {
	var f logFlags
	c := &cobra.Command{
		Use:   "parse [FILE]",
		Short: "Print the events of a log as JSON lines; nothing is stored",
		Example: `  blq parse build.log
  gh run view --log 123 | blq parse | jq -r .message`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			in, _, err := a.logFile(args)
			if err != nil {
				return err
			}
			defer in.Close()
			return a.parse(in, f, f.known(c))
		},
	}
	f.add(c)
	return c
}

// parseGCPercent is the value of GOGC for blq parse after the first garbage collection. With Go's default of 100, a log
// with many events takes more processor time.
const parseGCPercent = 400

func (a *app) parse(in io.Reader, f logFlags, exitCode *int) error {
	gcPercent.Store(parseGCPercent)
	list, err := selectFormats(f.format)
	if err != nil {
		return err
	}
	matchers, err := readMatchers(f.matchers)
	if err != nil {
		return err
	}
	out := newLineWriter(a.stdout)
	opts := parse.Options{Formats: list, Matchers: matchers, NoPatterns: true}
	err = parse.Read(in, exitCode, opts, out.event)
	if err != nil {
		err = fmt.Errorf("read log: %w", err)
	}
	return errors.Join(err, out.close())
}
