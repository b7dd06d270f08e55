package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// factsFlags are the flags of the commands about facts.
type factsFlags struct {
	at      string
	exclude []string
	server  string
	repo    string
	keep    bool
}

func newFacts(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "facts",
		Short: "Show or send the facts of a commit, such as its documentation",
		Long: `Facts are files of a commit that agents ask about: its documentation (docs), its
manifests of dependencies (deps), its architecture graph (graph), its contracts
with other repositories (contracts), and its source code (code). Without KIND,
those of the first four kinds that the project has are meant.`,
		Args: noSuchCommand,
		RunE: help,
	}
	c.AddCommand(newFactsShow(a), newFactsPush(a))
	return c
}

func newFactsShow(a *app) *cobra.Command {
	var f factsFlags
	c := &cobra.Command{
		Use:   "show [KIND]...",
		Short: "List the facts of the work tree, or of a commit",
		Example: `  blq facts show                # of the work tree, with uncommitted changes
  blq facts show docs --at v1.2
  blq facts show --at PR#12     # or a branch, a commit, or a run such as build:5
  blq facts show --remote       # what the server has, of the default branch`,
		Args:      cobra.ArbitraryArgs,
		ValidArgs: factWords(),
		RunE:      func(c *cobra.Command, args []string) error { return a.factsShow(c, f, args) },
	}
	f.add(c)
	a.whereFlags(c)
	jsonFlags(c, a, query.FactsAnswer{}, "print JSON")
	return c
}

// add adds the flags of all commands about facts.
func (f *factsFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.at, "at", "", "`NAME` of a commit: a branch, tag, hash, PR#12 or run such as build:5")
	c.Flags().StringArrayVar(&f.exclude, "exclude", nil, "leave out a file or directory, by its `PATH` in the repository")
}

// factWords returns all kinds of facts as strings.
func factWords() []string {
	var words []string
	for _, k := range store.FactKinds {
		words = append(words, string(k))
	}
	return words
}

// factKinds returns the kinds that args name, or the default kinds. named reports whether args names kinds.
func factKinds(args []string) (kinds []store.FactKind, named bool, err error) {
	for _, word := range args {
		k := store.FactKind(word)
		if !slices.Contains(store.FactKinds, k) {
			return nil, false, usage{store.Next(fmt.Errorf("%q is not a kind of facts", word),
				store.Shell{Line: "blq facts show docs", Why: "or code, graph, contracts, deps"})}
		}
		kinds = append(kinds, k)
	}
	if kinds == nil {
		return query.UsualFacts(), false, nil
	}
	return kinds, true, nil
}

// factsSource returns the source of the facts of the current directory. It also returns the .lq folder of the
// directory, or nil if there is none.
func (a *app) factsSource(ctx context.Context, f factsFlags) (*worktree.Source, *opened, error) {
	s := &worktree.Source{Root: a.root(), Exclude: f.exclude}
	w, err := a.open(ctx)
	switch {
	case err == nil:
		s.Root, s.Store, s.Blobs = w.Root(), w.Store, w.Blobs
		if !w.ReadOnly() {
			s.Cache = w.FactsCache()
		}
		return s, w, nil
	case store.CodeOf(err) != store.NotFound:
		return nil, nil, err
	}
	return s, nil, nil
}

func (a *app) factsShow(c *cobra.Command, f factsFlags, args []string) error {
	if _, _, err := factKinds(args); err != nil {
		return err
	}
	p := query.FactsParams{Kinds: args, DocsAt: query.DocsAt{At: f.at}}
	show := func(answer query.FactsAnswer) error {
		for _, o := range answer.Facts {
			a.showFacts(o, f.at)
		}
		return nil
	}
	if a.where.server != "" || a.where.repo != "" {
		if len(f.exclude) > 0 {
			return usage{store.Next(errors.New("--exclude is for the files here; the server has what it was sent"),
				store.NewCall("facts", "", "remote", true))}
		}
		return reply(c, a, questions.Facts, p, show)
	}
	from, _, err := a.factsSource(c.Context(), f)
	if err != nil {
		return err
	}
	answer, err := query.ListFacts(c.Context(), from, "", p)
	if err != nil {
		return err
	}
	if a.form.json {
		return a.json(answer)
	}
	return show(answer)
}

// showFacts prints the facts of a kind.
func (a *app) showFacts(o query.FactsOfKind, at string) {
	where := "files outside of git"
	if o.Commit != "" {
		where = fmt.Sprintf("commit %.12s", o.Commit)
		if at == "" {
			where = "work tree at " + where
		}
	}
	if o.Dirty {
		where += ", with uncommitted changes"
	}
	if o.ResolvedFrom != "" {
		where += fmt.Sprintf(", by commit %.12s, %s before", o.ResolvedFrom, count(o.Distance, "commit"))
	}
	if o.Untrusted {
		where += ", told by a fork"
	}
	fmt.Fprintf(a.stdout, "%s  %s, %s (%s)\n", a.style.paint(cyan, string(o.Kind)), count(len(o.Files), "file"),
		kilobytes(o.Bytes), where)
	for _, file := range o.Files {
		fmt.Fprintf(a.stdout, "  %9d  %s\n", file.Size, firstLine(file.Path, reportWidth))
	}
}

// kilobytes returns a size in a readable form.
func kilobytes(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d bytes", n)
	}
	if n < 1<<20 {
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

// keepFacts stores facts in the .lq folder.
func keepFacts(ctx context.Context, w *project.Project, s store.Snapshot, ancestors []string,
	set *facts.Listed) error {
	s.Repo, s.CreatedAt = "", time.Now()
	_, err := facts.Save(ctx, w.Store, w.Blobs, s, ancestors, set)
	return err
}
