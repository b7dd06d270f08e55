package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

func newQueue(a *app) *cobra.Command {
	return group("queue", "List, read, replay and drop jobs of the queue", newQueueList(a), newQueueShow(a),
		newQueueReplay(a), newQueueDrop(a))
}

// workLine is a queued job in the answer of a command.
type workLine struct {
	ID        int64           `json:"id"`
	Kind      string          `json:"kind"`
	State     store.WorkState `json:"state"`
	Tries     int             `json:"tries"`
	Repo      string          `json:"repo,omitempty"`
	Key       string          `json:"key"`
	Due       time.Time       `json:"due,omitzero"`
	Error     string          `json:"error,omitempty"`
	CreatedAt time.Time       `json:"created_at"`
	EndedAt   time.Time       `json:"ended_at,omitzero"`
	Body      json.RawMessage `json:"body,omitempty"`
}

func workLineOf(w store.Work) workLine {
	l := workLine{ID: w.ID, Kind: w.Kind, State: w.State, Tries: w.Tries, Repo: w.Repo, Key: w.Key, Due: w.DueAt,
		Error: query.Clean(w.Error), CreatedAt: w.CreatedAt, EndedAt: w.EndedAt}
	if json.Valid(w.Body) {
		l.Body = w.Body
	}
	return l
}

func newQueueList(a *app) *cobra.Command {
	var asJSON bool
	f := store.WorkFilter{}
	var state string
	c := &cobra.Command{
		Use:   "list",
		Short: "List jobs, newest first",
		Example: `  blqd queue list                # what has failed for good
  blqd queue list --state open   # what waits, and what is worked on`,
		RunE: func(c *cobra.Command, _ []string) error {
			f.State = store.WorkState(state)
			switch f.State {
			case store.WorkDead, store.WorkOpen, store.WorkDone:
			case "all":
				f.State = ""
			default:
				return store.Errorf(store.Invalid, "--state must be dead, open, done or all, not %q", state)
			}
			return a.withStore(c, func(ctx context.Context, s engine) error {
				list, err := s.Works(ctx, f)
				if err != nil {
					return err
				}
				return a.listWorks(list, asJSON)
			})
		},
	}
	c.Flags().StringVar(&state, "state", string(store.WorkDead), "`STATE`: dead, open, done or all")
	c.Flags().StringVar(&f.Kind, "kind", "", "only jobs of this `KIND`, such as delivery or log")
	c.Flags().IntVar(&f.Limit, "limit", 100, "max `NUMBER` of jobs, 0 for all")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (a *app) listWorks(list []store.Work, asJSON bool) error {
	lines := []workLine{}
	for _, w := range list {
		lines = append(lines, workLineOf(w))
	}
	if asJSON {
		return a.json(lines)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tKIND\tSTATE\tTRIES\tREPO\tADDED\tERROR")
	for _, l := range lines {
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%s\t%s\t%s\n", l.ID, l.Kind, l.State, l.Tries, cmp.Or(l.Repo, "-"),
			l.CreatedAt.UTC().Format(time.DateTime), cmp.Or(l.Error, "-"))
	}
	return w.Flush()
}

// aJob returns a command whose argument is the ID of a queued job. The command calls do with the ID.
func (a *app) aJob(use, short string, do func(ctx context.Context, s engine, id int64) error) *cobra.Command {
	return &cobra.Command{
		Use:   use + " ID",
		Short: short,
		Args:  one("job", "blqd queue list"),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return store.Next(store.Errorf(store.Invalid, "%q is not the ID of a job", args[0]),
					store.Shell{Line: "blqd queue list"})
			}
			return a.withStore(c, func(ctx context.Context, s engine) error { return do(ctx, s, id) })
		},
	}
}

func newQueueShow(a *app) *cobra.Command {
	return a.aJob("show", "Print a job with what it is about, as JSON",
		func(ctx context.Context, s engine, id int64) error {
			w, err := s.Work(ctx, id)
			if err != nil {
				return err
			}
			return a.json(workLineOf(w))
		})
}

func newQueueReplay(a *app) *cobra.Command {
	return a.aJob("replay", "Begin a dead job again", func(ctx context.Context, s engine, id int64) error {
		return s.ReplayWork(ctx, id, time.Now())
	})
}

func newQueueDrop(a *app) *cobra.Command {
	return a.aJob("drop", "Remove a job", func(ctx context.Context, s engine, id int64) error {
		return s.DropWork(ctx, id, time.Now())
	})
}
