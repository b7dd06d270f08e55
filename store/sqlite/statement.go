package sqlite

import (
	"errors"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// prepared is a prepared SQL statement. It uses SQLite's C interface, because the driver would copy each value twice
// before the size of the value is known.
type prepared struct {
	h       handle
	tls     *libc.TLS
	p       uintptr
	columns int
}

var errMemory = &engineError{code: sqlite3.SQLITE_NOMEM, text: "out of memory"}

// prepare prepares the first statement of a text.
func (h handle) prepare(text string) (*prepared, error) {
	tls := libc.NewTLS()
	from, err := libc.CString(text)
	if err != nil {
		return nil, errMemory
	}
	to := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(uintptr(0))))
	if to == 0 {
		return nil, errMemory
	}
	if rc := sqlite3.Xsqlite3_prepare_v2(tls, uintptr(h), from, -1, to, 0); rc != sqlite3.SQLITE_OK {
		return nil, h.lastError(tls, rc)
	}
	s := &prepared{h: h, tls: tls, p: *(*uintptr)(pointer(to))}
	if s.p != 0 {
		s.columns = int(sqlite3.Xsqlite3_column_count(tls, s.p))
	}
	return s, nil
}

// names appends the names of the columns as values.
func (s *prepared) names(b []byte) ([]byte, error) {
	for i := range s.columns {
		name := sqlite3.Xsqlite3_column_name(s.tls, s.p, int32(i))
		if name == 0 {
			return nil, errMemory
		}
		if b = appendText(b, libc.GoString(name)); len(b) > maxColumns {
			return nil, errLarge
		}
	}
	return b, nil
}

var errLarge = &engineError{code: sqlite3.SQLITE_TOOBIG, text: "string or blob too big"}

// step moves to the next row. It returns false if there is no next row.
func (s *prepared) step() (bool, error) {
	switch rc := sqlite3.Xsqlite3_step(s.tls, s.p); rc {
	case sqlite3.SQLITE_ROW:
		return true, nil
	case sqlite3.SQLITE_DONE:
		return false, nil
	default:
		return false, s.h.lastError(s.tls, rc)
	}
}

// size returns the size of the row for store.Query.MaxBytes, and the cost of the row in an answer.
func (s *prepared) size() (size, costs int64) {
	costs = rowCost
	for i := range s.columns {
		switch kind := s.kind(i); kind {
		case valueText:
			n := int64(s.bytes(i))
			size += n
			costs += cost(kind) + n
		default:
			size += 8
			costs += cost(kind)
		}
	}
	return size, costs
}

func (s *prepared) kind(i int) byte {
	switch sqlite3.Xsqlite3_column_type(s.tls, s.p, int32(i)) {
	case sqlite3.SQLITE_INTEGER:
		return valueInt
	case sqlite3.SQLITE_FLOAT:
		return valueFloat
	case sqlite3.SQLITE_NULL:
		return valueNull
	}
	return valueText
}

func (s *prepared) bytes(i int) int { return int(sqlite3.Xsqlite3_column_bytes(s.tls, s.p, int32(i))) }

var errColumn = errors.New("a column cannot be read")

// values appends the values of the row.
func (s *prepared) values(b []byte) ([]byte, error) {
	for i := range s.columns {
		switch s.kind(i) {
		case valueNull:
			b = append(b, valueNull)
		case valueInt:
			b = appendInt(b, sqlite3.Xsqlite3_column_int64(s.tls, s.p, int32(i)))
		case valueFloat:
			b = appendFloat(b, sqlite3.Xsqlite3_column_double(s.tls, s.p, int32(i)))
		case valueText:
			n := s.bytes(i)
			p := sqlite3.Xsqlite3_column_blob(s.tls, s.p, int32(i))
			if p == 0 && n > 0 {
				return nil, errColumn
			}
			var text []byte
			if n > 0 {
				text = unsafe.Slice((*byte)(pointer(p)), n)
			}
			b = appendText(b, text)
		}
	}
	return b, nil
}

// pointer converts an address to a pointer. The memory at the address is outside of Go's heap.
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }
