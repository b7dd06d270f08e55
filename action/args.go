package action

import (
	"slices"
	"strings"
)

// Args are the arguments of blq shell.
type Args struct {
	Words []string // the shell and the script
	Whole bool     // Words are a whole command
	Wrong []string // what made no sense, and is left out
	flags map[string]string
}

// ShellArgs reads the arguments of blq shell. Flags are inputs; one that does
// not exist is told, and the script runs all the same.
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

// Over looks up flags before what is under them.
func (a Args) Over(under Lookup) Lookup {
	return func(name string) string {
		if v, ok := a.flags[name]; ok {
			return v
		}
		return under(name)
	}
}

// StepName returns the name of a step's runs: what was given, else the step's
// id, "" where it has none.
func (j *Job) StepName(given string) string {
	if id := j.Getenv("GITHUB_ACTION"); given == "" && !strings.HasPrefix(id, "__") {
		given = id
	}
	return sourceName(given)
}

// Warn tells of inputs that make no sense.
func (j *Job) Warn(wrong []string) {
	if len(wrong) > 0 {
		j.warn("%s", strings.Join(wrong, "; "))
	}
}
