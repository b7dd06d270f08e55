//go:build !job

package formats

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
)

// graphQL is a schema merged with its extensions.
type graphQL struct {
	types      map[string]*ast.Definition
	directives map[string]*ast.DirectiveDefinition
	roots      map[ast.Operation]string
	names      []string // names of types, in the order of the schema
	words      []string // names of directives, in the order of the schema
}

// readGraphQL reads a schema in the language of GraphQL.
func readGraphQL(text []byte) (*graphQL, error) {
	doc, err := parser.ParseSchemaWithLimit(&ast.Source{Input: string(text)}, maxTokens)
	if err != nil {
		var at *gqlerror.Error
		if errors.As(err, &at) && len(at.Locations) > 0 {
			return nil, fmt.Errorf("line %d: %s", at.Locations[0].Line, at.Message)
		}
		return nil, err
	}
	g := &graphQL{types: map[string]*ast.Definition{}, directives: map[string]*ast.DirectiveDefinition{},
		roots: map[ast.Operation]string{}}
	for _, d := range doc.Definitions {
		if g.types[d.Name] != nil {
			return nil, fmt.Errorf("line %d: type %s is defined twice", d.Position.Line, d.Name)
		}
		g.types[d.Name] = d
		g.names = append(g.names, d.Name)
	}
	for _, e := range doc.Extensions {
		d := g.types[e.Name]
		if d == nil {
			g.types[e.Name] = e
			g.names = append(g.names, e.Name)
			continue
		}
		d.Interfaces, d.Fields = append(d.Interfaces, e.Interfaces...), append(d.Fields, e.Fields...)
		d.Types, d.EnumValues = append(d.Types, e.Types...), append(d.EnumValues, e.EnumValues...)
		d.Directives = append(d.Directives, e.Directives...)
	}
	for _, d := range doc.Directives {
		g.directives[d.Name] = d
		g.words = append(g.words, d.Name)
	}
	g.root(doc)
	return g, nil
}

// root finds the root types of operations.
func (g *graphQL) root(doc *ast.SchemaDocument) {
	for op, name := range map[ast.Operation]string{ast.Query: "Query", ast.Mutation: "Mutation",
		ast.Subscription: "Subscription"} {
		if g.types[name] != nil && len(doc.Schema) == 0 {
			g.roots[op] = name
		}
	}
	for _, s := range slices.Concat(doc.Schema, doc.SchemaExtension) {
		for _, op := range s.OperationTypes {
			g.roots[op.Operation] = op.Type
		}
	}
}

// graphDiff compares two schemas by the rules of graphql-js: findBreakingChanges and findDangerousChanges.
type graphDiff struct {
	*list
	from, to *graphQL
}

func (d *graphDiff) all() {
	for _, op := range []ast.Operation{ast.Query, ast.Mutation, ast.Subscription} {
		if was, is := d.from.roots[op], d.to.roots[op]; was != "" && is != was {
			d.add(Breaking, "root-changed", "%s is '%s' no more", op, was)
		}
	}
	for _, name := range d.from.names {
		was, is := d.from.types[name], d.to.types[name]
		switch {
		case is == nil:
			d.add(Breaking, "type-removed", "type '%s' was removed", name)
		case is.Kind != was.Kind:
			d.add(Breaking, "type-changed-kind", "type '%s' is no %s any more", name, was.Kind)
		case was.Kind == ast.InputObject:
			d.inputs(was, is)
		default:
			d.members(was, is)
			d.fields(was, is)
		}
	}
	for _, name := range d.from.words {
		d.directive(d.from.directives[name], d.to.directives[name])
	}
}

// These functions return the parts of types by name.

func valuesOf(d *ast.Definition) map[string]bool {
	all := make(map[string]bool, len(d.EnumValues))
	for _, v := range d.EnumValues {
		all[v.Name] = true
	}
	return all
}

