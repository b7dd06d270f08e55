package action

import (
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Args are the arguments of blq shell.
type Args struct {
	Words []string // the whole command, or the shell and the script
	Whole bool     // whether Words are a whole command
	Wrong []string // problems with the flags, one message each
	flags map[string]string
}

// ShellArgs parses the arguments of blq shell. The flags are the same as the action's inputs. An unknown flag is
// reported in Wrong, and the script still runs.
func ShellArgs(args []string) Args {
	a := Args{flags: map[string]string{}}
	for len(args) > 0 {
		name, isFlag := strings.CutPrefix(args[0], "--")
		if args[0] == "--" {
			a.Whole, args = true, args[1:]
			break
		}
		if !isFlag {
			break
		}
		args = args[1:]
		name, value, given := strings.Cut(name, "=")
		if !slices.Contains(names, name) {
			a.Wrong = append(a.Wrong, "blq shell has no flag --"+name)
			continue
		}
		if !given && len(args) > 1 {
			value, args = args[0], args[1:]
		}
		a.flags[name] = value
	}
	a.Words = args
	return a
}

// Over returns a lookup that prefers the flags. If no flag has the name of an input, the lookup takes the value from
// inputs.
func (a Args) Over(inputs Lookup) Lookup {
	return func(name string) string {
		if v, ok := a.flags[name]; ok {
			return v
		}
		return inputs(name)
	}
}

// StepName returns the name for a step's runs: the argument, or else the step's ID. It ignores an ID that the runner
// made, such as __run, and an ID that is no source name. It returns "" if there is no name.
func (j *Job) StepName(given string) string {
	if id := j.Getenv("GITHUB_ACTION"); given == "" && !strings.HasPrefix(id, "__") && store.IsSourceName(id) {
		given = id
	}
	return store.NameSource(given)
}

// Warn writes a warning about wrong inputs.
func (j *Job) Warn(wrong []string) {
	if len(wrong) > 0 {
		j.warn("%s", strings.Join(wrong, "; "))
	}
}
