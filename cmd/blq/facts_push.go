package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/store"
)

func newFactsPush(a *app) *cobra.Command {
	var f factsFlags
	c := &cobra.Command{
		Use:   "push [KIND]...",
		Short: "Send the facts of a commit to a server",
		Long: `Push sends the facts of the commit that is checked out, or of --at, to the server
of --server or BLQ_SERVER. BLQ_TOKEN holds the token. Only what the server does
not have is sent; what was interrupted goes on where it broke. Uncommitted
changes stay here.`,
		Example: `  blq facts push
  blq facts push docs --exclude docs/generated
  blq facts push --at v1.2 --server https://blq.example.com --repo acme/app
  blq facts push --keep         # into the .lq folder, for when git loses the commit`,
		Args:      cobra.ArbitraryArgs,
		ValidArgs: factWords(),
		RunE:      func(c *cobra.Command, args []string) error { return a.factsPush(c.Context(), f, args) },
	}
	f.add(c)
	c.Flags().StringVar(&f.server, "server", "", "`URL` of the server (default: "+serverVariable+")")
	c.Flags().StringVar(&f.repo, "repo", "", "repository that the commit is of, `OWNER/NAME` (default: "+repoVariable+
		", else the CI system's or that of git's origin)")
	c.Flags().BoolVar(&f.keep, "keep", false, "keep them in the .lq folder instead of sending them")
	jsonFlags(c, a, factsSent{}, "print JSON")
	return c
}

// factsSent is the answer of the command facts push.
type factsSent struct {
	Server string       `json:"server,omitempty"`
	Repo   string       `json:"repo,omitempty"`
	Commit string       `json:"commit"`
	Facts  []sentOfKind `json:"facts"`
}

// sentOfKind is the result for one kind of facts.
type sentOfKind struct {
	Kind      store.FactKind `json:"kind"`
	Manifest  string         `json:"manifest"`
	Files     int            `json:"files"`
	Sent      int            `json:"objects_sent"`
	Bytes     int64          `json:"bytes_sent"`
	Untrusted bool           `json:"untrusted,omitempty"`
}

func (a *app) factsPush(ctx context.Context, f factsFlags, args []string) error {
	kinds, named, err := factKinds(args)
	if err != nil {
		return err
	}
	from, w, err := a.factsSource(ctx, f)
	if err != nil {
		return err
	}
	send, err := a.factsTo(ctx, f, w)
	if err != nil {
		return err
	}
	told, err := a.snapshotToSend(ctx, f, from)
	if err != nil {
		return err
	}
	ancestors, err := from.Ancestors(ctx, told.Commit, api.MaxAncestors)
	if err != nil {
		return err
	}
	secrets := factsSecrets(w)
	record.HideSnapshot(secrets, &told)
	answer := factsSent{Server: send.server, Repo: told.Repo, Commit: told.Commit, Facts: []sentOfKind{}}
	for _, k := range kinds {
		found, err := from.AtCommit(ctx, told.Commit, k)
		if err != nil {
			return err
		}
		set := found.Set.(*facts.Listed)
		if len(set.Files()) == 0 && !named && k != kinds[0] {
			continue
		}
		if err := a.noteDirty(ctx, from, f, k); err != nil {
			return err
		}
		told.Kind = k
		if set, err = a.hiddenFacts(ctx, set, secrets); err != nil {
			return err
		}
		sent, err := send.do(ctx, told, ancestors, set)
		if err != nil {
			return err
		}
		answer.Facts = append(answer.Facts, sent)
		if !a.form.json {
			a.sentLine(sent, told, send.server)
		}
	}
	if a.form.json {
		return a.json(answer)
	}
	return nil
}

// factsTarget is the place to which facts are sent.
type factsTarget struct {
	server string // URL of the server, "" for the .lq folder
	do     func(ctx context.Context, s store.Snapshot, ancestors []string, set *facts.Listed) (sentOfKind, error)
}

