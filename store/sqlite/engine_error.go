package sqlite

import (
	"encoding/binary"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// engineError is an error of SQLite that the process of a statement reports.
type engineError struct {
	code int // extended result code, 0 for an error that is not from SQLite
	text string
}

func (e *engineError) Error() string { return e.text }

// lastError returns the error of a call on a connection. rc is the result of the call.
func (h handle) lastError(tls *libc.TLS, rc int32) *engineError {
	text := libc.GoString(sqlite3.Xsqlite3_errstr(tls, rc))
	if more := libc.GoString(sqlite3.Xsqlite3_errmsg(tls, uintptr(h))); rc != sqlite3.SQLITE_NOMEM && more != text {
		text += ": " + more
	}
	return &engineError{int(rc), text}
}

// encode returns the error as the payload of a frame.
func (e *engineError) encode(preparing bool) []byte {
	b := []byte{0}
	if preparing {
		b[0] = 1
	}
	b = binary.BigEndian.AppendUint32(b, uint32(int32(e.code)))
	return append(b, e.text[:min(len(e.text), maxErrorText-len(b))]...)
}

// decodeError returns the error in a frame. The bool is true if the error occurred before the statement was read.
func decodeError(b []byte) (*engineError, bool, error) {
	if len(b) < 5 {
		return nil, false, errFrame
	}
	return &engineError{int(int32(binary.BigEndian.Uint32(b[1:]))), string(b[5:])}, b[0] == 1, nil
}
