package testpack

import (
	"slices"

	"github.com/blq-ci/blq/store"
)

// These limits keep a transaction short, because other callers wait during a transaction. Names are stored in a random
// order of keys, so each new name changes a page of the index.
const (
	namesAtOnce = 5000 // max number of tests whose names are looked up
	newAtOnce   = 1000 // max number of tests whose names are stored
)

// Addition does the work of store.Recorder.AddTests. It stores the names of many tests in several transactions, and
// then all results in one transaction. If it fails before the end, there are stored tests without results. The removal
// of runs leaves such tests, too, and Pack removes them.
type Addition struct {
	Results []store.TestResult
	Tests   []Keyed         // all tests, each once
	IDs     map[int64]int64 // IDs of stored tests by key
}

// Keyed is a test with its key.
type Keyed struct {
	Key int64
	*store.Test
}

// Transactions are the transactions of a store for an Addition. If the run has results already, a method does nothing
// and returns true for done.
type Transactions interface {
	// Name stores the names of the tests in part that the store does not have yet, at most newAtOnce in a call. It sets
	// the IDs of all tests in part that are stored now. It counts the bytes of new names in the same transaction,
	// because a later transaction may fail.
	Name(a *Addition, part []Keyed) (done bool, err error)
	// Add adds a block. All tests of the block must have IDs. If one of these tests has been removed from the store,
	// Add adds nothing and returns false.
	Add(a *Addition, block []byte) (done bool, err error)
	// AddFew does the same as Name and Add together, in one transaction. It returns false if it stored only names,
	// because there are many new names.
	AddFew(a *Addition) (done bool, err error)
}

// NewAddition returns an addition of results.
func NewAddition(results []store.TestResult) *Addition {
	a := &Addition{Results: results, IDs: map[int64]int64{}}
	for i := range results {
		t := Keyed{results[i].Test.Key(), &results[i].Test}
		if _, seen := a.IDs[t.Key]; !seen {
			a.IDs[t.Key] = 0
			a.Tests = append(a.Tests, t)
		}
	}
	return a
}

// Do stores names and results.
func (a *Addition) Do(tx Transactions) error {
	if len(a.Tests) <= namesAtOnce {
		if done, err := tx.AddFew(a); done || err != nil {
			return err
		}
	}
	for {
		if done, err := a.try(tx); done || err != nil {
			return err
		}
	}
}

func (a *Addition) try(tx Transactions) (done bool, err error) {
	clear(a.IDs)
	for part := range slices.Chunk(a.Tests, namesAtOnce) {
		for named := false; !named; named = a.Named(part) {
			if done, err := tx.Name(a, part); done || err != nil {
				return done, err
			}
		}
	}
	return tx.Add(a, a.Block())
}

// Block packs the results. All tests must have IDs.
func (a *Addition) Block() []byte { return packBlock(entries(a.Results, a.IDs)) }

// Named reports whether all of the tests have IDs.
func (a *Addition) Named(tests []Keyed) bool {
	for _, t := range tests {
		if a.IDs[t.Key] == 0 {
			return false
		}
	}
	return true
}

// Missing returns the first tests that have no ID, at most newAtOnce, and the size of their texts in bytes.
func (a *Addition) Missing(tests []Keyed) (missing []Keyed, size int) {
	for _, t := range tests {
		if a.IDs[t.Key] == 0 && len(missing) < newAtOnce {
			missing = append(missing, t)
			size += t.Size()
		}
	}
	return missing, size
}

// TakeID sets the ID of a test from a row with its key and ID.
func (a *Addition) TakeID(scan func(...any) error) (none struct{}, err error) {
	var key, id int64
	err = scan(&key, &id)
	a.IDs[key] = id
	return none, err
}
