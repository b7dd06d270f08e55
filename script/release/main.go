// Command release makes what a release consists of, by script/release.sh and
// the workflow of releases:
//
//	release archives VERSION DIR         archives of all systems, and SHA256SUMS
//	release pin VERSION BLQ TOOLBOX SUMS the Action takes exactly these images and archives
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
		return pin(".", release{Version: args[1], Image: args[2], Toolbox: args[3], Sums: args[4]})
	}
	return fmt.Errorf("usage: release archives VERSION DIR | release pin VERSION BLQ TOOLBOX SUMS")
}
