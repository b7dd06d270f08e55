// Package storetest holds the contract that every store.Store is held to.
package storetest

import (
	"testing"

	"github.com/blq-ci/blq/store"
)

// Test runs the contract. Each subtest gets an empty store from open.
func Test(t *testing.T, open func(t *testing.T) store.Store) {}
