package sqlite

import "strings"

// columnDef declares a column by its name and its type, INTEGER or TEXT.
type columnDef struct{ Name, Type string }

// rows holds the rows of a table in memory, column by column.
type rows struct {
	fields  []columnDef
	columns []column
	n       int
}

// column holds the values of a column, and finds rows by value.
type column struct {
	text  bool
	left  bool // the column is not needed and has no values
	ints  []int64
	texts []string
	nulls map[int]bool
	index map[any][]int
}

func newRows(fields []columnDef) *rows {
	r := &rows{fields: fields, columns: make([]column, len(fields))}
	for i, f := range fields {
		r.columns[i].text = f.Type == "TEXT"
	}
	return r
}

// keep drops all columns that names does not contain.
func (r *rows) keep(names []string) {
	for i, is := range named(r.fields, names) {
		r.columns[i].left = !is
	}
}

func (c *column) addNull(row int) {
	if c.nulls == nil {
		c.nulls = make(map[int]bool)
	}
	c.nulls[row] = true
	if c.text {
		c.texts = append(c.texts, "")
	} else {
		c.ints = append(c.ints, 0)
	}
}

func (c *column) at(row int) any {
	switch {
	case c.left || c.nulls[row]:
		return nil
	case c.text:
		return c.texts[row]
	}
	return c.ints[row]
}

// having searches the first n rows. It returns the indexes of the rows that may have the given value, in order. Texts
// that differ only in case or in blanks at the end count as equal here, but SQLite checks each row again. having
// returns false if SQLite must read all rows.
func (c *column) having(value any, n int) ([]int, bool) {
	key, ok := c.key(value)
	if !ok || c.left {
		return nil, false
	}
	if c.index == nil {
		c.index = make(map[any][]int)
		for i := range n {
			if k, ok := c.key(c.at(i)); ok {
				c.index[k] = append(c.index[k], i)
			}
		}
	}
	return c.index[key], true
}

// key returns a key for a value. If two values are equal under one of SQLite's collations, their keys are equal. key
// returns false if a value cannot be looked up by a key.
func (c *column) key(value any) (any, bool) {
	switch v := value.(type) {
	case int64:
		return v, !c.text
	case string:
		return strings.TrimRight(lower(v), " "), c.text
	}
	return nil, false
}

// lower converts ASCII letters to lower case, like the collation NOCASE.
func lower(s string) string {
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// read adds the rows of a frame. In a frame, a row has only the values of the needed columns.
func (r *rows) read(frame string) error {
	v := values{frame: frame}
	for v.more() {
		for i := range r.columns {
			if r.columns[i].left {
				continue
			}
			value, err := v.next()
			if err != nil {
				return err
			}
			if err := r.columns[i].add(value, r.n); err != nil {
				return err
			}
		}
		r.n++
	}
	return nil
}

func (c *column) add(value any, row int) error {
	switch v := value.(type) {
	case nil:
		c.addNull(row)
		return nil
	case string:
		if c.text {
			c.texts = append(c.texts, v)
			return nil
		}
	case int64:
		if !c.text {
			c.ints = append(c.ints, v)
			return nil
		}
	}
	return errFrame
}
