package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
)

// eventFlags are the flags of events, errors and warnings.
type eventFlags struct {
	query.EventsParams
}

func (f *eventFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.Source, "source", "", "of this `SOURCE`, its newest run")
	c.Flags().StringVar(&f.FilePattern, "file", "", "of files like this SQL `PATTERN`, such as src/%")
	placeFlags(c, &f.At)
	sinceFlag(c, &f.Since)
	limitFlag(c, &f.Limit, 20, "events")
}

func newEvents(a *app) *cobra.Command {
	var f eventFlags
	c := &cobra.Command{
		Use:   "events [RUN]",
		Short: questions.Events.About,
		Example: `  blq events               # of the newest run of each source
  blq events build:5       # of one run
  blq events --branch main # of the newest run of each source there
  blq events --severity error,warning --file 'src/%'
  blq events --limit 0 --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.events(c, f, args, "event") },
	}
	f.add(c)
	jsonFlags(c, a, query.EventList{}, "print JSON")
	c.Flags().StringVarP(&f.Severity, "severity", "s", "",
		"`LIST` of error, warning, info, with commas; the default is error,warning")
	return c
}

func (a *app) events(c *cobra.Command, f eventFlags, args []string, noun string) error {
	by, err := a.asked(c.Context())
	if err != nil {
		return err
	}
	if len(args) > 0 {
		f.Ref = args[0]
	}
	answer, err := questions.Events.Ask(c.Context(), by, f.EventsParams)
	if err != nil {
		return err
	}
	if a.form.json {
		return errors.Join(a.json(eventsJSON(answer, noun)), a.verdict(answer.Total > 0 || len(answer.Failed) > 0))
	}
	for _, e := range answer.Events {
		line := a.style.severity(e.Severity) + "  " + a.eventLine(a.style, e)
		if noun != "event" {
			line = a.eventLine(a.style, e)
		}
		if f.Ref == "" && !a.style.plain {
			line += "  " + a.style.paint(dim, e.RunRef)
		}
		if _, err := fmt.Fprintln(a.stdout, line); err != nil {
			return err
		}
	}
	a.more(c, args, len(answer.Events), answer.Total, noun)
	if answer.Note != "" {
		fmt.Fprintln(a.stderr, "but "+answer.Note)
	}
	return a.verdict(answer.Total > 0 || len(answer.Failed) > 0)
}

// errorList and warningList hold an EventList with events of a single severity. The JSON key of the list is the
// name of the question.
type errorList struct {
	Errors []query.Event `json:"errors"`
	Total  int           `json:"total_count"`
	Note   string        `json:"note,omitempty"`
}

type warningList struct {
	Warnings []query.Event `json:"warnings"`
	Total    int           `json:"total_count"`
}

// eventsJSON returns a value to print as JSON. The key of its list is "errors" if the noun is "error", "warnings" if it
// is "warning", and "events" otherwise.
func eventsJSON(e query.EventList, noun string) any {
	switch noun {
	case "error":
		return errorList{e.Events, e.Total, e.Note}
	case "warning":
		return warningList{e.Events, e.Total}
	}
	return e
}

// more prints on stderr how many of all items the list shows, if the list leaves items out. If there are no items, more
// prints that.
func (a *app) more(c *cobra.Command, args []string, shown, total int, noun string) {
	switch {
	case total == 0:
		fmt.Fprintf(a.stderr, "no %ss\n", noun)
	case shown < total:
		fmt.Fprintf(a.stderr, "%d of %s; all: %s\n", shown, count(total, noun), again(c, args, "limit", "0"))
	}
}
