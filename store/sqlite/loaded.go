package sqlite

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/blq-ci/blq/store/sqlite/cage"
)

// loaded holds the rows of a slice in the process of a statement. The process requests the rows from its parent.
type loaded struct {
	j    *cage.Jail
	need Need
	done bool
	err  error
	size int64

	runs, events *rows
}

// fill loads the rows if they are not loaded yet. It is called when the statement begins to read. Before that, it is
// unknown which columns the statement needs.
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
	l.runs.keep(l.need.Runs)
	l.events.keep(l.need.Events)
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

// needs records that a statement reads columns of a table. In used, the bit of a column is 1 if the statement reads the
// column.
func (l *loaded) needs(table string, used uint64) {
	if table == "events" {
		l.need.Events = read(sliceEvents, used, append(l.need.Events, "run_id", "id"))
		return
	}
	l.need.Runs = read(sliceRuns, used, append(l.need.Runs, "id"))
}

// read returns the names of the needed columns, in the order of columns. A column is needed if its name is in names, or
// if its bit in used is 1.
func read(columns []columnDef, used uint64, names []string) []string {
	var list []string
	for i, f := range columns {
		if slices.Contains(names, f.Name) || used&(1<<i) != 0 {
			list = append(list, f.Name)
		}
	}
	return list
}

// bits returns the need as the payload of a frame. Four bytes have a bit for each column of runs, and four bytes have a
// bit for each column of events.
func (n Need) bits() []byte {
	var b []byte
	for _, table := range [][]bool{named(sliceRuns, n.Runs), named(sliceEvents, n.Events)} {
		var bits uint32
		for i, is := range table {
			if is {
				bits |= 1 << i
			}
		}
		b = binary.BigEndian.AppendUint32(b, bits)
	}
	return b
}

// needOf parses the result of Need.bits.
func needOf(b []byte) (Need, error) {
	if len(b) != 8 {
		return Need{}, errFrame
	}
	return Need{
		Runs:   read(sliceRuns, uint64(binary.BigEndian.Uint32(b)), nil),
		Events: read(sliceEvents, uint64(binary.BigEndian.Uint32(b[4:])), nil),
	}, nil
}