func fieldsOf(d *ast.Definition) map[string]*ast.FieldDefinition {
	all := make(map[string]*ast.FieldDefinition, len(d.Fields))
	for _, f := range d.Fields {
		all[f.Name] = f
	}
	return all
}

func argumentsOf(list ast.ArgumentDefinitionList) map[string]*ast.ArgumentDefinition {
	all := make(map[string]*ast.ArgumentDefinition, len(list))
	for _, a := range list {
		all[a.Name] = a
	}
	return all
}

// members compares values of an enum, types of a union and interfaces.
func (d *graphDiff) members(was, is *ast.Definition) {
	before, now := valuesOf(was), valuesOf(is)
	for _, v := range was.EnumValues {
		if !now[v.Name] {
			d.add(Breaking, "value-removed-from-enum", "value '%s' of enum '%s' was removed", v.Name, was.Name)
		}
	}
	for _, v := range is.EnumValues {
		if !before[v.Name] {
			d.add(Dangerous, "value-added-to-enum", "value '%s' of enum '%s' was added", v.Name, was.Name)
		}
	}
	before, now = set(was.Types), set(is.Types)
	for _, t := range was.Types {
		if !now[t] {
			d.add(Breaking, "type-removed-from-union", "type '%s' of union '%s' was removed", t, was.Name)
		}
	}
	for _, t := range is.Types {
		if !before[t] {
			d.add(Dangerous, "type-added-to-union", "type '%s' of union '%s' was added", t, was.Name)
		}
	}
	before, now = set(was.Interfaces), set(is.Interfaces)
	for _, i := range was.Interfaces {
		if !now[i] {
			d.add(Breaking, "implemented-interface-removed", "'%s' implements '%s' no more", was.Name, i)
		}
	}
	for _, i := range is.Interfaces {
		if !before[i] {
			d.add(Dangerous, "implemented-interface-added", "'%s' implements '%s' now", was.Name, i)
		}
	}
}

// fields compares the fields of a type that clients read.
func (d *graphDiff) fields(was, is *ast.Definition) {
	fields := fieldsOf(is)
	for _, f := range was.Fields {
		name := was.Name + "." + f.Name
		now := fields[f.Name]
		if now == nil {
			d.add(Breaking, "field-removed", "field '%s' was removed", name)
			continue
		}
		if !fitsReaders(f.Type, now.Type) {
			d.add(Breaking, "field-changed-kind", "field '%s' changed its type from %s to %s", name, f.Type, now.Type)
		}
		d.arguments(name, "argument", f.Arguments, now.Arguments)
	}
}

// inputs compares the fields of an input that clients write.
func (d *graphDiff) inputs(was, is *ast.Definition) {
	before, after := fieldsOf(was), fieldsOf(is)
	for _, f := range was.Fields {
		name := was.Name + "." + f.Name
		switch now := after[f.Name]; {
		case now == nil:
			d.add(Breaking, "field-removed", "input field '%s' was removed", name)
		case !fitsWriters(f.Type, now.Type):
			d.add(Breaking, "field-changed-kind", "input field '%s' changed its type from %s to %s", name, f.Type, now.Type)
		default:
			d.defaults("input field '"+name+"'", now.Type, f.DefaultValue, now.DefaultValue)
		}
	}
	if one := "oneOf"; was.Directives.ForName(one) == nil && is.Directives.ForName(one) != nil {
		d.add(Breaking, "one-of-added", "input '%s' takes exactly one field now", was.Name)
	}
	for _, f := range is.Fields {
		switch {
		case before[f.Name] != nil:
		case f.Type.NonNull && f.DefaultValue == nil:
			d.add(Breaking, "required-input-field-added", "required input field '%s.%s' was added", was.Name, f.Name)
		default:
			d.add(Dangerous, "optional-input-field-added", "input field '%s.%s' was added", was.Name, f.Name)
		}
	}
}

