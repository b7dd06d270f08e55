package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/query"
)

// amount is the value of a flag that counts something.
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

// countFlag adds a flag for a number of at least min; p holds the default.
func countFlag(c *cobra.Command, p *int, name, short string, min int, about string) {
	c.Flags().VarP(amount{p, min}, name, short, about)
}

// limitFlag adds the flag that limits a list.
func limitFlag(c *cobra.Command, p *int, value int, what string) {
	*p = value
	countFlag(c, p, "limit", "l", 0, "show at most this many "+what+", 0 for all")
}

// placeFlags adds the flags for where runs happened.
func placeFlags(c *cobra.Command, at *query.At) {
	c.Flags().StringVar(&at.Branch, "branch", "", "of runs on this `BRANCH`")
	c.Flags().StringVar(&at.Commit, "commit", "", "of runs at this `COMMIT`, or its first characters")
	countFlag(c, &at.PR, "pr", "", 1, "of runs of this pull request")
}

// again returns the same command line with another value for a flag.
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
