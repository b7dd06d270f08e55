package sqlite

import (
	"encoding/binary"
	"errors"
	"math"
)

// These are the kinds of frames between a store and the process of a statement.
const (
	// frames to the process
	frameOpen      = 'O' // opening, as JSON
	frameStatement = 'S' // text of the statement
	frameRun       = 'R' // runs of a slice, as values
	frameEvent     = 'E' // events of a slice, as values
	frameLoaded    = 'L' // the slice has no more rows
	// frames from the process
	frameNeed    = 'N' // columns that the statement reads from a slice, see Need.bits
	frameColumns = 'C' // names of columns, as values
	frameRows    = 'D' // rows, as values
	frameEnd     = 'Z' // end of the answer: a byte that is 1 if there are more rows
	frameNothing = 'V' // the statement returns no columns
	frameError   = 'X' // an error: when it occurred, SQLite's code, the text
)

// These limits bound the sizes of frames in bytes. A frame of rows, runs or events is sent when it has at least batch
// bytes. The frames of all other kinds from the process, except columns and errors, have at most batch bytes.
const (
	maxColumns   = 1 << 20
	maxErrorText = 128 << 10
	batch        = 32 << 10
)

// opening holds the settings that a process needs before it can read a statement.
type opening struct {
	DSN   string   // DSN of the database, "" for a slice
	All   bool     // the scope has all repositories
	Repos []string // repositories in the scope if All is not set

	MaxRows, MaxBytes int   // limits of the answer, as in store.Query
	MaxAnswer         int64 // max sum of the costs of the answer's values and rows, see cost
}

// These bytes mark the types of values.
const (
	valueNull = iota
	valueInt
	valueFloat
	valueText
)

// rowCost is the number of bytes of memory that a row takes in an answer, without its values.
const rowCost = 64

// cost returns the number of bytes of memory that a value of a type takes in an answer. For a text, the bytes of the
// text come in addition.
func cost(value byte) int64 {
	switch value {
	case valueNull:
		return 16
	case valueText:
		return 40
	}
	return 32
}

func appendInt(b []byte, v int64) []byte { return binary.AppendVarint(append(b, valueInt), v) }

func appendFloat(b []byte, v float64) []byte {
	return binary.BigEndian.AppendUint64(append(b, valueFloat), math.Float64bits(v))
}

func appendText[T string | []byte](b []byte, v T) []byte {
	return append(binary.AppendUvarint(append(b, valueText), uint64(len(v))), v...)
}

// appendValue appends a string or an int64 in the form that values reads. For a value of any other type, it appends a
// null.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return appendText(b, v)
	case int64:
		return appendInt(b, v)
	}
	return append(b, valueNull)
}

var errFrame = errors.New("the process of the statement sent what cannot be read")

// values reads values from a frame. Texts share the memory of the frame.
type values struct {
	frame string
	cost  int64 // sum of the costs of the values read so far
}

func (v *values) more() bool { return v.frame != "" }

func (v *values) next() (any, error) {
	if v.frame == "" {
		return nil, errFrame
	}
	kind := v.frame[0]
	v.frame = v.frame[1:]
	v.cost += cost(kind)
	switch kind {
	case valueNull:
		return nil, nil
	case valueInt:
		return v.int()
	case valueFloat:
		if len(v.frame) < 8 {
			return nil, errFrame
		}
		bits := binary.BigEndian.Uint64([]byte(v.frame[:8]))
		v.frame = v.frame[8:]
		return math.Float64frombits(bits), nil
	case valueText:
		return v.text()
	}
	return nil, errFrame
}

func (v *values) int() (any, error) {
	i, n := binary.Varint([]byte(v.frame[:min(len(v.frame), binary.MaxVarintLen64)]))
	if n <= 0 {
		return nil, errFrame
	}
	v.frame = v.frame[n:]
	return i, nil
}

func (v *values) text() (any, error) {
	size, n := binary.Uvarint([]byte(v.frame[:min(len(v.frame), binary.MaxVarintLen64)]))
	if n <= 0 || size > uint64(len(v.frame)-n) {
		return nil, errFrame
	}
	text := v.frame[n : n+int(size)]
	v.frame = v.frame[n+int(size):]
	v.cost += int64(size)
	return text, nil
}
