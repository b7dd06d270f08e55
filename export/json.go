package export

import "encoding/json"

// json writes a value as JSON.
func (d *document) json(v any) {
	enc := json.NewEncoder(&d.Buffer)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // values with types of this package can always be encoded
	}
	d.Truncate(d.Len() - 1) // remove the line end
}

// item writes item n of a list. The number of the first item is 0.
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
