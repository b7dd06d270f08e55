package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
)

// docsFlag adds a flag to a command about errors. With the flag, the command also names documentation.
func docsFlag(c *cobra.Command, docs *bool) {
	c.Flags().BoolVar(docs, "docs", true, "with documentation that has the error's code, test, file or names")
}

// mentions prints documentation that mentions errors.
func (a *app) mentions(list []query.Mention) {
	if len(list) == 0 {
		return
	}
	a.section("documentation")
	for _, m := range list {
		fmt.Fprintf(a.stdout, "%s  %s  %s\n", a.style.paint(cyan, m.Ref), m.Heading, a.style.paint(dim, "has "+m.Word))
	}
}
