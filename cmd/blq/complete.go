//go:build !job

package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/blq-ci/blq/ingest/parse/formats"
	"github.com/blq-ci/blq/internal/clientconfig"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// lister lists words that a shell can complete.
type lister func(ctx context.Context) []string

// completing reports whether a shell asks for the completion of a word.
func completing(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// complete sets the functions that return the possible arguments and flag values for shells.
func (a *app) complete(root *cobra.Command) {
	root.PersistentFlags().Lookup("directory").Value = lastDir{&a.all.dir}
	each(root, func(c *cobra.Command) {
		if words := a.arguments(c); words != nil {
			c.ValidArgs = nil
			c.ValidArgsFunction = func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
				return words(c.Context(), args), cobra.ShellCompDirectiveNoFileComp
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) { a.completeValue(c, f) })
		c.PersistentFlags().VisitAll(func(f *pflag.Flag) { a.completeValue(c, f) })
	})
}

// completeValue sets the function that returns the possible values of a flag.
func (a *app) completeValue(c *cobra.Command, f *pflag.Flag) {
	f.Usage = strings.ReplaceAll(f.Usage, "`", "")
	values := a.values(c, f)
	if values == nil {
		return
	}
	_ = c.RegisterFlagCompletionFunc(f.Name,
		func(c *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
			all := slices.Clone(values(c.Context()))
			if done := word[:strings.LastIndexByte(word, ',')+1]; done != "" { // complete only the last word of a list
				for i := range all {
					all[i] = done + all[i]
				}
			}
			return all, cobra.ShellCompDirectiveNoFileComp
		})
}

// values returns a function that lists values for a flag. It returns nil if blq has no values to suggest, for example
// if the value is a file.
func (a *app) values(c *cobra.Command, f *pflag.Flag) lister {
	of := func(words ...string) lister { return func(context.Context) []string { return words } }
	switch f.Name {
	case "json":
		if v, ok := f.Value.(*jsonFlag); ok {
			return of(v.known()...)
		}
	case "color":
		return of("auto", "always", "never")
	case "status":
		return of(statuses...)
	case "severity":
		if c.Name() == "lint" {
			return of("all", "error", "warn")
		}
		return of("error", "warning", "info")
	case "since":
		return of("1h", "24h", "7d", "30d")
	case "fail-on":
		return of("errors", "new-errors")
	case "stream":
		return of("combined", "stdout", "stderr")
	case "client":
		return of(clientconfig.Clients()...)
	case "transport":
		return of("stdio", "http", "sse")
	case "toolsets":
		return of(append(questions.GroupNames(), questions.ToolsetNames()...)...)
	case "disabled-tools":
		return of(knownTools()...)
	case "compat":
		return of("lq")
	case "source", "name":
		return a.sources
	case "context":
		if f.Value.Type() == "string" {
			return of("none", "symmetric", "all")
		}
	case "baseline":
		return a.runs
	case "format":
		if c.Name() == "report" || c.Name() == "comment" {
			return of("pr-comment", "brief", "detailed")
		}
		return formatNames
	}
	return nil
}

// arguments returns a function that lists values for the next argument of a command. It returns nil if blq has no
// values to suggest.
func (a *app) arguments(c *cobra.Command) func(ctx context.Context, args []string) []string {
	first := func(list lister) func(ctx context.Context, args []string) []string {
		return func(ctx context.Context, args []string) []string {
			if len(args) > 0 {
				return nil
			}
			return list(ctx)
		}
	}
	_, form, _ := strings.Cut(c.Use, " ")
	switch {
	case c.Name() == "run", c.Name() == "unregister":
		return first(a.registered)
	case c.Name() == "clean":
		return func(ctx context.Context, args []string) []string {
			switch {
			case len(args) == 0:
				return []string{"data", "source", "prune", "schema", "full"}
			case len(args) == 1 && args[0] == "source":
				return a.sources(ctx)
			}
			return nil
		}
	case c.Name() == "export":
		return func(ctx context.Context, args []string) []string {
			switch len(args) {
			case 0:
				return []string{"junit", "sarif", "ctrf", "checkstyle", "rdjson", "rdjsonl", "otlp"}
			case 1:
				return a.runs(ctx)
			}
			return nil
		}
	case c.Name() == "man":
		return func(_ context.Context, args []string) []string { return below(c.Root(), args) }
	case form == "[RUN]":
		return first(a.runs)
	case form == "[RUN]...", form == "[[RUN1] RUN2]":
		return func(ctx context.Context, _ []string) []string { return a.runs(ctx) }
	case form == "[SOURCE]":
		return first(a.sources)
	}
	return nil
}

// below returns the names of the subcommands of the command with the given words.
func below(root *cobra.Command, words []string) []string {
	at, err := named(root, words)
	if err != nil {
		return nil
	}
	var names []string
	for _, sub := range at.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return names
}

func formatNames(context.Context) []string {
	var names []string
	for _, f := range formats.All().Formats() {
		names = append(names, f.Name)
	}
	return names
}

// sources returns the sources of the newest runs.
func (a *app) sources(ctx context.Context) []string {
	var names []string
	for _, r := range a.newestRuns(ctx) {
		if !slices.Contains(names, r.Source) {
			names = append(names, r.Source)
		}
	}
	return names
}

// runs returns the newest runs and their sources.
func (a *app) runs(ctx context.Context) []string {
	words := a.sources(ctx)
	for _, r := range a.newestRuns(ctx) {
		words = append(words, r.Ref().String())
	}
	return words
}

// completeRuns is the max number of runs that are read for a completion.
const completeRuns = 100

func (a *app) newestRuns(ctx context.Context) []store.Run {
	w := a.here(ctx)
	if w == nil {
		return nil
	}
	runs, err := w.Store.Runs(ctx, store.Everything(), store.RunFilter{Limit: completeRuns})
	if err != nil {
		return nil
	}
	return runs
}

// lastDir is the value of -C during completion. It keeps only the last -C, because completion parses
// the flags twice, so that each -C comes twice.
type lastDir struct{ *dirFlag }

// Set implements pflag.Value.
func (v lastDir) Set(dir string) error {
	*v.dirFlag = ""
	return v.dirFlag.Set(dir)
}
