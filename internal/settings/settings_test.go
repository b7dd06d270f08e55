package settings

import (
	"errors"
	"testing"
)

type command struct {
	Cmd      string            `toml:"cmd"`
	Timeout  int               `toml:"timeout"`
	Defaults map[string]string `toml:"defaults"`
}

type file struct {
	MCP struct {
		Disabled []string `toml:"disabled_tools"`
	} `toml:"mcp"`
	Commands map[string]*command `toml:"commands"`
	Rules    []command           `toml:"rule"`
	Name     string              `toml:"-"`
}

func TestAMistypedSettingIsAnErrorInEveryTable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Problem{
		"mpc = 1": {1, 1, "there is no setting mpc; did you mean mcp?"},
		"[mcp]\n\ndisabled_tool = ['exec']": {3, 1,
			"there is no setting mcp.disabled_tool; did you mean mcp.disabled_tools?"},
		"[command.a]\ncmd = 'x'": {1, 2, "there is no setting command; did you mean commands?"},
		"[commands.a]\ntimeuot = 3": {2, 1,
			"there is no setting commands.a.timeuot; did you mean commands.a.timeout?"},
		"[commands.a.default]\nx = '1'": {1, 2,
			"there is no setting commands.a.default; did you mean commands.a.defaults?"},
		"[[rule]]\ncmd = 'x'\ncommand = 'y'": {3, 1, "there is no setting rule.command; there are cmd, timeout, defaults"},
		"[[rules]]\ncmd = 'x'":               {1, 3, "there is no setting rules; did you mean rule?"},
		"Name = 'x'":                         {1, 1, "there is no setting Name; there are mcp, commands, rule"},
		"commands = { a = { cmd = 'x', timeuot = 1 } }": {1, 31,
			"there is no setting timeuot; did you mean timeout?"},
	} {
		err := Decode([]byte(text), &file{})
		var p *Problem
		if !errors.As(err, &p) || *p != want {
			t.Errorf("%q: %+v, want %+v", text, err, want)
		}
	}
	var f file
	const right = "[commands.a]\ncmd = 'x'\ndefaults = { anything = 'y' }\n[mcp]\ndisabled_tools = ['exec']"
	if err := Decode([]byte(right), &f); err != nil {
		t.Error(err)
	}
}
