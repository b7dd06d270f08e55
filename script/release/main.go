// Command release makes the files of a release. script/release.sh and the release workflow run it:
//
//	release archives VERSION DIR                makes archives for all systems, and SHA256SUMS
//	release pin VERSION JOB TOOLBOX SUMS        pins the Action to these images and archives
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "archives":
		return archives(args[1], args[2])
	case len(args) == 5 && args[0] == "pin":
		return pin(".", release{Version: args[1], Job: args[2], Toolbox: args[3], Sums: args[4]})
	}
	return fmt.Errorf("usage: release archives VERSION DIR | release pin VERSION JOB TOOLBOX SUMS")
}
