package main

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/project/backend"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
)

// If this package has no code for a question, the command of the question is made from the question's row. The
// parameters become flags and arguments. The command prints the answer key by key.

// addQuestions adds commands below root for the questions that have no command yet.
func (a *app) addQuestions(root *cobra.Command, add func(*cobra.Command)) {
	for _, row := range a.questions() {
		words := strings.Fields(row.Command)
		if !row.IsQuestion() || len(words) == 0 {
			continue
		}
		if found, _, err := root.Find(words); err == nil && found != root &&
			strings.HasSuffix(found.CommandPath(), " "+row.Command) {
			continue
		}
		if len(words) == 1 {
			add(newAsking(a, row))
			continue
		}
		group, _, err := root.Find(words[:1])
		if err != nil || group == root {
			group = &cobra.Command{Use: words[0] + " COMMAND", Short: "Ask about " + words[0], Args: noSuchCommand, RunE: help}
			add(group)
		}
		c := newAsking(a, row)
		a.whereFlags(c)
		group.AddCommand(c)
	}
}

// questions returns the table of questions.
func (a *app) questions() questions.Table {
	if a.table == nil {
		return questions.All()
	}
	return a.table
}

// newShown returns the command of a question, made from its row. text prints the answer.
func newShown[P, A any](a *app, q questions.Question[P, A], text func(A) error) *cobra.Command {
	return newCommandOf(a, q.Row, func(answer reflect.Value) error { return text(answer.Interface().(A)) })
}

// newAsking returns the command of a question, made from its row.
func newAsking(a *app, row questions.Row) *cobra.Command { return newCommandOf(a, row, a.plain) }

// judged is implemented by answers that can report a problem. If Failed returns true, the command ends with exit code
// 1.
type judged interface{ Failed() bool }

// newCommandOf returns the command of a question, made from its row. show prints the answer.
func newCommandOf(a *app, row questions.Row, show func(answer reflect.Value) error) *cobra.Command {
	words := strings.Fields(row.Command)
	params := reflect.New(row.Params).Elem()
	use := words[len(words)-1]
	for _, name := range row.Positional {
		use += " [" + strings.ToUpper(name) + "]"
	}
	c := &cobra.Command{
		Use:   use,
		Short: row.About,
		Args:  cobra.MaximumNArgs(len(row.Positional)),
		RunE: func(c *cobra.Command, args []string) error {
			for i, name := range row.Positional[len(row.Positional)-len(args):] {
				if err := (parameter{fieldOf(params, name)}).Set(args[i]); err != nil {
					return usage{err}
				}
			}
			by, err := a.askedAbout(c.Context(), row)
			if err != nil {
				return err
			}
			answer := reflect.New(row.Answer)
			if err := by.Answer(c.Context(), row, params.Interface(), answer.Interface()); err != nil {
				return err
			}
			if a.form.json {
				err = a.json(answer.Interface())
			} else {
				err = show(answer.Elem())
			}
			if bad, ok := answer.Elem().Interface().(judged); ok && bad.Failed() && err == nil {
				return exit{1}
			}
			return err
		},
	}
	for f := range questions.Fields(row.Params) {
		if f.Tag.Get("hosted") != "" || slices.Contains(row.Positional, f.Key) {
			continue
		}
		v := parameter{params.FieldByIndex(f.Index)}
		if text := f.Tag.Get("default"); text != "" {
			_ = json.Unmarshal([]byte(text), v.Addr().Interface()) // cannot fail: a test checks all defaults
		}
		flag := c.Flags().VarPF(v, flagOf(row, f.Key), "", f.Tag.Get("jsonschema"))
		if v.Kind() == reflect.Bool {
			flag.NoOptDefVal = "true"
		}
	}
	jsonFlagsOf(c.Flags(), a, "print JSON", row.Answer)
	return c
}

// flagOf returns the name of the flag of a parameter.
func flagOf(row questions.Row, key string) string {
	if name := row.Flags[key]; name != "" {
		return name
	}
	return strings.ReplaceAll(key, "_", "-")
}

// fieldOf returns the struct field with the given JSON key.
func fieldOf(v reflect.Value, key string) reflect.Value {
	for f := range questions.Fields(v.Type()) {
		if f.Key == key {
			return v.FieldByIndex(f.Index)
		}
	}
	return reflect.Value{}
}

// askedAbout returns who answers the question of a row: the .lq folder or a server. Questions about facts need no .lq
// folder.
func (a *app) askedAbout(ctx context.Context, row questions.Row) (asked, error) {
	if !row.OfFacts() || a.where.server != "" || a.where.repo != "" {
		return a.asked(ctx)
	}
	asker, err := a.factsAsker(ctx)
	return questions.Local{Asker: asker, Line: cmdline.Words}, err
}

// factsAsker returns an Asker for the facts of the current directory, even if no run is recorded there.
func (a *app) factsAsker(ctx context.Context) (*query.Asker, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	a.backend = backend.New(a.getenv, cwd)
	return a.backend.Ask(ctx)
}
