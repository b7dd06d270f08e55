package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/store"
)

// usageLine is the usage of a repository or owner in a list.
type usageLine struct {
	Owner string `json:"owner"`
	Repo  string `json:"repo,omitempty"` // omitted if the line is for all repositories of the owner

	Runs      int   `json:"runs"`
	Events    int   `json:"events"`
	Bytes     int64 `json:"bytes"`
	DayRuns   int   `json:"day_runs"`
	DayEvents int   `json:"day_events"`

	Quota quotaLine `json:"quota"` // fields of quotas without a limit are omitted
	Share shareLine `json:"share"`

	single bool // the line is for one repository
}

type quotaLine struct {
	Bytes     int64 `json:"bytes,omitempty"`
	DayRuns   int   `json:"day_runs,omitempty"`
	DayEvents int   `json:"day_events,omitempty"`
}

// shareLine is the used fraction of each quota, from 0 to 1.
type shareLine struct {
	Bytes     float64 `json:"bytes"`
	DayRuns   float64 `json:"day_runs"`
	DayEvents float64 `json:"day_events"`
}

func newUsage(a *app) *cobra.Command {
	var asJSON bool
	var owners []string
	c := &cobra.Command{
		Use:   "usage",
		Short: "Show what repositories and owners store, and which part of their quotas that is",
		Long: `Shows what each owner and each of its repositories takes: stored runs and events,
the bytes of logs, texts and rows, and the runs and events of today (UTC). The
percentages are parts of the quotas that the same settings give blqd serve.`,
		Example: `  blqd usage
  blqd usage --owner acme --json`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.configure(c, append(placeSettings, quotaSettings...)); err != nil {
				return err
			}
			if err := a.config.Quotas.check(); err != nil {
				return err
			}
			return a.usage(c.Context(), owners, asJSON)
		},
	}
	a.config.flags(c.Flags(), quotaSettings)
	c.Flags().StringSliceVar(&owners, "owner", nil, "only of these `OWNERS`, with commas")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (a *app) usage(ctx context.Context, owners []string, asJSON bool) error {
	quotas, err := a.config.Quotas.store()
	if err != nil {
		return err
	}
	s, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	all, err := s.Usages(ctx)
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, o := range owners {
		wanted[strings.ToLower(o)] = true
	}
	lines := []usageLine{}
	for _, u := range all {
		if len(wanted) == 0 || wanted[u.Owner] {
			lines = append(lines, lineOf(u, quotas.Of(u)))
		}
	}
	if asJSON {
		return a.json(lines)
	}
	return a.printUsage(lines)
}

func lineOf(u store.Usage, q store.Quota) usageLine {
	l := usageLine{Owner: u.Owner, Runs: u.Runs, Events: u.Events, Bytes: u.Bytes, DayRuns: u.DayRuns,
		DayEvents: u.DayEvents, Quota: quotaLine{q.Bytes, q.Runs, q.Events}}
	if l.single = !u.IsOwner(); l.single {
		l.Repo = u.Repo
	}
	l.Share.Bytes, l.Share.DayRuns, l.Share.DayEvents = q.Shares(u)
	return l
}

func (a *app) printUsage(lines []usageLine) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "OWNER OR REPOSITORY\tSTORED\tRUNS\tEVENTS\tRUNS TODAY\tEVENTS TODAY")
	for _, l := range lines {
		name := l.Owner
		switch {
		case l.Repo != "":
			name = "  " + l.Repo
		case l.single:
			name = "  (none)"
		case l.Owner == "":
			name = "(none)"
		}
		fmt.Fprintf(w, "%s\t%.1f MB%s\t%d\t%d\t%d%s\t%d%s\n", name, float64(l.Bytes)/(1<<20),
			percent(l.Share.Bytes, l.Quota.Bytes > 0), l.Runs, l.Events, l.DayRuns,
			percent(l.Share.DayRuns, l.Quota.DayRuns > 0), l.DayEvents, percent(l.Share.DayEvents, l.Quota.DayEvents > 0))
	}
	return w.Flush()
}

// percent returns a fraction as text. It returns "" if there is no limit.
func percent(share float64, limited bool) string {
	if !limited {
		return ""
	}
	return fmt.Sprintf(" (%.0f%%)", 100*share)
}
