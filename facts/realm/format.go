package realm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts/realm/formats"
	"github.com/blq-ci/blq/internal/yamlfile"
	"github.com/blq-ci/blq/store"
)

// maxText is the max number of bytes of a schema in Protocol Buffers or GraphQL, with its imports.
const maxText = 2 << 20

// rulesOf lists the rules for Protocol Buffers, the strictest rule first.
var rulesOf = []string{"file", "wire_json", "wire"}

// isDescription reports whether a file is a schema and not a contract. A schema has one of the keys openapi, swagger
// and $schema. It has none of the keys owner, schema and schema_file.
func isDescription(v yamlfile.Value) bool {
	has := func(key string) bool { return !v.Get(key).IsZero() }
	return (has("openapi") || has("swagger") || has("$schema")) && !has("owner") && !has("schema") && !has("schema_file")
}

// format reads the format of a contract's schema, the name of the schema file, and the compatibility rules.
func (r *reader) format(v yamlfile.Value, c *Contract) {
	c.file = v.Get("schema_file").Text()
	if c.file != "" {
		c.lines.schema = v.LineOf("schema_file")
	}
	c.Format = formats.Format(strings.ToLower(v.Get("format").Text()))
	if c.Format == "" {
		c.Format = formats.Of(c.file)
	}
	at := c.at(v.LineOf("format"))
	switch {
	case !formats.Known(c.Format):
		r.fail(at, "", "contract '%s' has the format %.40q; it is one of jsonschema, openapi, protobuf and graphql", c.Name,
			string(c.Format))
		c.Format, c.unread = formats.JSONSchema, true
	case c.file != "" && (path.IsAbs(c.file) || strings.HasPrefix(path.Clean(c.file)+"/", "../")):
		r.fail(c.at(c.lines.schema), "", "schema_file of contract '%s' has to be in the repository; it is %.100q", c.Name,
			c.file)
		c.file, c.unread = "", true
	}
	c.rules = cmp.Or(v.Get("compatibility").Get("rules").Text(), rulesOf[0])
	if !slices.Contains(rulesOf, c.rules) {
		r.fail(c.at(v.LineOf("compatibility")), "", "compatibility.rules of contract '%s' is %.40q; it is one of %s", c.Name,
			c.rules, strings.Join(rulesOf, ", "))
		c.rules = rulesOf[0]
	}
}

// sourcesOf maps paths to the contents of files.
func sourcesOf(files []File) map[string][]byte {
	all := make(map[string][]byte, len(files))
	for _, f := range files {
		if f.load == nil {
			all[f.Path] = f.Text
		}
	}
	return all
}

// later maps paths to files whose text has not been read.
func later(files []File) map[string]File {
	all := map[string]File{}
	for _, f := range files {
		if f.load != nil {
			all[f.Path] = f
		}
	}
	return all
}

// fetch reads a file that a contract names. For Protocol Buffers it also reads all files that this file may import.
func (r *reader) fetch(in, name string, format formats.Format) error {
	for path, f := range r.later[in] {
		if path != name && (format != formats.Protobuf || formats.Of(path) != formats.Protobuf) {
			continue
		}
		text, err := f.load()
		if err != nil && (path == name || store.CodeOf(err) != store.NotFound) {
			return err
		}
		if err == nil {
			r.sources[in][path] = text
		}
		delete(r.later[in], path)
	}
	return nil
}

// Sources returns a function that reports whether a file of a repository may hold a schema, or a part of a schema.
// Only schemas of the contracts in the given YAML files count.
func Sources(files []File) func(file string) bool {
	named, protobuf := map[string]bool{}, false
	for _, f := range files {
		for line := range strings.Lines(string(f.Text)) {
			_, value, found := strings.Cut(line, "schema_file:")
			if !found {
				continue
			}
			value, _, _ = strings.Cut(value, " #")
			value = path.Clean(strings.Trim(value, " \t\r\n\"',}"))
			named[value] = true
			protobuf = protobuf || formats.Of(value) == formats.Protobuf
		}
	}
	return func(file string) bool { return named[file] || protobuf && formats.Of(file) == formats.Protobuf }
}

// schemaFiles reads the schemas that have separate files. These files are in the repository of the owner or of the
// realm.
func (r *reader) schemaFiles() {
	for _, d := range r.domains {
		for i := range d.Contracts {
			if c := &d.Contracts[i]; c.file != "" {
				r.schemaFile(c)
			}
		}
	}
}

