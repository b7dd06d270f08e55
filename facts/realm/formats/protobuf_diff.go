//go:build !job

package formats

import (
	"maps"
	"slices"
	"strings"
)

// category is the most lenient of buf's categories whose rules a difference violates. The difference also violates the
// rules of the stricter categories, which follow in the list.
type category int

const (
	onWire category = iota // WIRE: old programs read other data, or calls fail
	inJSON                 // WIRE_JSON: programs that use JSON read other data, or calls fail
	inFile                 // FILE: generated code does not compile with the new file
)

// protoDiff compares files by the rules of one of buf's categories: FILE, WIRE_JSON or WIRE.
type protoDiff struct {
	*list
	from, to *protoFiles
	rules    string // file, wire_json or wire
}

// find adds a difference. The difference is breaking if the configured rules include its category, and
// otherwise dangerous.
func (d *protoDiff) find(c category, rule, format string, args ...any) {
	level := Breaking
	if d.rules == "wire" && c > onWire || d.rules == "wire_json" && c > inJSON {
		level = Dangerous
	}
	d.add(level, rule, format, args...)
}

// now returns the full name that an old type has in the new files. The package may have been renamed.
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
	said := maps.Clone(d.from.options)
	maps.Copy(said, d.to.options)
	for _, name := range slices.Sorted(maps.Keys(said)) {
		if was, is := valueOf(d.from.options, name), valueOf(d.to.options, name); was != is && namesCode(name) {
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
	d.extensions()
}

// extensions compares the extension fields of messages.
func (d *protoDiff) extensions() {
	type extension struct {
		of     string
		number int
	}
	now := map[extension]*protoMessage{}
	for _, m := range *d.to.extensions {
		for _, n := range m.numbers {
			now[extension{m.extends, n}] = m
		}
	}
	for _, was := range *d.from.extensions {
		for _, n := range was.numbers {
			f := was.fields[n]
			if is := now[extension{d.now(was.extends), n}]; is != nil {
				d.field(was, f, is, is.fields[n])
				continue
			}
			d.find(inFile, "EXTENSION_NO_DELETE", "extension '%s' (%d) of '%s' was removed", f.name, n, was.extends)
		}
	}
}

// namesCode reports whether a file option affects the names or features of generated code.
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
			d.field(was, f, is, now)
			continue
		}
		c := inFile
		switch {
		case !covers(ranges, n, n) || f.label == "required":
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
	open := is.open.merged()
	for _, r := range was.open.ranges {
		if !covers(open, r[0], r[1]) {
			d.find(inFile, "EXTENSION_MESSAGE_NO_DELETE", "'%s' has no extensions %d to %d any more", was.name, r[0],
				r[1])
		}
	}
	const set = "message_set_wire_format"
	if valueOf(was.options, set) != valueOf(is.options, set) {
		d.find(onWire, "MESSAGE_SAME_MESSAGE_SET_WIRE_FORMAT", "'%s' has another %s", was.name, set)
	}
	const json = "features.json_format"
	if d.from.feature(json, nil, was.name, was.file) != d.to.feature(json, nil, is.name, is.file) {
		d.find(inJSON, "MESSAGE_SAME_JSON_FORMAT", "'%s' has another form in JSON", was.name)
	}
}

// reserved reports numbers and names that are no longer reserved.
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

func (d *protoDiff) field(of *protoMessage, was *protoField, in *protoMessage, is *protoField) {
	name := inside(of.name, was.name)
	if now := d.now(was.typ); now != is.typ || was.key != is.key {
		d.find(d.typeCategory(was, is), "FIELD_SAME_TYPE", "field '%s' changed its type from %s to %s", name, was.shown(),
			is.shown())
	}
	if was.label != is.label && !d.isOptionalMessage(was, is) {
		d.cardinality(name, was, is)
	}
	if was.oneof != is.oneof {
		d.find(onWire, "FIELD_SAME_ONEOF", "field '%s' moved into or out of a oneof", name)
	}
	if before, now := was.defaultOf(), is.defaultOf(); before != now {
		d.find(onWire, "FIELD_SAME_DEFAULT", "field '%s' has another default: '%.40s', not '%.40s'", name, now, before)
	}
	for _, o := range [][2]string{{"jstype", "FIELD_SAME_JSTYPE"}, {"ctype", "FIELD_SAME_CPP_STRING_TYPE"}} {
		if valueOf(was.options, o[0]) != valueOf(is.options, o[0]) {
			d.find(inFile, o[1], "field '%s' has another %s", name, o[0])
		}
	}
	for _, f := range featuresOfFields {
		if f.rule == "FIELD_SAME_CARDINALITY" && d.isOptionalMessage(was, is) {
			continue
		}
		before := d.from.feature(f.name, was.options, of.name, of.file)
		if before != d.to.feature(f.name, is.options, in.name, in.file) && f.matters(was) {
			d.find(f.category, f.rule, "field '%s' has another %s", name, f.name)
		}
	}
	switch {
	case was.name != is.name:
		d.find(inJSON, "FIELD_SAME_NAME", "field '%s' (%d) is called '%s' now", name, was.number, is.name)
	case was.json != is.json:
		d.find(inJSON, "FIELD_SAME_JSON_NAME", "field '%s' is called '%s' in JSON now, not '%s'", name, is.json, was.json)
	}
}

