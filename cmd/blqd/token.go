package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/store"
)

func newToken(a *app) *cobra.Command {
	return group("token", "Make, list and revoke tokens", newTokenCreate(a), newTokenList(a), newTokenRevoke(a))
}

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
		Short: "Make a token, and print it alone",
		Long: `Makes a token and prints it on stdout. It is not kept, so it cannot be shown
again. Scopes: ingest sends runs, read asks about them, query asks in SQL, run
starts the commands that serve --dispatch configures, admin does what is the
operator's.`,
		Example: `  blqd token create --name ci --scope ingest --repo acme/shop --expires 90d
  export BLQ_TOKEN=$(blqd token create --name me --scope read,query --owner acme)`,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withDirectory(c, func(ctx context.Context, d store.Directory) error { return a.createToken(ctx, d, f) })
		},
	}
	c.Flags().StringVar(&f.name, "name", "", "what it is `FOR`")
	c.Flags().StringSliceVar(&f.scopes, "scope", nil, "what it allows: `SCOPES` of ingest, read, query, run, admin, with commas")
	c.Flags().StringSliceVar(&f.repos, "repo", nil, "`REPOSITORIES` that it is good for: owner/name, with commas")
	c.Flags().StringSliceVar(&f.owners, "owner", nil, "`OWNERS` whose repositories it is good for, with commas; '*' for all")
	c.Flags().StringVar(&f.expires, "expires", "", "`WHEN` it ends: after 90d or 12h, or at 2027-01-31; never unless told")
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
		return store.Hint(store.Errorf(store.Invalid, "a token needs a name, so that it can be told from others"), "blqd token create --name ci --scope ingest --repo acme/shop")
	}
	secret, t, err := auth.NewToken(t)
	if err != nil {
		return store.Hint(err, "%s", cmp.Or(store.HintOf(err), "blqd token create --name ci --scope ingest --repo acme/shop"))
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

// expiry reads when a token ends; "" is never.
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
	return time.Time{}, store.Hint(store.Errorf(store.Invalid, "--expires: %q is no time to come", text), "blqd token create --expires 90d")
}

// may says what a token allows.
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

// tokenLine is a token as lists show it.
type tokenLine struct {
	ID        string             `json:"id"`
	Name      string             `json:"name"`
	Scopes    []store.TokenScope `json:"scopes"`
	Repos     []string           `json:"repos,omitempty"`
	Owners    []string           `json:"owners,omitempty"`
	CreatedAt time.Time          `json:"created_at"`
	ExpiresAt *time.Time         `json:"expires_at,omitempty"`
	RevokedAt *time.Time         `json:"revoked_at,omitempty"`
	State     string             `json:"state"` // valid, expired, revoked
}

func newTokenList(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List tokens, without their secrets",
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withDirectory(c, func(ctx context.Context, d store.Directory) error {
				tokens, err := d.Tokens(ctx)
				if err != nil {
					return err
				}
				return a.listTokens(tokens, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (a *app) listTokens(tokens []store.Token, asJSON bool) error {
	now := time.Now()
	lines := []tokenLine{}
	for _, t := range tokens {
		lines = append(lines, tokenLine{
			t.ID, t.Name, t.Scopes, t.Repos, t.Owners, t.CreatedAt.UTC(), orNil(t.ExpiresAt), orNil(t.RevokedAt), cmp.Or(t.Ended(now), "valid"),
		})
	}
	if asJSON {
		return a.json(lines)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tSTATE\tALLOWS\tMADE")
	for i, t := range tokens {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", t.ID, t.Name, lines[i].State, may(t), t.CreatedAt.UTC().Format(time.DateOnly))
	}
	return w.Flush()
}

func orNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func newTokenRevoke(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "revoke ID",
		Short:   "Make a token useless, at once and for ever",
		Example: "  blqd token revoke abcd2345",
		Args:    one("ID", "blqd token list   # shows the IDs"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withDirectory(c, func(ctx context.Context, d store.Directory) error {
				if err := d.RevokeToken(ctx, args[0], time.Now()); err != nil {
					return store.Hint(err, "blqd token list   # shows the IDs")
				}
				_, err := fmt.Fprintf(a.stdout, "token %s is revoked\n", args[0])
				return err
			})
		},
	}
}

// one takes one argument.
func one(what, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return store.Hint(store.Errorf(store.Invalid, "%s needs one %s, not %d", c.CommandPath(), what, len(args)), "%s", hint)
		}
		return nil
	}
}

// withDirectory opens the store for a command that needs its directory alone.
func (a *app) withDirectory(c *cobra.Command, f func(context.Context, store.Directory) error) error {
	if err := a.configure(c, placeSettings); err != nil {
		return err
	}
	s, err := a.openStore(c.Context())
	if err != nil {
		return err
	}
	defer s.Close()
	return f(c.Context(), s)
}

// json writes a value for programs.
func (a *app) json(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
