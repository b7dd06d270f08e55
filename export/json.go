package export

import "encoding/json"

// json writes a value.
func (d *document) json(v any) {
	enc := json.NewEncoder(&d.Buffer)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // only types of this package are written
	}
	d.Truncate(d.Len() - 1) // the line end
}

// item writes the item n, counted from 0, of a list.
func (d *document) item(n int, v any) {
	if n > 0 {
		d.WriteString(",")
	}
	d.WriteString("\n")
	d.json(v)
}

// members writes the members of a struct without the braces around them.
func (d *document) members(v any) {
	at := d.Len()
	d.json(v)
	text := d.Bytes()
	copy(text[at:], text[at+1:])
	d.Truncate(d.Len() - 2)
}
