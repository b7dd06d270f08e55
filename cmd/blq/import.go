package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/internal/step"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

func newImport(a *app) *cobra.Command {
	var f logFlags
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Record a log that exists already",
		Long: `Import records the log of a command that ran elsewhere, such as a downloaded
CI log. Without --exit-code the run is FAIL when errors are found in it.`,
		Example: `  blq import build.log
  blq import --name ci --exit-code 1 job-logs.txt`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			in, name, err := a.logFile(args)
			if err != nil {
				return err
			}
			defer in.Close()
			if f.name == "" {
				f.name = a.sourceOfFile(name)
			}
			return a.importLog(c.Context(), f, strings.TrimSpace("import "+shellword.Quote(name)), in, f.known(c))
		},
	}
	f.add(c)
	c.Flags().StringVarP(
		&f.name, "name", "n", "", "`SOURCE` of the run (default: the file's name, with its directory: api/build)")
	jsonFlags(c, a, query.Result{}, "print the result as JSON")
	c.Flags().BoolVar(&f.raw, "no-redact", false, noRedactUsage)
	return c
}

// sourceOfFile returns the name of the source for a log file. If the file is in a subdirectory of the project, the name
// begins with that directory. For standard input, "-", the name is step.Unnamed.
func (a *app) sourceOfFile(name string) string {
	if name == "-" {
		return step.Unnamed
	}
	source := store.SourceName(strings.TrimSuffix(name, ".log"))
	file, err := filepath.Abs(name)
	if err != nil {
		return source
	}
	return step.In(step.Within(filepath.Dir(file), a.root()), source)
}
