package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unsafe"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite/cage"
)

// ask runs a statement in a process of its own, and returns the answer. The rows come from the slice s. If s is nil,
// they come from the database in o.
func ask(ctx context.Context, c *cage.Cage, o opening, q store.Query, s *Slice) (store.Table, error) {
	text, err := statement(q.SQL)
	if err != nil {
		return store.Table{}, err
	}
	o.MaxRows, o.MaxBytes, o.MaxAnswer = q.MaxRows, q.MaxBytes, c.Answer
	a := &asking{slice: s, left: c.Answer, hold: func(n int64) error { return c.Hold(ctx, n) }}
	err = c.Run(ctx, q.Timeout, func(ctx context.Context, conn *cage.Conn) error {
		return a.run(ctx, conn, o, text)
	})
	switch {
	case err == nil:
		return a.table, nil
	case errors.Is(err, cage.ErrTime):
		return store.Table{}, tookTooLong(q)
	case errors.Is(err, cage.ErrMemory):
		return store.Table{}, queryError(errMemory)
	}
	return store.Table{}, err
}

// asking is the state of reading the answer of a process. The process is not trusted. So frames have a max size, and
// the bytes that asking keeps in memory are counted.
type asking struct {
	slice *Slice // rows for the process; nil if the process reads a database
	table store.Table
	left  int64               // bytes that the answer may still have
	hold  func(n int64) error // reserves n more bytes of memory
}

func (a *asking) run(ctx context.Context, c *cage.Conn, o opening, text string) error {
	b, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if err := c.Send(frameOpen, b); err != nil {
		return err
	}
	if err := c.Send(frameStatement, []byte(text)); err != nil {
		return err
	}
	if err := c.Flush(); err != nil {
		return err
	}
	for {
		kind, size, err := c.Next()
		if err != nil {
			return err
		}
		if size > a.maxSize(kind) {
			return errFrame
		}
		if done, err := a.frame(ctx, c, kind, size); done || err != nil {
			return err
		}
	}
}

// maxSize returns the max size of a frame of the given kind.
func (a *asking) maxSize(kind byte) int64 {
	switch kind {
	case frameRows:
		return a.left
	case frameColumns:
		return min(a.left, maxColumns+batch)
	case frameError:
		return maxErrorText
	}
	return batch
}

// frame reads a frame of the given kind. It reports whether this is the last frame.
func (a *asking) frame(ctx context.Context, c *cage.Conn, kind byte, size int64) (done bool, err error) {
	if kind == frameRows || kind == frameColumns {
		if err := a.hold(size); err != nil {
			return false, err
		}
	}
	b, err := c.Payload(size)
	if err != nil {
		return false, err
	}
	switch kind {
	case frameNeed:
		return false, a.load(ctx, c, b)
	case frameColumns:
		return false, a.columns(text(b))
	case frameRows:
		return false, a.rows(text(b))
	case frameEnd:
		if len(b) != 1 || a.table.Columns == nil {
			return false, errFrame
		}
		a.table.Truncated = b[0] == 1
		return true, nil
	case frameNothing:
		return false, store.Next(store.Errorf(store.Invalid, "the statement returns nothing: only SELECT works"), anExample())
	case frameError:
		return false, failure(b)
	}
	return false, errFrame
}

// text returns the bytes of a frame as a string. It does not copy the bytes, so the caller must not change them
// afterwards.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// failure returns the error that a frame contains.
func failure(b []byte) error {
	reported, preparing, err := decodeError(b)
	switch {
	case err != nil:
		return err
	case preparing:
		return fmt.Errorf("query: %w", busyError(reported))
	}
	return queryError(reported)
}

// load sends the rows of the slice to the process. The process may request the rows only once.
func (a *asking) load(ctx context.Context, c *cage.Conn, b []byte) error {
	n, err := needOf(b)
	if err != nil || a.slice == nil {
		return errFrame
	}
	s := a.slice
	a.slice = nil
	return s.fill(ctx, c, n)
}

func (a *asking) columns(frame string) error {
	if a.table.Columns != nil {
		return errFrame
	}
	a.table.Rows = [][]any{}
	a.left -= int64(len(frame))
	v := values{frame: frame}
	for v.more() {
		name, err := v.next()
		text, ok := name.(string)
		if err != nil || !ok {
			return errFrame
		}
		a.table.Columns = append(a.table.Columns, text)
	}
	return nil
}

func (a *asking) rows(frame string) error {
	if a.table.Columns == nil {
		return errFrame
	}
	v := values{frame: frame}
	for v.more() {
		v.cost += rowCost
		row := make([]any, len(a.table.Columns))
		for i := range row {
			var err error
			if row[i], err = v.next(); err != nil {
				return err
			}
		}
		if v.cost > a.left {
			return errFrame
		}
		a.table.Rows = append(a.table.Rows, row)
	}
	a.left -= v.cost
	return a.hold(v.cost - int64(len(frame))) // the memory for the frame itself is already reserved
}
