package realm

import (
	"cmp"
	"encoding/json"
	"errors"

	"github.com/blq-ci/blq/internal/yamlfile"
)

func (r *reader) contract(f File, v yamlfile.Value, domain, stem string, at Place) {
	if isDescription(v) {
		return // a contract may name the file as its schema_file
	}
	c := Contract{Name: cmp.Or(v.Get("name").Text(), stem), Version: cut(v.Get("version").Text(), maxVersion),
		Owner:     v.Get("owner").Text(),
		Backwards: v.Get("compatibility").Get("backwards").Bool(true),
		Forwards:  v.Get("compatibility").Get("forwards").Bool(false),
		Sources:   v.Get("source_files").Texts(), Place: at,
		lines: lines{v.LineOf("version"), v.LineOf("schema"), v.LineOf("value"), v.LineOf("owner")}}
	if at.In != "" {
		c.Owner = cmp.Or(c.Owner, at.In)
	}
	if !IsName(c.Owner) && c.Owner != "" {
		r.fail(c.at(c.lines.owner), "", "the owner %.100q of contract '%.100s' cannot name a repository: write letters, "+
			"digits and ._-", c.Owner, c.Name)
		c.Owner = ""
	}
	if !isTitle(c.Name) {
		at.Line = v.LineOf("name")
		r.fail(at, "", "%.100q cannot name a contract: write it without slashes and invisible characters", c.Name)
		r.at(domain).unread[stem] = true
		return
	}
	if version, ok := parseVersion(c.Version); ok {
		c.version = &version
	}
	r.format(v, &c)
	r.values(f, v, &c)
	if c.file == "" {
		c.kept = f.kept
	}
	for _, e := range v.Get("evolution").List() {
		changes, _ := e.Get("changes").JSON()
		entry := Version{Version: cut(e.Get("version").Text(), maxVersion), Changes: changes,
			Place: Place{at.In, at.File, e.Line()}}
		if compatible := e.Get("compatible"); !compatible.IsZero() {
			b := compatible.Bool(false)
			entry.Compatible = &b
		}
		c.Evolution = append(c.Evolution, entry)
	}
	if d := v.Get("deprecated"); d.Bool(d.IsMapping()) {
		c.Deprecated = &Deprecation{Since: d.Get("since").Text(), ReplacedBy: d.Get("replaced_by").Text()}
	}
	r.add(r.at(domain), c)
}

// values reads the parts of a contract that are kept as JSON.
func (r *reader) values(f File, v yamlfile.Value, c *Contract) {
	for _, part := range []struct {
		key  string
		to   *json.RawMessage
		hash *string
	}{{"schema", &c.Schema, &c.SchemaHash}, {"value", &c.Value, &c.ValueHash}, {"validation", &c.Validation, nil}} {
		value := v.Get(part.key)
		if value.IsZero() {
			continue
		}
		var text json.RawMessage
		var err error
		if part.key == "schema" && c.Format.IsText() {
			err = c.readSchema("", []byte(value.Text()), nil)
			text = c.Schema
		} else {
			j := f.json(part.key, value, part.hash != nil)
			text, err = j.text, j.err
			if part.hash != nil {
				*part.hash = j.hash
			}
		}
		if err != nil {
			at := Place{c.Place.In, c.Place.File, v.LineOf(part.key)}
			var e *yamlfile.Error
			if errors.As(err, &e) && e.Line > 0 {
				at.Line = e.Line
			}
			c.unread = c.unread || part.key == "schema"
			r.fail(at, "", "the %s of %s cannot be read: %v", part.key, c.Name, err)
			continue
		}
		*part.to = text
	}
}

// add adds a contract to its domain. The owner's file takes precedence over other files. If several members declare
// that they own the contract, the member with the best claim owns it.
func (r *reader) add(d *Domain, c Contract) {
	before := d.Contract(c.Name)
	switch {
	case before == nil && c.Place.In != "" && c.Owner != c.Place.In:
		r.foreign(d, c, c.Owner)
	case before == nil:
		d.Contracts = append(d.Contracts, c)
	case c.Place.In != "" && c.Owner == c.Place.In && before.Owner == c.Place.In:
		*before = c
	case c.Place.In != "" && c.Owner == c.Place.In && before.Place.In != "" &&
		r.claim(d, c.Name, c.Owner) > r.claim(d, c.Name, before.Owner):
		r.foreign(d, *before, c.Owner)
		*before = c
	case c.Place.In != "":
		r.foreign(d, c, before.Owner)
	default:
		r.fail(c.Place, "", "contract '%s' is declared twice in domain '%s': also in %s", c.Name, d.Name, before.Place.File)
	}
}

// foreign records that a member declares a contract of another repository.
func (r *reader) foreign(d *Domain, c Contract, owner string) {
	r.fail(c.at(c.lines.owner), OwnershipViolation, "'%s' declares contract '%s', which belongs to '%s'",
		c.Place.In, c.Name, owner)
	f := &r.realm.Errors[len(r.realm.Errors)-1]
	f.Domain, f.Contract, f.Repo = d.Name, c.Name, c.Place.In
}

// at returns a place in the file of a contract.
func (c *Contract) at(line int) Place { return Place{c.Place.In, c.Place.File, line} }
