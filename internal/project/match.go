package project

import (
	"slices"

	"github.com/blq-ci/blq/internal/shellword"
)

// Match returns the registered command with which args begin. If there are several, it returns the command with the
// most words. Match also returns the remaining arguments. It never returns a template.
func (c *Config) Match(args []string) (*Command, []string) {
	var best *Command
	length := 0
	for _, name := range c.Names() {
		cmd := c.Commands[name]
		words, ok := shellword.Split(cmd.Cmd)
		if !ok || len(words) <= length || len(words) > len(args) || !slices.Equal(words, args[:len(words)]) {
			continue
		}
		best, length = cmd, len(words)
	}
	if best == nil {
		return nil, nil
	}
	return best, args[length:]
}