// factsTo returns the place to which facts are sent.
func (a *app) factsTo(ctx context.Context, f factsFlags, w *opened) (factsTarget, error) {
	if f.keep {
		var err error
		if w == nil {
			w, err = a.create(ctx)
		}
		if err == nil {
			err = w.Writable()
		}
		return factsTarget{do: func(ctx context.Context, s store.Snapshot, ancestors []string, set *facts.Listed) (
			sentOfKind, error) {
			return sentOfKind{Kind: s.Kind, Manifest: set.Digest(), Files: len(set.Files())},
				keepFacts(ctx, w.Project, s, ancestors, set)
		}}, err
	}
	f.server = cmp.Or(f.server, a.getenv(serverVariable))
	if f.server == "" {
		return factsTarget{}, usage{store.Next(errors.New("which server? "+serverVariable+" is not set"),
			store.Shell{Line: "blq facts push --server https://blq.example.com"})}
	}
	if f.repo != "" && !store.IsRepoName(f.repo) {
		return factsTarget{}, usage{store.Next(fmt.Errorf("%q is not a repository", f.repo),
			store.Shell{Line: "blq facts push --repo owner/name"})}
	}
	to, err := a.sender(f.server)
	if err != nil {
		return factsTarget{}, err
	}
	return factsTarget{to.URL(), func(ctx context.Context, s store.Snapshot, ancestors []string, set *facts.Listed) (
		sentOfKind, error) {
		sent, err := client.FactsPush{Client: to, Snapshot: s, Ancestors: ancestors, Set: set}.Push(ctx)
		return sentOfKind{Kind: s.Kind, Manifest: set.Digest(), Files: len(set.Files()), Sent: sent.Objects,
			Bytes: sent.Bytes, Untrusted: sent.Untrusted}, err
	}}, nil
}

// snapshotToSend returns the snapshot of the commit whose facts are sent, without kind and manifest.
func (a *app) snapshotToSend(ctx context.Context, f factsFlags, from *worktree.Source) (store.Snapshot, error) {
	repo := a.repo(f.repo)
	if f.at != "" {
		return from.ToldAt(ctx, repo, f.at)
	}
	r := store.Run{Repo: repo, CI: ci.CI(a.getenv, os.ReadFile), Git: ci.Git(ctx, from.Root)}
	ci.Apply(&r)
	return from.Told(ctx, r)
}

// factsSecrets returns a redactor that removes secrets from facts. It returns nil if the configuration of the project
// turns redaction off.
func factsSecrets(w *opened) *redact.Redactor {
	if w != nil && w.Config.Redact.Off {
		return nil
	}
	return record.Redactor().ForDocuments()
}

// hiddenFacts returns the files with their secrets removed. A file with a secret then differs from the file of the
// commit. So hiddenFacts prints the number of such files, and the name of the first one.
func (a *app) hiddenFacts(ctx context.Context, set *facts.Listed, secrets *redact.Redactor) (*facts.Listed, error) {
	hidden, changed, err := set.Hidden(ctx, secrets.Blank)
	if len(changed) > 0 {
		fmt.Fprintf(a.stderr, "blq: secrets are replaced in %s, such as %s\n", count(len(changed), "file"),
			firstLine(changed[0], reportWidth))
	}
	return hidden, err
}

// noteDirty prints which uncommitted changes are not sent.
func (a *app) noteDirty(ctx context.Context, from *worktree.Source, f factsFlags, k store.FactKind) error {
	if f.at != "" {
		return nil
	}
	changed, err := from.Dirty(ctx, k)
	if len(changed) > 0 {
		fmt.Fprintf(a.stderr, "blq: not sent, because it is not committed: %s of %s, such as %s\n",
			count(len(changed), "file"), k, firstLine(changed[0], reportWidth))
	}
	return err
}

func (a *app) sentLine(sent sentOfKind, told store.Snapshot, server string) {
	line := fmt.Sprintf("%s of commit %.12s", a.style.paint(cyan, string(sent.Kind)), told.Commit)
	switch {
	case server == "":
		line += fmt.Sprintf("  kept, %s", count(sent.Files, "file"))
	case sent.Sent == 0:
		line += fmt.Sprintf(" → %s  %s, all there already", server, count(sent.Files, "file"))
	default:
		line += fmt.Sprintf(" → %s  %s, %s sent with %s", server, count(sent.Files, "file"), count(sent.Sent, "object"),
			kilobytes(sent.Bytes))
	}
	if sent.Untrusted {
		line += "; as a fork's they are found by commit and pull request only"
	}
	fmt.Fprintln(a.stdout, line)
}
