//go:build !job

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query/questions"
)

// described is the answer of the command mcp tools.
type described struct {
	Tools []mcp.Described `json:"tools"`
}

// knownTools returns the names of all MCP tools.
func knownTools() []string { return mcp.ToolNames(mcp.Config{}) }

func newMCPTools(a *app) *cobra.Command {
	var markdown, reference bool
	c := &cobra.Command{
		Use:     "tools",
		Short:   "List the tools that agents get",
		Example: `  blq mcp tools`,
		RunE: func(*cobra.Command, []string) error {
			tools := mcp.Describe(mcp.Config{})
			switch {
			case a.form.json:
				return a.json(described{tools})
			case reference:
				return writeToolReference(a.stdout, tools)
			case markdown:
				return writeToolTable(a.stdout, tools)
			}
			rows := make([][]string, 0, len(tools))
			for _, t := range tools {
				about, _, _ := strings.Cut(t.Description, " Example: ")
				rows = append(rows, []string{t.Name, t.Toolset, about})
			}
			return a.style.table(a.stdout, []string{"TOOL", "TOOLSET", "WHAT IT DOES"}, rows)
		},
	}
	jsonFlags(c, a, described{}, "print JSON, with parameters")
	c.Flags().BoolVar(&markdown, "markdown", false, "print a Markdown table")
	c.Flags().BoolVar(&reference, "reference", false, "print Markdown with parameters and answers")
	c.MarkFlagsMutuallyExclusive("json", "markdown", "reference")
	return c
}

func writeToolTable(out io.Writer, tools []mcp.Described) error {
	var b strings.Builder
	b.WriteString("| tool | what it does |\n| --- | --- |\n")
	for _, t := range tools {
		about, _, _ := strings.Cut(t.Description, " Example: ")
		fmt.Fprintf(&b, "| `%s` | %s |\n", t.Name, tableCell(about))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func writeToolReference(out io.Writer, tools []mcp.Described) error {
	var b strings.Builder
	b.WriteString("| toolset | what its tools do |\n| --- | --- |\n")
	for _, set := range questions.Toolsets() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", set.Name, set.About)
	}
	b.WriteString("\n")
	for _, t := range tools {
		about, example, _ := strings.Cut(t.Description, " Example: ")
		fmt.Fprintf(&b, "## %s\n\n%s\n", t.Name, about)
		if example != "" {
			fmt.Fprintf(&b, "\nExample: `%s`\n", strings.ReplaceAll(strings.TrimSuffix(example, "."), "` or `", " or "))
		}
		facts := []string{
			"toolset " + t.Toolset, fmt.Sprintf("answers of at most %d bytes unless `max_bytes` says otherwise", t.Bytes)}
		if t.Unsafe {
			facts = append(facts, "not there in safe mode")
		}
		fmt.Fprintf(&b, "\n%s.\n\n| parameter | type | default | |\n| --- | --- | --- | --- |\n", strings.Join(facts, "; "))
		for _, p := range t.Parameters {
			standard := p.Default
			if p.Required {
				standard = "required"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", p.Name, p.Type, standard, tableCell(p.Description))
		}
		b.WriteString("\n| key of the answer | type | |\n| --- | --- | --- |\n")
		for _, p := range t.Answer {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", p.Name, p.Type, tableCell(p.Description))
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(out, strings.TrimSuffix(b.String(), "\n"))
	return err
}

// tableCell escapes text for a Markdown table.
func tableCell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