// defaults compares default values. An input is required if its type is non-null and it has no default value.
func (d *graphDiff) defaults(name string, typ *ast.Type, was, is *ast.Value) {
	switch {
	case was == nil:
	case is == nil && typ.NonNull:
		d.add(Breaking, "default-value-removed", "%s has no default any more, and is required", name)
	case is == nil || written(was) != written(is):
		d.add(Dangerous, "default-value-change", "%s has another default", name)
	}
}

// written returns the text of a value. Equal values have equal texts. The order of object fields does not matter.
func written(v *ast.Value) string {
	var b strings.Builder
	var write func(v *ast.Value)
	write = func(v *ast.Value) {
		switch v.Kind {
		case ast.ListValue, ast.ObjectValue:
			children := slices.Clone(v.Children)
			if v.Kind == ast.ObjectValue {
				sort.SliceStable(children, func(i, j int) bool { return children[i].Name < children[j].Name })
			}
			b.WriteByte('(')
			for _, c := range children {
				b.WriteString(c.Name + ":")
				write(c.Value)
				b.WriteByte(',')
			}
			b.WriteByte(')')
		case ast.StringValue, ast.BlockValue:
			b.WriteString(strconv.Quote(v.Raw))
		default:
			b.WriteString(v.Raw)
		}
	}
	write(v)
	return b.String()
}

// arguments compares the arguments of a field or a directive.
func (d *graphDiff) arguments(of, noun string, was, is ast.ArgumentDefinitionList) {
	before, after := argumentsOf(was), argumentsOf(is)
	for _, a := range was {
		now := after[a.Name]
		switch {
		case now == nil:
			d.add(Breaking, "arg-removed", "%s '%s' of '%s' was removed", noun, a.Name, of)
		case !fitsWriters(a.Type, now.Type):
			d.add(Breaking, "arg-changed-kind", "%s '%s' of '%s' changed its type from %s to %s", noun, a.Name, of, a.Type,
				now.Type)
		default:
			d.defaults(fmt.Sprintf("%s '%s' of '%s'", noun, a.Name, of), now.Type, a.DefaultValue, now.DefaultValue)
		}
	}
	for _, a := range is {
		switch {
		case before[a.Name] != nil:
		case a.Type.NonNull && a.DefaultValue == nil:
			d.add(Breaking, "required-arg-added", "required %s '%s' of '%s' was added", noun, a.Name, of)
		default:
			d.add(Dangerous, "optional-arg-added", "%s '%s' of '%s' was added", noun, a.Name, of)
		}
	}
}

func (d *graphDiff) directive(was, is *ast.DirectiveDefinition) {
	name := "@" + was.Name
	if is == nil {
		d.add(Breaking, "directive-removed", "directive '%s' was removed", name)
		return
	}
	d.arguments(name, "argument", was.Arguments, is.Arguments)
	if was.IsRepeatable && !is.IsRepeatable {
		d.add(Breaking, "directive-repeatable-removed", "directive '%s' may not be repeated any more", name)
	}
	now := map[ast.DirectiveLocation]bool{}
	for _, l := range is.Locations {
		now[l] = true
	}
	for _, l := range was.Locations {
		if !now[l] {
			d.add(Breaking, "directive-location-removed", "directive '%s' may not stand at %s any more", name, l)
		}
	}
}

// fitsReaders reports whether readers of a type can read the new type. The new type must be the same, or a type that no
// longer allows null.
func fitsReaders(was, is *ast.Type) bool {
	switch {
	case was.NonNull && !is.NonNull:
		return false
	case was.Elem != nil:
		return is.Elem != nil && fitsReaders(was.Elem, is.Elem)
	}
	return is.Elem == nil && was.NamedType == is.NamedType
}

// fitsWriters reports whether values written for a type fit the new type. The new type must be the same, or a type that
// now allows null.
func fitsWriters(was, is *ast.Type) bool {
	switch {
	case is.NonNull && !was.NonNull:
		return false
	case was.Elem != nil:
		return is.Elem != nil && fitsWriters(was.Elem, is.Elem)
	}
	return is.Elem == nil && was.NamedType == is.NamedType
}