func (r *reader) schemaFile(c *Contract) {
	name := path.Clean(c.file)
	for _, in := range []string{c.Owner, c.Place.In} {
		if _, known := r.later[in][name]; known {
			if err := r.fetch(in, name, c.Format); err != nil {
				c.unread = true
				r.fail(Place{in, name, 0}, "", "schema of contract '%s' cannot be read: %v", c.Name, err)
				return
			}
		}
		files := r.sources[in]
		text, there := files[name]
		if !there {
			continue
		}
		if err := c.readSchema(name, text, files); err != nil {
			c.unread = true
			r.fail(Place{in, name, lineOf(err)}, "", "schema of contract '%s' cannot be read: %v", c.Name, err)
		}
		return
	}
	if _, here := r.sources[c.Owner]; !here && c.Place.In == "" {
		c.missing = fmt.Sprintf("%s is in the repository of '%s', which is not here", name, c.Owner)
		return
	}
	c.unread = true
	advice := ""
	if slices.Contains([]string{".json", ".yaml", ".yml"}, path.Ext(name)) {
		advice = "; JSON and YAML files need openapi, swagger or .schema. in their name, or a directory contracts"
	}
	r.fail(c.at(c.lines.schema), "", "contract '%s' names the schema_file %.200s, which is not there%s", c.Name, name,
		advice)
}

// lineOf returns the line of a YAML error, or 0 if the line is unknown.
func lineOf(err error) int {
	var e *yamlfile.Error
	if errors.As(err, &e) {
		return e.Line
	}
	return 0
}

// readSchema takes the schema from a file.
func (c *Contract) readSchema(name string, text []byte, files map[string][]byte) error {
	if c.Format.IsText() {
		if len(text) > maxText {
			return fmt.Errorf("it has %d bytes, and at most %d are read", len(text), maxText)
		}
		if c.Format == formats.Protobuf {
			texts, _ := formats.Texts(name, files)
			bytes := 0
			for i, t := range texts {
				if bytes += len(t); i > 0 && bytes <= maxText {
					c.imported = append(c.imported, t)
				}
			}
		}
		var err error
		if c.Schema, err = json.Marshal(string(text)); err != nil {
			return err
		}
		return c.hash()
	}
	v, err := yamlfile.Parse(text)
	if err == nil {
		c.Schema, err = v.JSON()
	}
	if err != nil {
		c.Schema = nil
		return err
	}
	return c.hash()
}

// text returns the text of a schema in a format other than JSON. The field Schema has it as a JSON string. text returns
// "" for JSON schemas.
func (c *Contract) text() string {
	var s string
	if json.Unmarshal(c.Schema, &s) != nil {
		return ""
	}
	return s
}

// hash sets the hash of the schema. If the format is not JSON (see formats.Format.IsText), the hash ignores comments
// and spaces, and includes the imported files.
func (c *Contract) hash() (err error) {
	schema := c.Schema
	if c.Format.IsText() {
		texts := []string{formats.Canonical(c.Format, []byte(c.text()))}
		for _, t := range c.imported {
			texts = append(texts, formats.Canonical(c.Format, t))
		}
		if schema, err = json.Marshal(texts); err != nil {
			return err
		}
	}
	c.SchemaHash, err = hash(schema)
	return err
}

// document reads a schema that is not JSON Schema.
func (c *Contract) document() (*formats.Document, error) {
	if c.Format.IsText() {
		return formats.Read(c.Format, []byte(c.text()), c.imported...)
	}
	return formats.Read(c.Format, c.Schema)
}

// check checks the schema of a contract. If the schema is a JSON Schema, check also checks the value against it.
func (c *Contract) check() error {
	if c.Format == formats.JSONSchema {
		return checkSchema(c.Schema, c.Value)
	}
	_, err := c.document()
	if errors.Is(err, formats.ErrUnsupported) {
		return fmt.Errorf("%w: %w", errUnsupported, err)
	}
	return err
}

// effect holds the harmful changes of a contract.
type effect struct {
	breaks  []string // breaking changes
	dangers []string // dangerous changes
	unknown string   // why the comparison is incomplete, "" if it is complete
}

// known reports whether the schema of a contract has been read. A contract without a schema is known.
func (c *Contract) known() bool { return c.missing == "" && !c.unread }

// effectOf returns the effect of a change between two states of a contract.
func effectOf(before, after *Contract) (e effect) {
	switch {
	case !before.known():
		return effect{unknown: cmp.Or(before.missing, "the earlier schema cannot be read")}
	case !after.known():
		return effect{unknown: cmp.Or(after.missing, "the schema cannot be read")}
	case before.SchemaHash == after.SchemaHash && before.Format == after.Format:
		return e
	case before.Schema != nil && after.Schema == nil:
		return effect{breaks: []string{"the schema was removed"}}
	case before.Schema == nil || after.Schema == nil:
		return e
	case before.Format != after.Format:
		return effect{breaks: []string{fmt.Sprintf("the format changed from %s to %s", before.Format, after.Format)}}
	case after.Format == formats.JSONSchema:
		e.breaks, e.unknown = breaksOf(before.Schema, after.Schema)
		return e
	}
	was, err := before.document()
	if err != nil {
		return effect{unknown: "the earlier schema cannot be read: " + brief(err, nil)}
	}
	is, err := after.document()
	if err != nil {
		return effect{unknown: brief(err, nil)}
	}
	for _, c := range formats.Changes(was, is, after.rules) {
		if c.Level == formats.Breaking {
			e.breaks = append(e.breaks, c.Text)
		} else {
			e.dangers = append(e.dangers, c.Text)
		}
	}
	return e
}
