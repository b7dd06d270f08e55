//go:build !job

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/blq-ci/blq/store"
)

func newMan(a *app) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "man [COMMAND]...",
		Short: "Show the manual page of a command",
		Long: `Man shows a manual page on a terminal with the program man, and prints its
source elsewhere.`,
		Example: `  blq man
  blq man commands register
  blq man --write ~/.local/share/man/man1   # all pages, for man blq-run`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if dir != "" {
				return writeManPages(c.Root(), dir)
			}
			of, err := named(c.Root(), args)
			if err != nil {
				return err
			}
			if out, ok := a.stdout.(*os.File); ok && term.IsTerminal(int(out.Fd())) {
				return a.showManPage(of)
			}
			_, err = a.stdout.Write(manPage(of))
			return err
		},
	}
	c.Flags().StringVar(&dir, "write", "", "write the pages of all commands into this `DIR`")
	return c
}

// showManPage shows a manual page with man, or prints it if man is missing.
func (a *app) showManPage(of *cobra.Command) error {
	man, err := exec.LookPath("man")
	if err != nil {
		_, err = a.stdout.Write(manPage(of))
		return err
	}
	dir, err := os.MkdirTemp("", "blq-man-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, manName(of)+".1")
	if err := os.WriteFile(file, manPage(of), 0o600); err != nil {
		return err
	}
	cmd := exec.Command(man, file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stdout, a.stderr
	return cmd.Run()
}

// writeManPages writes the manual pages of all commands that help shows.
func writeManPages(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return store.Next(fmt.Errorf("write manual pages: %w", err), store.Shell{Line: "blq man --write man"})
	}
	var failed error
	eachShown(root, func(c *cobra.Command) {
		if failed == nil {
			failed = os.WriteFile(filepath.Join(dir, manName(c)+".1"), manPage(c), 0o644)
		}
	})
	return failed
}

// eachShown calls f for a command and all commands below it. It leaves out hidden commands.
func eachShown(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			eachShown(sub, f)
		}
	}
}

// manName returns the name of a command's manual page, such as blq-mcp-serve.
func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage returns the manual page of a command.
func manPage(c *cobra.Command) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"blq %s\" \"blq\"\n", strings.ToUpper(manName(c)), roff(version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(manName(c)), roff(c.Short))
	manLiteral(&b, "SYNOPSIS", strings.ReplaceAll(c.UseLine(), "\n  ", "\n"))
	if c.Long != "" {
		b.WriteString(".SH DESCRIPTION\n")
		manText(&b, c.Long)
	}
	if c.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, ".TP\n\\fB%s\\fP(1)\n%s\n", roff(manName(sub)), roff(sub.Short))
			}
		}
	}
	manFlags(&b, "OPTIONS", c.LocalFlags())
	manFlags(&b, "OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	manLiteral(&b, "EXAMPLES", c.Example)
	if c.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n\\fB%s\\fP(1)\n", roff(manName(c.Parent())))
	}
	return b.Bytes()
}

// manLiteral writes a section whose lines are not filled.
func manLiteral(b *bytes.Buffer, title, text string) {
	if text = strings.Trim(text, "\n"); text != "" {
		fmt.Fprintf(b, ".SH %s\n.nf\n%s\n.fi\n", title, roff(text))
	}
}

// manFlags writes a section of flags.
func manFlags(b *bytes.Buffer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "\\fB" + roff("--"+f.Name) + "\\fP"
		if f.Shorthand != "" {
			name = "\\fB" + roff("-"+f.Shorthand) + "\\fP, " + name
		}
		value, about := pflag.UnquoteUsage(f)
		switch {
		case value == "":
		case f.NoOptDefVal != "":
			name += "[=\\fI" + roff(value) + "\\fP]"
		default:
			name += " \\fI" + roff(value) + "\\fP"
		}
		switch f.DefValue {
		case "", "0", "false", "[]":
		default:
			about += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", name, roff(about))
	})
}

// manText writes paragraphs. If a paragraph begins with a space, its line breaks are kept.
func manText(b *bytes.Buffer, text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if strings.HasPrefix(paragraph, " ") {
			fmt.Fprintf(b, ".nf\n%s\n.fi\n", roff(paragraph))
			continue
		}
		fmt.Fprintf(b, "%s\n", roff(paragraph))
	}
}

// roff escapes text for a manual page.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", `\(ga`, "'", `\(aq`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
