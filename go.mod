module github.com/blq-ci/blq

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	golang.org/x/tools v0.51.0
)
