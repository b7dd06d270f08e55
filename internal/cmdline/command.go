package cmdline

import (
	"cmp"
	"reflect"
	"slices"
	"sort"
	"strings"

	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// others maps the names of calls that are not questions to their commands.
var others = map[string]string{"init": "init", "formats": "formats", "push": "push", "mcp_serve": "mcp serve"}

// command describes the command line for a call.
type command struct {
	words      string
	positional []string
	flags      map[string]string // flag names by parameter, if the flag has another name than the parameter
	order      []string          // order of a question's parameters
}

// commandOf returns the command for a call. If the call is not a question, the command has a flag for each parameter.
func commandOf(name string) command {
	all := questions.All()
	row, found := all.FindTool(name)
	if !found {
		row, found = all.Find(name)
	}
	if found {
		return command{row.Command, row.Positional, row.Flags, paramsOf(row)}
	}
	return command{words: cmp.Or(others[name], shellword.Quote(strings.ReplaceAll(name, "_", "-")))}
}

// paramsOf returns the names of a question's parameters, in their order.
func paramsOf(row questions.Row) []string {
	if row.Params == nil {
		return nil
	}
	var names []string
	for _, f := range reflect.VisibleFields(row.Params) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// param is a parameter. Its flag is "" if the parameter is positional.
type param struct{ name, flag string }

// params returns the parameters of a call. Positional parameters come first, in the order of the command. Flags of a
// question follow in the order of its parameters. Flags of other calls keep the order of the call.
func (c command) params(args store.Arguments) []param {
	positional := slices.DeleteFunc(slices.Clone(c.positional), func(name string) bool { return args.Get(name) == nil })
	var list []param
	for _, a := range args {
		p := param{a.Name, cmp.Or(c.flags[a.Name], strings.ReplaceAll(a.Name, "_", "-"))}
		if slices.Contains(c.positional, a.Name) && len(positional) > 0 {
			p, positional = param{positional[0], c.flags[positional[0]]}, positional[1:]
		}
		list = append(list, p)
	}
	if c.order != nil {
		sort.SliceStable(list, func(i, j int) bool { return c.rank(list[i]) < c.rank(list[j]) })
	}
	return list
}

// rank returns the position of a question's parameter on the command line. Flags that select the server or the
// repository come last.
func (c command) rank(p param) int {
	i := slices.Index(c.order, p.flag)
	switch {
	case p.flag == "":
		return -1
	case p.name == "repo", p.name == "remote":
		return len(c.order) + 1
	case i < 0:
		return len(c.order)
	}
	return i
}
