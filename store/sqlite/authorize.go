package sqlite

import (
	"database/sql"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// handle is a pointer to a connection in SQLite's C interface. This file uses the C interface, because the driver has
// no function for setting an authorizer.
type handle uintptr

func handleOf(conn *sql.Conn) (handle, error) {
	var h handle
	err := conn.Raw(func(driverConn any) error {
		v := reflect.ValueOf(driverConn)
		if v.Kind() == reflect.Pointer {
			if db := v.Elem().FieldByName("db"); db.IsValid() && db.Kind() == reflect.Uintptr {
				h = handle(db.Uint())
			}
		}
		if h == 0 {
			return fmt.Errorf("sqlite driver %T has no handle: no authorizer, no query", driverConn)
		}
		return nil
	})
	return h, err
}

// guard makes SQLite call authorize whenever it prepares a statement on the connection.
func (h handle) guard() error {
	tls := libc.NewTLS()
	defer tls.Close()
	f := authorize
	// The driver is C code translated to Go. In this code, a C function pointer is the value of a Go function as a
	// uintptr. The driver makes the pointers of its own hooks in the same way.
	callback := *(*uintptr)(unsafe.Pointer(&struct {
		f func(*libc.TLS, uintptr, int32, uintptr, uintptr, uintptr, uintptr) int32
	}{f}))
	if rc := sqlite3.Xsqlite3_set_authorizer(tls, uintptr(h), callback, 0); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("set authorizer: result %d", rc)
	}
	return nil
}

// authorize allows or refuses an operation of a statement. SQLite calls it for each operation. It allows only
// operations that are needed for reading the relations.
func authorize(_ *libc.TLS, _ uintptr, action int32, a1, a2, db, by uintptr) int32 {
	ok := false
	switch action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE:
		ok = true
	case sqlite3.SQLITE_FUNCTION:
		ok = functions()[strings.ToLower(libc.GoString(a2))]
	case sqlite3.SQLITE_READ:
		ok = mayRead(libc.GoString(a1), libc.GoString(a2), libc.GoString(db), libc.GoString(by))
	}
	if ok {
		return sqlite3.SQLITE_OK
	}
	return sqlite3.SQLITE_DENY
}

func mayRead(table, column, db, by string) bool {
	table = strings.ToLower(table)
	for _, r := range relations() {
		if table == r.name || table == r.inner || by == r.inner {
			return true
		}
	}
	switch table {
	case "json_each", "json_tree":
		return true
	case "repos", "sources", "runs", "events", "batches", "chunks", "pruned", "garbage", "goose_db_version", "dbstat":
		return false
	}
	// SQLite passes neither a column nor a database for a table from a WITH clause. Such a table may be read, unless
	// its name has the prefix of internal tables.
	for _, prefix := range []string{"directory_", "sqlite_", "pragma_"} {
		if strings.HasPrefix(table, prefix) {
			return false
		}
	}
	return column == "" && db == ""
}

// functions holds the functions that a statement may call. They read no files and do not change the connection. The
// length of their results is at most maxValue.
var functions = sync.OnceValue(func() map[string]bool {
	m := make(map[string]bool)
	for _, name := range strings.Fields(`
		abs char coalesce concat concat_ws format glob hex ifnull iif if instr length like likelihood likely lower
		ltrim max min nullif octet_length printf quote replace round rtrim sign substr substring trim typeof unhex
		unicode unistr unlikely upper soundex
		avg count group_concat string_agg sum total median percentile percentile_cont percentile_disc
		row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
		date time datetime julianday unixepoch strftime timediff current_date current_time current_timestamp
		acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi pow
		power radians sin sinh sqrt tan tanh trunc
		json json_array json_array_length json_array_insert json_error_position json_extract json_insert json_object
		json_patch json_pretty json_quote json_remove json_replace json_set json_type json_valid json_group_array json_group_object -> ->>`) {
		m[name] = true
	}
	return m
})
