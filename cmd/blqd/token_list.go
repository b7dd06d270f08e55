package main

import (
	"cmp"
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/store"
)

// tokenLine is a token in a list.
type tokenLine struct {
	ID        string             `json:"id"`
	Name      string             `json:"name"`
	Scopes    []store.TokenScope `json:"scopes"`
	Repos     []string           `json:"repos,omitempty"`
	Owners    []string           `json:"owners,omitempty"`
	CreatedAt time.Time          `json:"created_at"`
	ExpiresAt *time.Time         `json:"expires_at,omitempty"`
	RevokedAt *time.Time         `json:"revoked_at,omitempty"`
	State     string             `json:"state"` // valid, expired or revoked
}

func newTokenList(a *app) *cobra.Command {
	short := "List tokens, without their secrets"
	return a.newList(short, func(ctx context.Context, d store.Directory, asJSON bool) error {
		tokens, err := d.Tokens(ctx)
		if err != nil {
			return err
		}
		return a.listTokens(tokens, asJSON)
	})
}

func (a *app) listTokens(tokens []store.Token, asJSON bool) error {
	now := time.Now()
	lines := []tokenLine{}
	for _, t := range tokens {
		lines = append(lines, tokenLine{
			t.ID, t.Name, t.Scopes, t.Repos, t.Owners, t.CreatedAt.UTC(), orNil(t.ExpiresAt), orNil(t.RevokedAt),
			cmp.Or(t.Ended(now), "valid"),
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
