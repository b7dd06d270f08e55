package storetest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

// Notes runs the contract tests of a store that implements store.Notes.
func Notes(t *testing.T, open func(t *testing.T) store.Store) { run(t, open, "note", noteTests) }

func (f fixture) noted() store.Notes { return f.s.(store.Notes) }

// note returns a note on pull request 7 of o/a.
func note(author, text string) store.Note {
	return store.Note{Repo: "o/a", PR: 7, Author: author, Text: text, Format: "brief", Check: true, Commit: sha(1),
		At: start}
}

// putNote stores a note and returns the stored note.
func (f fixture) putNote(n store.Note) store.Note {
	f.Helper()
	put, err := f.noted().PutNote(f.Context(), n)
	f.ok(err)
	return put
}

// notes returns the notes on pull request 7 of o/a.
func (f fixture) notes(sc store.Scope) []store.Note {
	f.Helper()
	list, err := f.noted().Notes(f.Context(), sc, "o/a", 7)
	f.ok(err)
	return list
}

var noteTests = map[string]func(f fixture){
	"an author has one note on a pull request": func(f fixture) {
		first := f.putNote(note("ann", "it is the ü\x00 cache"))
		second := f.putNote(note("bob", "no"))
		elsewhere := note("ann", "other")
		elsewhere.PR = 8
		f.equal(f.putNote(elsewhere).Rev, int64(1))
		f.equal([]int64{first.Rev, second.Rev}, []int64{1, 2})
		f.equal(f.notes(everything), []store.Note{first, second})
		third := f.putNote(note("ann", "yes"))
		f.equal(f.notes(store.Repos("o/a")), []store.Note{second, third})
		f.equal(third.Rev, int64(3))
		f.equal(f.notes(store.Repos("o/b")), []store.Note(nil))
	},
	"the same note stays, unless it was refused": func(f fixture) {
		first := f.putNote(note("ann", "it is"))
		f.ok(f.noted().MarkNotes(f.Context(), "o/a", 7, first.Rev, store.Posting{State: store.PostDone, URL: "https://x"}))
		again := note("ann", "it is")
		again.At = start.Add(time.Hour)
		first.Posted = store.Posting{State: store.PostDone, URL: "https://x"}
		f.equal(f.putNote(again), first)
		f.ok(f.noted().MarkNotes(f.Context(), "o/a", 7, first.Rev, store.Posting{State: store.PostLocked, Why: "locked"}))
		again = f.putNote(again)
		f.equal(again.Posted, store.Posting{})
		f.equal(again.Rev, int64(2))
	},
	"what is newer than a report is not marked by it": func(f fixture) {
		first, second := f.putNote(note("ann", "a")), f.putNote(note("bob", "b"))
		f.ok(f.noted().MarkNotes(f.Context(), "o/a", 7, first.Rev, store.Posting{State: store.PostDone}))
		first.Posted.State = store.PostDone
		f.equal(f.notes(everything), []store.Note{first, second})
	},
	"the oldest are removed": func(f fixture) {
		for i := range store.MaxPullNotes + 3 {
			f.putNote(note(fmt.Sprint("author ", i), "x"))
		}
		list := f.notes(everything)
		f.equal(len(list), store.MaxPullNotes)
		f.equal(list[0].Author, "author 3")
	},
	"notes at a time have revisions of their own": func(f fixture) {
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() { f.putNote(note(fmt.Sprint("author ", i), "x")) })
		}
		all.Wait()
		for i, n := range f.notes(everything) {
			f.equal(n.Rev, int64(i+1))
		}
	},
	"what is not whole is refused": func(f fixture) {
		for _, change := range []func(n *store.Note){
			func(n *store.Note) { n.Repo = "" }, func(n *store.Note) { n.PR = 0 }, func(n *store.Note) { n.Author = "" },
			func(n *store.Note) { n.At = time.Time{} },
			func(n *store.Note) { n.Text = strings.Repeat("ü", store.MaxNoteText+1) },
		} {
			bad := note("ann", "x")
			change(&bad)
			_, err := f.noted().PutNote(f.Context(), bad)
			f.refused(err, store.Invalid)
		}
		f.equal(len(f.notes(everything)), 0)
	},
}
