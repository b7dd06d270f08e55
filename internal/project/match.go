package project

import (
	"slices"

	"github.com/blq-ci/blq/internal/shellword"
)

// Match returns the registered command with which the arguments begin. If there are several, the command with the
// longest text wins. Match also returns the remaining arguments. Templates never match.
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
