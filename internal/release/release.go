// Package release has the version of the program. It prints the version for "blq --version" as soon as the package os
// is ready, because initialising all other packages takes longer than everything else that this needs. Go initialises
// packages whose imports are ready in the order of their paths, so this package must import nothing but os.
package release

import "os"

// Version and Commit are set by the linker in releases.
var (
	Version = "dev"
	Commit  = ""
)

func init() {
	if len(os.Args) != 2 || os.Args[1] != "--version" {
		return
	}
	if _, err := os.Stdout.WriteString("blq version " + Version + "\n"); err != nil {
		return // the command line reports errors of output
	}
	os.Exit(0)
}
