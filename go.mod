module github.com/blq-ci/blq

go 1.26.0

require (
	github.com/creack/pty v1.1.24
	github.com/google/go-cmp v0.7.0
	golang.org/x/sys v0.48.0
	golang.org/x/tools v0.51.0
)
