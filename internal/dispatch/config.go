package dispatch

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/settings"
	"github.com/blq-ci/blq/store"
)

// Command is a workflow that the operator allows callers to start.
type Command struct {
	Repo     string `toml:"repo"`     // owner/name
	Name     string `toml:"name"`     // name that callers use
	Workflow string `toml:"workflow"` // file in .github/workflows
	Branch   string `toml:"branch"`   // branch on which to run, "" for main
	// Branches are patterns of path.Match for branches that callers may name. Nil means only Branch.
	Branches    []string          `toml:"branches"`
	Description string            `toml:"description"` // shown to callers
	Inputs      map[string]string `toml:"inputs"`      // inputs that callers may set, with their defaults
}

const (
	maxFile   = 1 << 20
	maxInputs = 25 // GitHub's max number of inputs
	maxInput  = 8 << 10
)

// Load reads the commands in a file. The error is Invalid if the file cannot be read or has a mistake. The error says
// where the mistake is.
func Load(file string) ([]Command, error) {
	data, err := read(file)
	if err != nil {
		return nil,
			store.Next(store.Errorf(store.Invalid, "the commands cannot be read: %w", err), store.Shell{Line: "ls -l " + file})
	}
	if len(data) > maxFile {
		return nil, store.Errorf(store.Invalid, "%s has more than %d bytes", file, maxFile)
	}
	var c struct {
		Commands []Command `toml:"command"`
	}
	if err := settings.Decode(data, &c); err != nil {
		return nil, explain(file, err)
	}
	if len(c.Commands) == 0 {
		return nil, store.Hint(store.Errorf(store.Invalid, "%s has no command", file), "%s", example)
	}
	return c.Commands, check(file, c.Commands)
}

// read returns the content of a file. It stops soon after maxFile bytes.
func read(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

const example = `write [[command]], and below it repo = "acme/shop", name = "test", workflow = "ci.yml"`

func explain(file string, err error) error {
	var p *settings.Problem
	if errors.As(err, &p) {
		file = fmt.Sprintf("%s:%d", file, p.Line)
	}
	return store.Hint(store.Errorf(store.Invalid, "%s: %w", file, err), "%s", example)
}

func check(file string, all []Command) error {
	known := map[string]bool{}
	for i := range all {
		c := &all[i]
		if err := c.check(); err != nil {
			return store.Hint(store.Errorf(store.Invalid, "%s: command %d (%s of %s): %w", file, i+1, cmp.Or(c.Name, "no name"),
				cmp.Or(c.Repo, "no repository"), err), "%s", example)
		}
		key := c.Repo + " " + c.Name
		if known[key] {
			return store.Errorf(store.Invalid, "%s: %s of %s is there twice", file, c.Name, c.Repo)
		}
		known[key] = true
		c.Branch = cmp.Or(c.Branch, "main")
	}
	slices.SortFunc(
		all, func(a, b Command) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Repo, b.Repo)) })
	return nil
}

func (c *Command) check() error {
	switch {
	case !store.IsRepoName(c.Repo):
		return store.Errorf(store.Invalid, "repo must be owner/name")
	case c.Name == "" || len(c.Name) > 100 || strings.TrimSpace(c.Name) != c.Name:
		return store.Errorf(store.Invalid, "it needs a name")
	case len(c.Inputs) > maxInputs:
		return store.Errorf(store.Invalid, "a workflow takes %d inputs at most", maxInputs)
	}
	for _, pattern := range c.Branches {
		if _, err := path.Match(pattern, "x"); err != nil {
			return store.Errorf(store.Invalid, "branches: %q is not a pattern", pattern)
		}
	}
	if c.Branch != "" {
		if err := github.CheckRef(c.Branch); err != nil {
			return err
		}
	}
	return github.CheckWorkflow(c.Workflow)
}

// branch returns the branch to run on. The error is Invalid if callers may not name the branch.
func (c *Command) branch(named string) (string, error) {
	if named == "" || named == c.Branch {
		return c.Branch, nil
	}
	for _, pattern := range c.Branches {
		if ok, err := path.Match(pattern, named); ok && err == nil {
			return named, github.CheckRef(named)
		}
	}
	may := append([]string{c.Branch}, c.Branches...)
	return "",
		store.Errorf(store.Invalid, "%s of %s runs on %s, not on this branch", c.Name, c.Repo, strings.Join(may, ", "))
}

// inputs returns the inputs of the workflow. The error is Invalid for an unknown input, and TooLarge for a value with
// more than maxInput bytes.
func (c *Command) inputs(args map[string]string) (map[string]string, error) {
	given := map[string]string{}
	for name, value := range c.Inputs {
		if value != "" {
			given[name] = value
		}
	}
	for name, value := range args {
		if _, ok := c.Inputs[name]; !ok {
			return nil, store.Errorf(store.Invalid, "%s of %s has no parameter %.100q; %s", c.Name, c.Repo, name, c.takes())
		}
		if len(value) > maxInput {
			return nil, store.Errorf(store.TooLarge, "%s has more than %d bytes", name, maxInput)
		}
		given[name] = value
	}
	return given, nil
}

func (c *Command) takes() string {
	if len(c.Inputs) == 0 {
		return "it has none"
	}
	var names []string
	for name := range c.Inputs {
		names = append(names, name)
	}
	slices.Sort(names)
	return "it has " + strings.Join(names, ", ")
}
