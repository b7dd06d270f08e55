//go:build !job

package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/clientconfig"
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/store"
)

// installed is the answer of mcp install.
type installed struct {
	Client  string `json:"client"`
	Path    string `json:"path"`
	Changed bool   `json:"changed"`
	Message string `json:"message"`
}

func newMCPInstall(a *app) *cobra.Command {
	var client string
	var force bool
	c := &cobra.Command{
		Use:   "install",
		Short: "Tell agents that work in this directory about blq",
		Long: `Writes the server into the file that a client reads in this directory, beside
the other servers there. Everything else in the file stays as it is.`,
		Example: `  blq mcp install                   # .mcp.json, for Claude Code and others
  blq mcp install --client vscode   # .vscode/mcp.json
  blq mcp install --client cursor   # .cursor/mcp.json`,
		RunE: func(c *cobra.Command, _ []string) error {
			file, ok := clientconfig.Files[client]
			if !ok {
				return usage{store.Next(fmt.Errorf("--client must be %s, not %q", strings.Join(clientconfig.Clients(), ", "),
					client), store.Shell{Line: "blq mcp install --client claude"})}
			}
			outcome, err := file.Install(force)
			if err != nil {
				return err
			}
			a.warnOfPath()
			done := installed{client, file.Path, outcome.Changed(), said(outcome, file, client)}
			if a.form.json {
				return a.json(done)
			}
			fmt.Fprintln(a.stdout, done.Message)
			return nil
		},
	}
	c.Flags().StringVar(&client, "client", "claude", "`NAME`: "+strings.Join(clientconfig.Clients(), ", "))
	c.Flags().BoolVar(&force, "force", false, "replace an entry for blq that has other settings")
	jsonFlags(c, a, installed{}, "print JSON")
	return c
}

func said(o clientconfig.Outcome, f clientconfig.File, client string) string {
	switch o {
	case clientconfig.Created:
		return fmt.Sprintf("wrote %s: clients that read it start blq mcp serve", f.Path)
	case clientconfig.Added:
		return fmt.Sprintf("added blq to %s; the rest of it is as it was", f.Path)
	case clientconfig.Replaced:
		return fmt.Sprintf("replaced the entry for blq in %s; the rest of it is as it was", f.Path)
	case clientconfig.Differs:
		return fmt.Sprintf("%s has blq already, with settings of its own, which stay; %s replaces them",
			f.Path, shellword.Join([]string{"blq", "mcp", "install", "--client", client, "--force"}))
	}
	return f.Path + " has blq already; nothing to do"
}

// warnOfPath warns if clients will not find the program.
func (a *app) warnOfPath() {
	if _, err := exec.LookPath("blq"); err == nil {
		return
	}
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	fmt.Fprintf(a.stderr, "blq: clients look for blq on PATH, where it is not; it is %s\n", self)
}
