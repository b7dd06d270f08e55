package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/query"
)

// amount is the value of a flag for a number with a minimum.
type amount struct {
	n   *int
	min int
}

func (v amount) String() string {
	if v.n == nil {
		return "0"
	}
	return strconv.Itoa(*v.n)
}

func (v amount) Type() string { return "N" }

func (v amount) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < v.min {
		return errors.New("it must be a whole number from " + strconv.Itoa(v.min) + " on")
	}
	*v.n = n
	return nil
}

// maxSeconds is the max number of seconds of a flag. A time.Duration can hold it.
const maxSeconds = 1e9

// secondsValue is the value of a flag for a number of seconds.
type secondsValue struct{ n *float64 }

func (v secondsValue) String() string {
	if v.n == nil {
		return "0"
	}
	return strconv.FormatFloat(*v.n, 'g', -1, 64)
}

func (v secondsValue) Type() string { return "SECONDS" }

func (v secondsValue) Set(s string) error {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || math.Abs(n) > maxSeconds {
		return errors.New("it must be a number of seconds, such as 90 or 0.5")
	}
	*v.n = n
	return nil
}

// secondsFlag adds a flag for a number of seconds. *p holds the default.
func secondsFlag(c *cobra.Command, p *float64, name, about string) {
	c.Flags().Var(secondsValue{p}, name, about)
}

// countFlag adds a flag for a number of at least min. *p holds the default.
func countFlag(c *cobra.Command, p *int, name, short string, min int, about string) {
	c.Flags().VarP(amount{p, min}, name, short, about)
}

// limitFlag adds the flag that limits a list.
func limitFlag(c *cobra.Command, p *int, value int, what string) {
	*p = value
	countFlag(c, p, "limit", "l", 0, "show at most this many "+what+", 0 for all")
}

// placeFlags adds the flags that select runs by their place.
func placeFlags(c *cobra.Command, at *query.At) {
	c.Flags().StringVar(&at.Branch, "branch", "", "of runs on this `BRANCH`")
	c.Flags().StringVar(&at.Commit, "commit", "", "of runs at this `COMMIT`, or its first characters")
	countFlag(c, &at.PR, "pr", "", 1, "of runs of this pull request")
}

// sinceFlag adds the flag that selects runs that started at a time or later.
func sinceFlag(c *cobra.Command, p *string) {
	c.Flags().Var(sinceValue{p}, "since", "of runs since this `TIME`: 90m, 24h, 7d, 2026-01-31 or 2026-01-31T12:00:00Z")
}

// sinceValue is the value of --since. It stores the time in the form of RFC 3339.
type sinceValue struct{ text *string }

func (v sinceValue) String() string {
	if v.text == nil {
		return ""
	}
	return *v.text
}

func (v sinceValue) Type() string { return "TIME" }

func (v sinceValue) Set(s string) error {
	t, err := readSince(s, time.Now())
	*v.text = t.UTC().Format(time.RFC3339)
	return err
}

// readSince reads a time: a duration before now, or a date or time in the local zone.
func readSince(s string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02 15:04", time.DateTime, time.RFC3339} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return now,
		errors.New("it must be a duration such as 90m, 24h or 7d, or a time such as 2026-01-31 or 2026-01-31T12:00:00Z")
}

// again returns the current command line with another value of a flag.
func again(c *cobra.Command, args []string, flag, value string) string {
	words := append(strings.Fields(c.CommandPath()), args...)
	c.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case f.Name == flag:
		case f.Name == "remote" && f.Value.String() == fromEnvironment:
			words = append(words, "--remote")
		case f.Name == "json" && f.Value.String() == wholeAnswer:
			words = append(words, "--json")
		case f.Name == "json":
			words = append(words, "--json="+f.Value.String())
		case f.Name == "remote":
			words = append(words, "--remote="+f.Value.String())
		case f.Value.Type() == "bool":
			words = append(words, "--"+f.Name+"="+f.Value.String())
		default:
			words = append(words, "--"+f.Name, f.Value.String())
		}
	})
	return shellword.Join(append(words, "--"+flag, value))
}
