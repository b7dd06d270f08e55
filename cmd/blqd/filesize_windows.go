package main

// outliveFileSizes does nothing, because Windows has no limit like ulimit -f on the files that a process writes.
func outliveFileSizes() {}
