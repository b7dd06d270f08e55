//go:build !job

package formats

import (
	"maps"
	"slices"
	"strings"
)

// category says by which rules of buf a difference breaks consumers. Those of a category break those after it, too.
type category int

const (
	onWire category = iota // programs with the earlier code read other data, or calls fail
	inJSON                 // likewise in JSON
	inFile                 // generated code does not compile with the new file
)

// protoDiff compares files by the rules that buf has in its categories FILE, WIRE_JSON and WIRE.
type protoDiff struct {
	*list
	from, to *protoFiles
	rules    string // file, wire_json or wire
}

// find adds a difference. It is dangerous if it is in a category that does not count.
func (d *protoDiff) find(c category, rule, format string, args ...any) {
	level := Breaking
	if d.rules == "wire" && c > onWire || d.rules == "wire_json" && c > inJSON {
		level = Dangerous
	}
	d.add(level, rule, format, args...)
}

// now returns the full name that a type has now: its package may have another name.
func (d *protoDiff) now(name string) string {
	if d.from.pkg != d.to.pkg {
		if rest, ok := strings.CutPrefix(name, d.from.pkg+"."); ok {
			return inside(d.to.pkg, rest)
		}
	}
	return name
}

func (d *protoDiff) all() {
	if d.from.pkg != d.to.pkg {
		d.find(inFile, "FILE_SAME_PACKAGE", "the package changed from '%s' to '%s'", d.from.pkg, d.to.pkg)
	}
	if d.from.syntax != d.to.syntax {
		d.find(inFile, "FILE_SAME_SYNTAX", "the syntax changed from '%s' to '%s'", d.from.syntax, d.to.syntax)
	}
	for _, name := range slices.Sorted(maps.Keys(d.from.options)) {
		if was, is := d.from.options[name], d.to.options[name]; was != is && namesCode(name) {
			d.find(inFile, "FILE_SAME_"+strings.ToUpper(name), "option %s changed from '%s' to '%s'", name, was, is)
		}
	}
	for _, name := range d.from.order {
		now := d.now(name)
		switch {
		case d.from.messages[name] != nil && d.to.messages[now] == nil:
			d.find(inFile, "MESSAGE_NO_DELETE", "message '%s' was removed", name)
		case d.from.messages[name] != nil:
			d.message(d.from.messages[name], d.to.messages[now])
		case d.from.enums[name] != nil && d.to.enums[now] == nil:
			d.find(inFile, "ENUM_NO_DELETE", "enum '%s' was removed", name)
		case d.from.enums[name] != nil:
			d.enum(d.from.enums[name], d.to.enums[now])
		case d.to.services[now] == nil:
			d.find(inFile, "SERVICE_NO_DELETE", "service '%s' was removed", name)
		default:
			d.service(d.from.services[name], d.to.services[now])
		}
	}
}

// namesCode reports whether an option of a file decides what generated code is called or can do.
func namesCode(option string) bool {
	for _, prefix := range []string{"java_", "go_package", "csharp_", "objc_", "php_", "ruby_", "swift_", "optimize_for",
		"cc_", "py_"} {
		if strings.HasPrefix(option, prefix) {
			return true
		}
	}
	return false
}

func (d *protoDiff) message(was, is *protoMessage) {
	ranges, names := is.reserved.merged(), set(is.reserved.names)
	for _, n := range was.numbers {
		f := was.fields[n]
		if now := is.fields[n]; now != nil {
			d.field(was.name, f, now)
			continue
		}
		c := inFile
		switch {
		case !covers(ranges, n, n):
			c = onWire
		case !names[f.name]:
			c = inJSON
		}
		d.find(c, "FIELD_NO_DELETE", "field '%s.%s' (%d) was removed", was.name, f.name, n)
	}
	for _, n := range is.numbers {
		if f := is.fields[n]; was.fields[n] == nil && f.label == "required" {
			d.find(onWire, "MESSAGE_SAME_REQUIRED_FIELDS", "required field '%s.%s' was added", was.name, f.name)
		}
	}
	d.reserved("RESERVED_MESSAGE_NO_DELETE", was.name, was.reserved, is.reserved)
}

// reserved looks for numbers and names that may be used again.
func (d *protoDiff) reserved(rule, of string, was, is protoReserved) {
	ranges, names := is.merged(), set(is.names)
	for _, r := range was.ranges {
		if !covers(ranges, r[0], r[1]) {
			d.find(onWire, rule, "'%s' does not reserve %d to %d any more", of, r[0], r[1])
		}
	}
	for _, name := range was.names {
		if !names[name] {
			d.find(onWire, rule, "'%s' does not reserve the name '%s' any more", of, name)
		}
	}
}

