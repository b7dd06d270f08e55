//go:build !job

package formats

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// protoFiles are Protocol Buffers files: the contract, and the files that it imports. The package, syntax and options
// are those of the contract.
type protoFiles struct {
	pkg      string
	syntax   string
	options  map[string]string
	messages map[string]*protoMessage // messages by full name
	enums    map[string]*protoEnum
	services map[string]*protoService
	// extensions has the fields of each extend block, in order. The name of an entry is the scope of its block.
	extensions *[]*protoMessage
	order      []string // full names of messages, enums and services, in the order of the files
}

type protoMessage struct {
	name     string
	fields   map[int]*protoField
	numbers  []int           // numbers of the fields, in the order of the file
	names    map[string]bool // names of the fields
	reserved protoReserved
	open     protoReserved     // numbers reserved for extensions
	options  map[string]string // options of the message
	file     map[string]string // options of the file
	extends  string            // the extended message, "" for none
}

type protoField struct {
	name   string
	number int
	typ    string // full name if known, or the name of a scalar
	label  string // "", optional, required, repeated, map
	key    string // key type of a map
	oneof  string
	json   string
	scope  string // scope in which the type name is looked up

	options map[string]string
}

type protoEnum struct {
	name     string
	values   map[int][]string // names by number
	numbers  []int
	reserved protoReserved
	scope    string // the enclosing message, or the package
	options  map[string]string
	file     map[string]string // options of the file
}

type protoService struct {
	name string
	rpcs map[string]protoRPC
	list []string
}

type protoRPC struct {
	in, out             string
	streamIn, streamOut bool
	scope               string
	options             map[string]string
}

// protoReserved holds reserved numbers and names.
type protoReserved struct {
	ranges [][2]int
	names  []string
}

// merged returns the ranges in order. Adjacent ranges are joined.
func (r protoReserved) merged() [][2]int {
	all := slices.Clone(r.ranges)
	sort.Slice(all, func(i, k int) bool { return all[i][0] < all[k][0] })
	var list [][2]int
	for _, x := range all {
		if last := len(list) - 1; last >= 0 && x[0] <= list[last][1]+1 {
			list[last][1] = max(list[last][1], x[1])
			continue
		}
		list = append(list, x)
	}
	return list
}

// covers reports whether merged ranges contain a whole range.
func covers(merged [][2]int, from, to int) bool {
	i, _ := slices.BinarySearchFunc(merged, from, func(x [2]int, n int) int { return cmp.Compare(x[1], n) })
	return i < len(merged) && merged[i][0] <= from && merged[i][1] >= to
}

// readProto reads the files of a contract. The first file is the contract itself, and the other files are imported.
func readProto(texts [][]byte) (*protoFiles, error) {
	files := &protoFiles{options: map[string]string{}, messages: map[string]*protoMessage{},
		enums: map[string]*protoEnum{}, services: map[string]*protoService{}, extensions: &[]*protoMessage{}}
	for i, text := range texts {
		tokens, err := scan(string(text), Protobuf)
		if err != nil {
			return nil, err
		}
		one := &protoParser{protoFiles: &protoFiles{options: map[string]string{}, messages: files.messages,
			enums: files.enums, services: files.services, extensions: files.extensions}, tokens: tokens}
		if err := one.file(); err != nil {
			if i > 0 {
				err = fmt.Errorf("a file that it imports: %w", err)
			}
			return nil, err
		}
		if i == 0 {
			files.pkg, files.syntax, files.options = one.pkg, cmp.Or(one.syntax, "syntax proto2"), one.options
		}
		files.order = append(files.order, one.order...)
	}
	files.resolve()
	return files, nil
}

// resolve replaces type names by full names.
func (f *protoFiles) resolve() {
	for _, m := range f.messages {
		for _, x := range m.fields {
			x.typ = f.full(x.scope, x.typ)
		}
	}
	for _, m := range *f.extensions {
		m.extends = f.full(m.name, m.extends)
		for _, x := range m.fields {
			x.typ = f.full(x.scope, x.typ)
		}
	}
	for _, s := range f.services {
		for name, r := range s.rpcs {
			r.in, r.out = f.full(r.scope, r.in), f.full(r.scope, r.out)
			s.rpcs[name] = r
		}
	}
}

// full returns the full name of a type that is used in a scope. A name with a leading dot is full, and only the dot is
// removed. Another name of an unknown type is returned unchanged.
func (f *protoFiles) full(scope, name string) string {
	if rest, ok := strings.CutPrefix(name, "."); ok {
		return rest
	}
	for {
		candidate := inside(scope, name)
		if f.messages[candidate] != nil || f.enums[candidate] != nil {
			return candidate
		}
		if scope == "" {
			return name
		}
		scope = scope[:max(0, strings.LastIndexByte(scope, '.'))]
	}
}

// camel returns the name of a field in JSON.
func camel(name string) string {
	var b strings.Builder
	upper := false
	for _, c := range name {
		if c == '_' {
			upper = true
			continue
		}
		if upper && c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		upper = false
		b.WriteRune(c)
	}
	return b.String()
}
