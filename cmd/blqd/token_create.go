package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/store"
)

type tokenFlags struct {
	name    string
	scopes  []string
	repos   []string
	owners  []string
	expires string
}

func newTokenCreate(a *app) *cobra.Command {
	var f tokenFlags
	c := &cobra.Command{
		Use:   "create",
		Short: "Make a token and print it",
		Long: `Makes a token and prints it on stdout. It is not kept, so it cannot be shown
again. Scopes: ingest sends runs, read asks about them, query asks in SQL, run
starts the commands that serve --dispatch configures, admin does what is the
operator's. docs:read, docs:write, graph:write and summary:write are for
documentation, for pull requests that change the graph, and for comments.`,
		Example: `  blqd token create --name ci --scope ingest --repo acme/shop --expires 90d
  export BLQ_TOKEN=$(blqd token create --name me --scope read,query --owner acme)`,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withDirectory(c, func(ctx context.Context, d store.Directory) error { return a.createToken(ctx, d, f) })
		},
	}
	c.Flags().StringVar(&f.name, "name", "", "what it is `FOR`")
	c.Flags().StringSliceVar(&f.scopes, "scope", nil,
		"what it allows: `SCOPES` of those above, with commas")
	c.Flags().StringSliceVar(&f.repos, "repo", nil, "`REPOSITORIES` that it is for: owner/name, with commas")
	c.Flags().StringSliceVar(&f.owners, "owner", nil,
		"`OWNERS`: the token is for all their repositories; with commas; '*' for all")
	c.Flags().StringVar(&f.expires, "expires", "", "`WHEN` it expires: after 90d or 12h, or at 2027-01-31; default never")
	return c
}

func (a *app) createToken(ctx context.Context, d store.Tokens, f tokenFlags) error {
	now := time.Now().UTC()
	t := store.Token{Name: f.name, Repos: f.repos, Owners: f.owners, CreatedAt: now}
	for _, s := range f.scopes {
		t.Scopes = append(t.Scopes, store.TokenScope(s))
	}
	var err error
	if t.ExpiresAt, err = expiry(f.expires, now); err != nil {
		return err
	}
	if f.name == "" {
		return store.Next(store.Errorf(store.Invalid, "a token needs a name"),
			store.Shell{Line: "blqd token create --name ci --scope ingest --repo acme/shop"})
	}
	secret, t, err := auth.NewToken(t)
	if err != nil {
		return store.Next(err, cmp.Or[store.NextStep](store.NextOf(err),
			store.Shell{Line: "blqd token create --name ci --scope ingest --repo acme/shop"}))
	}
	if err := d.CreateToken(ctx, t); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(a.stdout, secret); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "token %s (%s): %s\n", t.ID, t.Name, may(t))
	return nil
}

// expiry returns the time at which a token expires. "" means never.
func expiry(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	var days int
	if n, err := fmt.Sscanf(text, "%dd", &days); n == 1 && err == nil && fmt.Sprintf("%dd", days) == text && days > 0 {
		return now.AddDate(0, 0, days), nil
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(d), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil && at.After(now) {
			return at.UTC(), nil
		}
	}
	return time.Time{}, store.Next(store.Errorf(store.Invalid, "--expires: %q is not a time in the future", text),
		store.Shell{Line: "blqd token create --expires 90d"})
}

// may returns a text that says what a token allows.
func may(t store.Token) string {
	var scopes []string
	for _, s := range t.Scopes {
		scopes = append(scopes, string(s))
	}
	var where []string
	where = append(where, t.Repos...)
	for _, o := range t.Owners {
		if o == store.EveryOwner {
			where = append(where, "all repositories")
			continue
		}
		where = append(where, o+"/*")
	}
	text := strings.Join(scopes, ",")
	if where != nil {
		text += " for " + strings.Join(where, ", ")
	}
	if !t.ExpiresAt.IsZero() {
		text += " until " + t.ExpiresAt.Format(time.DateTime)
	}
	return text
}