func (d *protoDiff) field(of string, was, is *protoField) {
	name := of + "." + was.name
	if now := d.now(was.typ); now != is.typ || was.key != is.key {
		d.find(d.typeCategory(was, is), "FIELD_SAME_TYPE", "field '%s' changed its type from %s to %s", name, was.shown(),
			is.shown())
	}
	if was.label != is.label {
		d.cardinality(name, was, is)
	}
	if was.oneof != is.oneof {
		d.find(onWire, "FIELD_SAME_ONEOF", "field '%s' moved into or out of a oneof", name)
	}
	switch {
	case was.name != is.name:
		d.find(inJSON, "FIELD_SAME_NAME", "field '%s' (%d) is called '%s' now", name, was.number, is.name)
	case was.json != is.json:
		d.find(inJSON, "FIELD_SAME_JSON_NAME", "field '%s' is called '%s' in JSON now, not '%s'", name, is.json, was.json)
	}
}

// shown returns the type of a field in a message.
func (f *protoField) shown() string {
	if f.label == "map" {
		return "map<" + f.key + ", " + f.typ + ">"
	}
	return f.typ
}

// cardinality compares how often a field may be there.
func (d *protoDiff) cardinality(name string, was, is *protoField) {
	word := func(f *protoField) string {
		if f.label == "" {
			return "singular"
		}
		return f.label
	}
	c, rule := onWire, "FIELD_SAME_CARDINALITY"
	many := func(f *protoField) bool { return f.label == "repeated" || f.label == "map" }
	if was.label == "required" || is.label == "required" {
		rule = "MESSAGE_SAME_REQUIRED_FIELDS"
	} else if many(was) == many(is) {
		c = inFile
	}
	d.find(c, rule, "field '%s' changed from %s to %s", name, word(was), word(is))
}

// These are types of which one can be read as the other: in JSON, and on the wire.
var (
	sameInJSON = [][]string{{"int32", "uint32"}, {"int64", "uint64"}, {"fixed32", "sfixed32"}, {"fixed64", "sfixed64"}}
	sameOnWire = [][]string{{"int32", "uint32", "int64", "uint64", "bool"}, {"sint32", "sint64"}, {"fixed32", "sfixed32"},
		{"fixed64", "sfixed64"}}
)

// typeCategory returns what the change of a type breaks.
func (d *protoDiff) typeCategory(was, is *protoField) category {
	both := func(groups [][]string) bool {
		return was.key == is.key && slices.ContainsFunc(groups, func(g []string) bool {
			return slices.Contains(g, was.typ) && slices.Contains(g, is.typ)
		})
	}
	switch {
	case both(sameInJSON):
		return inFile
	case both(sameOnWire) || was.key == is.key && was.typ == "string" && is.typ == "bytes":
		return inJSON
	}
	return onWire
}

func (d *protoDiff) enum(was, is *protoEnum) {
	ranges, names := is.reserved.merged(), set(is.reserved.names)
	for _, n := range was.numbers {
		name := was.values[n]
		now, there := is.values[n]
		if there {
			if now != name {
				d.find(inJSON, "ENUM_VALUE_SAME_NAME", "value '%s' (%d) of enum '%s' is called '%s' now", name, n, was.name, now)
			}
			continue
		}
		c := inFile
		switch {
		case !covers(ranges, n, n):
			c = onWire
		case !names[name]:
			c = inJSON
		}
		d.find(c, "ENUM_VALUE_NO_DELETE", "value '%s' (%d) of enum '%s' was removed", name, n, was.name)
	}
	d.reserved("RESERVED_ENUM_NO_DELETE", was.name, was.reserved, is.reserved)
}

func (d *protoDiff) service(was, is *protoService) {
	for _, name := range was.list {
		call := was.name + "." + name
		before := was.rpcs[name]
		now, there := is.rpcs[name]
		if !there {
			d.find(inFile, "RPC_NO_DELETE", "rpc '%s' was removed", call)
			continue
		}
		if d.now(before.in) != now.in {
			d.find(onWire, "RPC_SAME_REQUEST_TYPE", "rpc '%s' takes %s now, not %s", call, now.in, before.in)
		}
		if d.now(before.out) != now.out {
			d.find(onWire, "RPC_SAME_RESPONSE_TYPE", "rpc '%s' returns %s now, not %s", call, now.out, before.out)
		}
		if before.streamIn != now.streamIn || before.streamOut != now.streamOut {
			d.find(onWire, "RPC_SAME_STREAMING", "rpc '%s' streams otherwise", call)
		}
	}
}
