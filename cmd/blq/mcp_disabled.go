//go:build !job

package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/store"
)

// disabledTools returns the tools that the flag, the environment and the configuration disable. An unknown name causes
// only a warning, because another version of blq may have that tool.
func (a *app) disabledTools(dir string, flag, known []string) ([]string, error) {
	var list []string
	warned := func(from string, names []string) {
		for _, name := range trimmed(names) {
			if slices.Contains(known, name) {
				list = append(list, name)
			} else {
				fmt.Fprintf(a.stderr, "blq: %s disables %q, and there is no such tool; there are %s\n", from,
					name, strings.Join(known, ", "))
			}
		}
	}
	warned("--disabled-tools", flag)
	warned("BLQ_MCP_DISABLED_TOOLS",
		strings.FieldsFunc(a.getenv("BLQ_MCP_DISABLED_TOOLS"), func(r rune) bool { return r == ',' || r == ' ' }))
	lq, err := project.Find(dir, a.getenv)
	if store.CodeOf(err) == store.NotFound {
		return list, nil
	}
	if err != nil {
		return nil, err
	}
	path := filepath.Join(lq, project.ConfigName)
	config, err := project.ReadConfig(path)
	if err != nil {
		return nil, err // without the file, nobody knows which tools are disabled
	}
	warned(path, config.MCP.DisabledTools)
	return list, nil
}

// trimmed removes the spaces around the words of a list, and drops empty words.
func trimmed(list []string) []string {
	var words []string
	for _, w := range list {
		if w = strings.TrimSpace(w); w != "" {
			words = append(words, w)
		}
	}
	return words
}
