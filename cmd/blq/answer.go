package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/internal/nearest"
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// answerForm describes how an answer is printed: as text, as JSON with all or some fields, or as the output of jq.
type answerForm struct {
	json   bool
	fields []string // fields of the answer and of its lists; empty means all
	filter string   // expression for jq, or ""
	// argument is the word after --json if the word looks like a list of fields, but is an argument of the command.
	argument string
	known    []string // fields that the answer can have
	// exitCode makes the command end with exit code 1 if the answer is bad.
	exitCode bool
}

// wholeAnswer is the value of --json if the user names no fields.
const wholeAnswer = "all"

// jsonFlags adds --json and --jq to a command. answer is any value of the type of the command's answers.
func jsonFlags(c *cobra.Command, a *app, answer any, about string) {
	jsonFlagsOf(c.Flags(), a, about, reflect.TypeOf(answer))
}

func jsonFlagsOf(flags *pflag.FlagSet, a *app, about string, answers ...reflect.Type) {
	v := &jsonFlag{form: &a.form, answers: answers}
	flags.Var(v, "json", about+", of it only these `FIELDS`, with commas")
	flags.Lookup("json").NoOptDefVal = wholeAnswer
	flags.StringVar(&a.form.filter, "jq", "", "print what the program jq makes of the JSON by this `EXPRESSION`")
}

// jsonFlag is the value of --json: empty, or fields of the answer.
type jsonFlag struct {
	form    *answerForm
	answers []reflect.Type
}

// known returns the fields that a user may ask for.
func (v *jsonFlag) known() []string { return answerFields(v.answers) }

// Type implements pflag.Value.
func (v *jsonFlag) Type() string { return "FIELDS" }

// String implements pflag.Value.
func (v *jsonFlag) String() string {
	switch {
	case v.form == nil || !v.form.json:
		return ""
	case len(v.form.fields) == 0:
		return wholeAnswer
	}
	return strings.Join(v.form.fields, ",")
}

// Set implements pflag.Value. A flag without a value has the text true. So Set accepts true and false besides
// fields.
func (v *jsonFlag) Set(text string) error {
	v.form.json, v.form.fields = text != "false", nil
	if text == wholeAnswer || text == "true" || text == "false" {
		return nil
	}
	known := v.known()
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(known, name) {
			return unknownField(name, known)
		}
		v.form.fields = append(v.form.fields, name)
	}
	return nil
}

func unknownField(name string, known []string) error {
	meant := ""
	if like := nearest.Word(name, known); like != "" {
		meant = "; did you mean " + like + "?"
	}
	return fmt.Errorf("the answer has no field %q%s Its fields are %s", name, cmp.Or(meant, "."),
		strings.Join(known, ", "))
}

// answerFields returns the names that --json accepts: the keys of the answers, and the keys of the items in their
// lists.
func answerFields(answers []reflect.Type) []string {
	var keys, items []string
	for _, answer := range answers {
		for f := range questions.Fields(answer) {
			keys = append(keys, f.Key)
			if f.Type.Kind() != reflect.Slice {
				continue
			}
			for item := range questions.Fields(f.Type.Elem()) {
				items = append(items, item.Key)
			}
		}
	}
	var all []string
	for _, name := range append(keys, items...) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// fieldWords matches words that can be a list of fields.
var fieldWords = lazyregexp.New(`^[a-z][a-z0-9_]*(,[a-z][a-z0-9_]*)*$`)

// joinFields joins --json and the next word if that word looks like a list of fields, so that users may write a space
// before the fields. A word with a comma is always joined. Any such word is joined if the command has no arguments.
// Otherwise the word must be a known field, and the command must not be in the group "record".
func joinFields(root *cobra.Command, args []string) []string {
	c, _, err := root.Find(args)
	if err != nil {
		return args
	}
	flag := c.Flag("json")
	if flag == nil {
		return args
	}
	v, ok := flag.Value.(*jsonFlag)
	for i := 0; ok && i+1 < len(args) && args[i] != "--"; i++ {
		if args[i] == "--json" && v.takes(c, args[i+1]) {
			args = slices.Concat(args[:i], []string{"--json=" + args[i+1]}, args[i+2:])
		} else if args[i] == "--json" && fieldWords.MatchString(args[i+1]) {
			v.form.argument, v.form.known = args[i+1], v.known()
		}
	}
	return args
}

// takes reports whether the word after --json is a list of fields and not an argument.
func (v *jsonFlag) takes(c *cobra.Command, word string) bool {
	if !fieldWords.MatchString(word) {
		return false
	}
	if strings.Contains(word, ",") {
		return true
	}
	_, arguments, _ := strings.Cut(c.Use, " ")
	return arguments == "" || c.GroupID != "record" && slices.Contains(v.known(), word)
}

// json writes an answer as JSON, with all fields or with the fields that the user asks for. If the user gives an
// expression for jq, json writes the output of jq for this JSON.
func (a *app) json(v any) error {
	if len(a.form.fields) > 0 {
		part, err := fieldsOf(v, a.form.fields)
		if err != nil {
			return err
		}
		v = part
	}
	if a.form.filter != "" {
		return a.filtered(v)
	}
	return writeJSON(a.stdout, v)
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// fieldsOf returns the wanted fields of an answer. It also keeps empty lists, and lists whose items have a wanted
// field. The items of such a list keep only their wanted fields.
func fieldsOf(answer any, fields []string) (map[string]any, error) {
	var b bytes.Buffer
	if err := writeJSON(&b, answer); err != nil {
		return nil, err
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(b.Bytes(), &whole); err != nil {
		return nil, err
	}
	part := map[string]any{}
	for key, value := range whole {
		var items []map[string]json.RawMessage
		switch {
		case slices.Contains(fields, key):
			part[key] = value
		case json.Unmarshal(value, &items) == nil && anyOf(items, fields):
			for _, item := range items {
				maps.DeleteFunc(item, func(key string, _ json.RawMessage) bool { return !slices.Contains(fields, key) })
			}
			part[key] = items
		}
	}
	return part, nil
}

// anyOf reports whether an item has one of the fields. It also returns true for an empty list, but not for nil.
func anyOf(items []map[string]json.RawMessage, fields []string) bool {
	return items != nil && len(items) == 0 || slices.ContainsFunc(items, func(item map[string]json.RawMessage) bool {
		return slices.ContainsFunc(fields, func(name string) bool { return item[name] != nil })
	})
}

// findJQ returns the path of the program jq, which the flag --jq needs.
func (a *app) findJQ() (string, error) {
	path, err := exec.LookPath("jq")
	if err != nil {
		return "", store.Hint(errors.New("--jq needs the program jq, which is not installed"),
			"install it, or take the fields that you need with --json FIELDS")
	}
	return path, nil
}

// filtered prints the results of jq for an answer. It prints strings without quotes, as gh does. If jq fails, the
// command ends with the exit code of jq.
func (a *app) filtered(v any) error {
	path, err := a.findJQ()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := writeJSON(&text, v); err != nil {
		return err
	}
	cmd := exec.Command(path, "-r", " "+a.form.filter) // the space prevents jq from reading the filter as an option
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &text, a.stdout, a.stderr
	var ended *exec.ExitError
	if err := cmd.Run(); errors.As(err, &ended) {
		fmt.Fprintf(a.stderr, "blq: jq %s: exit %d\n", shellword.Quote(a.form.filter), ended.ExitCode())
		return exit{max(1, ended.ExitCode())}
	} else if err != nil {
		return err
	}
	return nil
}
