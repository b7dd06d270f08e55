package sqlite

import (
	"errors"
	"slices"

	"github.com/blq-ci/blq/store/sqlite/cage"
)

// loaded are the rows of a slice in the process of a statement, which asks its parent for them.
type loaded struct {
	j    *cage.Jail
	need Need
	done bool
	err  error
	size int64

	runs, events *rows
}

// fill loads the rows unless they are loaded. It runs when the statement begins to read, because only then the
// needed columns are known.
func (l *loaded) fill() error {
	if !l.done {
		l.done = true
		l.err = l.ask()
	}
	if l.err != nil {
		return errors.New("the rows cannot be read")
	}
	return nil
}

func (l *loaded) ask() error {
	if err := l.j.Send(frameNeed, l.need.bits()); err != nil {
		return err
	}
	if err := l.j.Flush(); err != nil {
		return err
	}
	kept := make(map[string]bool)
	for _, name := range l.need.Events {
		kept[name] = true
	}
	l.events.keep(kept)
	for {
		kind, size, err := l.j.Next()
		if err != nil {
			return err
		}
		if l.size += size; l.size > l.j.Memory()/2 {
			l.j.OutOfMemory()
		}
		b, err := l.j.Payload(size)
		if err != nil {
			return err
		}
		switch kind {
		case frameRun:
			err = l.runs.read(text(b))
		case frameEvent:
			err = l.events.read(text(b))
		case frameLoaded:
			return nil
		default:
			err = errFrame
		}
		if err != nil {
			return err
		}
	}
}

// needs records that a statement reads columns of a table. used has a bit for each.
func (l *loaded) needs(table string, used uint64) {
	l.need.Runs = true
	if table != "events" {
		l.need.CI = l.need.CI || used&ofCI != 0
		return
	}
	names := map[string]bool{"run_id": true, "id": true}
	for _, name := range l.need.Events {
		names[name] = true
	}
	l.need.Events = l.need.Events[:0]
	for i, f := range sliceEvents {
		if names[f.Name] || used&(1<<i) != 0 {
			l.need.Events = append(l.need.Events, f.Name)
		}
	}
}

// bits returns the payload of a frame: a byte for runs and CI, and two for the columns of events.
func (n Need) bits() []byte {
	b := []byte{0, 0, 0}
	if n.Runs {
		b[0] |= 1
	}
	if n.CI {
		b[0] |= 2
	}
	for i, f := range sliceEvents {
		if slices.Contains(n.Events, f.Name) {
			b[1+i/8] |= 1 << (i % 8)
		}
	}
	return b
}

// needOf reads what bits has written.
func needOf(b []byte) (Need, error) {
	if len(b) != 3 {
		return Need{}, errFrame
	}
	n := Need{Runs: b[0]&1 != 0, CI: b[0]&2 != 0}
	for i, f := range sliceEvents {
		if b[1+i/8]&(1<<(i%8)) != 0 {
			n.Events = append(n.Events, f.Name)
		}
	}
	return n, nil
}
