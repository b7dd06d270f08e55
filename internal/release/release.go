// Package release has the version of the program. It answers "blq --version" as soon as the package os is ready,
// because initialising all other packages would take most of the time. Go initialises packages in the order of their
// paths, as soon as their imports are ready. So this package must import nothing but os.
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
