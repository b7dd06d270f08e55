package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/release"
)

var version, commit = release.Version, release.Commit

// versionAnswer is the answer of version.
type versionAnswer struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersion(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "version",
		Short: "Show the version, commit, Go release and platform of blq",
		Example: `  blq version
  blq version --json`,
		RunE: func(*cobra.Command, []string) error {
			v := versionAnswer{version, cmp.Or(commit, builtFrom()), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			if a.form.json {
				return a.json(v)
			}
			fmt.Fprintf(a.stdout, "blq version %s\n", v.Version)
			a.fields([][2]string{{"commit", v.Commit}, {"go", v.Go}, {"platform", v.Platform}})
			return nil
		},
	}
	jsonFlags(c, a, versionAnswer{}, "print JSON")
	return c
}

// builtFrom returns the commit that "go build" recorded in the program, or "" for none.
func builtFrom() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}
