package export

import (
	"encoding/xml"
	"strconv"
	"time"
)

const xmlHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// text writes text between tags. It replaces characters that XML does not allow by U+FFFD.
func (d *document) text(s string) {
	_ = xml.EscapeText(&d.Buffer, []byte(s)) // a write to a buffer never fails
}

// attr writes an attribute. It writes nothing if the value is "".
func (d *document) attr(name, value string) {
	if value == "" {
		return
	}
	d.WriteString(" " + name + `="`)
	d.text(value)
	d.WriteString(`"`)
}

func (d *document) number(name string, n int) { d.attr(name, strconv.Itoa(n)) }

func (d *document) seconds(name string, t time.Duration) {
	d.attr(name, strconv.FormatFloat(float64(t)/float64(time.Second), 'f', -1, 64))
}