// featuresOfFields are the editions features of a field that affect its decoding or its generated code.
var featuresOfFields = []struct {
	name     string
	category category
	rule     string
	matters  func(f *protoField) bool
}{
	{"features.field_presence", inFile, "FIELD_SAME_CARDINALITY", func(f *protoField) bool { return f.label == "" }},
	{"features.utf8_validation", inFile, "FIELD_SAME_UTF8_VALIDATION", func(f *protoField) bool {
		return f.typ == "string" || f.key == "string"
	}},
	{"features.message_encoding", onWire, "FIELD_SAME_TYPE", func(f *protoField) bool {
		return f.typ != strings.ToLower(f.typ) && f.label != "map"
	}},
}

// shown returns the type of a field as text for a message.
func (f *protoField) shown() string {
	if f.label == "map" {
		return "map<" + f.key + ", " + f.typ + ">"
	}
	return f.typ
}

// isOptionalMessage reports whether a field is a single message before and after the change. The keyword optional has
// no effect on such a field, because readers can always tell whether a message is present.
func (d *protoDiff) isOptionalMessage(was, is *protoField) bool {
	single := func(f *protoField) bool { return f.label == "" || f.label == "optional" }
	return single(was) && single(is) && d.from.messages[was.typ] != nil && d.to.messages[is.typ] != nil
}

// cardinality compares the labels of a field.
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

// These are groups of types that are compatible in JSON, and on the wire.
var (
	sameInJSON = [][]string{{"int32", "uint32"}, {"int64", "uint64"}, {"fixed32", "sfixed32"}, {"fixed64", "sfixed64"}}
	sameOnWire = [][]string{{"int32", "uint32", "int64", "uint64", "bool"}, {"sint32", "sint64"}, {"fixed32", "sfixed32"},
		{"fixed64", "sfixed64"}}
)

// typeCategory returns the most lenient category that a change of type breaks. Such a change also breaks all stricter
// categories.
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
		name := was.values[n][0]
		if now := is.values[n]; now != nil {
			kept := set(now)
			for _, old := range was.values[n] {
				if !kept[old] {
					d.find(inJSON, "ENUM_VALUE_SAME_NAME", "value '%s' (%d) of enum '%s' is called '%s' now", old, n,
						was.name, now[0])
				}
			}
			continue
		}
		c := inFile
		switch {
		case !covers(ranges, n, n):
			c = onWire
		case slices.ContainsFunc(was.values[n], func(old string) bool { return !names[old] }):
			c = inJSON
		}
		d.find(c, "ENUM_VALUE_NO_DELETE", "value '%s' (%d) of enum '%s' was removed", name, n, was.name)
	}
	d.reserved("RESERVED_ENUM_NO_DELETE", was.name, was.reserved, is.reserved)
	differs := func(feature string) bool {
		return d.from.feature(feature, was.options, was.scope, was.file) !=
			d.to.feature(feature, is.options, is.scope, is.file)
	}
	if differs("features.enum_type") {
		d.find(inFile, "ENUM_SAME_TYPE", "enum '%s' is open or closed otherwise", was.name)
	}
	if differs("features.json_format") {
		d.find(inJSON, "ENUM_SAME_JSON_FORMAT", "enum '%s' has another form in JSON", was.name)
	}
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
		const level = "idempotency_level"
		if was, is := valueOf(before.options, level), valueOf(now.options, level); was != is {
			d.find(onWire, "RPC_SAME_IDEMPOTENCY_LEVEL", "rpc '%s' has another %s: '%s', not '%s'", call, level, is,
				was)
		}
	}
}
