package formats_test

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts/realm/formats"
)

const forum = `schema { query: Query mutation: Mut }
directive @cost(weight: Int = 1, by: [String!], to: Int! = 3) repeatable on FIELD_DEFINITION | OBJECT
interface Node { id: ID! owner: User }
interface Named implements Node { id: ID! owner: User name(lang: String = "en"): String }
type Query { a(n: Int! = 5, m: Int, l: [Int!] = [1, 2], f: F = {text: "x", n: 1}): [[String]!]
 b: U! c(x: [[Int]!]!): Int user: User! }
type Mut { add(f: F!): Post }
type Post implements Node { id: ID! owner: User size: Size! }
type User implements Node & Named { id: ID! owner: User name(lang: String = "en"): String posts: [Post!]! }
type Old { x: Int }
union U = Post | User
enum Size { S M L }
input F { text: String! n: Int = 1 r: Int! = 2 size: Size = S sub: F list: [String] }
input One { a: Int b: Int }
scalar Date
extend type Post { at: Date }
extend enum Size { XL }
extend union U = Old
extend input F { more: Int }
`

// The levels are those of graphql-js 16.15, with four exceptions. graphql-js ignores the default values of input fields
// and directive arguments. It ignores @oneOf. It ignores the root types of operations. If a required argument loses its
// default value, graphql-js reports only a dangerous change.
func TestGraphQLByAnotherProgram(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, old, new string
		level          formats.Level
	}{
		{"arg default of required removed", `n: Int! = 5`, `n: Int!`, formats.Breaking},
		{"arg default removed", `l: [Int!] = [1, 2]`, `l: [Int!]`, formats.Dangerous},
		{"arg default list", `[1, 2]`, `[1, 3]`, formats.Dangerous},
		{"arg default object", `{text: "x", n: 1}`, `{text: "x", n: 2}`, formats.Dangerous},
		{"arg default added", `m: Int,`, `m: Int = 3,`, formats.Harmless},
		{"arg nonnull with default", `m: Int,`, `m: Int! = 3,`, formats.Breaking},
		{"input default of required removed", `r: Int! = 2`, `r: Int!`, formats.Breaking},
		{"input default changed", `n: Int = 1 r`, `n: Int = 2 r`, formats.Dangerous},
		{"input default removed", `size: Size = S`, `size: Size`, formats.Dangerous},
		{"input default enum", `size: Size = S`, `size: Size = M`, formats.Dangerous},
		{"input field nullable", `text: String!`, `text: String`, formats.Harmless},
		{"input field list", `list: [String]`, `list: String`, formats.Breaking},
		{"input list items nonnull", `list: [String]`, `list: [String!]`, formats.Breaking},
		{"input field type", `n: Int = 1 r`, `n: Float = 1 r`, formats.Breaking},
		{"input sub nonnull", `sub: F `, `sub: F! `, formats.Breaking},
		{"input extension field removed", `extend input F { more: Int }`, ``, formats.Breaking},
		{"input oneOf added", `input One {`, `input One @oneOf {`, formats.Breaking},
		{"input to type", `input One {`, `type One {`, formats.Breaking},
		{"field interface narrowed",
			`type User implements Node & Named`,
			`type User implements Node`, formats.Breaking},
		{"interface field removed",
			`interface Node { id: ID! owner: User }`,
			`interface Node { id: ID! }`, formats.Breaking},
		{"interface field nullable", `interface Node { id: ID!`, `interface Node { id: ID`, formats.Breaking},
		{"interface field arg", `name(lang: String = "en")`, `name(lang: String = "de")`, formats.Dangerous},
		{"field arg removed", `posts: [Post!]! }`, `posts: [Post!]! } # x`, formats.Harmless},
		{"list of list inner null", `[[String]!]`, `[[String]]`, formats.Breaking},
		{"list of list nonnull", `[[String]!]`, `[[String!]!]!`, formats.Harmless},
		{"union field nullable", `b: U!`, `b: U`, formats.Breaking},
		{"arg nested list relaxed", `c(x: [[Int]!]!)`, `c(x: [[Int]])`, formats.Harmless},
		{"arg nested list tightened", `c(x: [[Int]!]!)`, `c(x: [[Int!]!]!)`, formats.Breaking},
		{"field to supertype", `user: User!`, `user: Node!`, formats.Breaking},
		{"field to list", `user: User!`, `user: [User!]!`, formats.Breaking},
		{"enum extension value removed", `extend enum Size { XL }`, ``, formats.Breaking},
		{"enum value renamed", `{ S M L }`, `{ S M XXL }`, formats.Breaking},
		{"union member by extension removed", `extend union U = Old`, ``, formats.Breaking},
		{"type removed", `type Old { x: Int }
`, ``, formats.Breaking},
		{"scalar to enum", `scalar Date`, `enum Date { A }`, formats.Breaking},
		{"interface to type",
			`interface Named implements Node {`,
			`type Named implements Node {`, formats.Breaking},
		{"interface implements less",
			`interface Named implements Node {`,
			`interface Named {`, formats.Breaking},
		{"mutation root removed", ` mutation: Mut`, ``, formats.Breaking},
		{"mutation root renamed", `mutation: Mut }`, `mutation: Query }`, formats.Breaking},
		{"directive arg default", `weight: Int = 1`, `weight: Int = 2`, formats.Dangerous},
		{"directive arg default of required removed", `to: Int! = 3`, `to: Int!`, formats.Breaking},
		{"directive arg type", `by: [String!]`, `by: String`, formats.Breaking},
		{"directive location added",
			`FIELD_DEFINITION | OBJECT`,
			`FIELD_DEFINITION | OBJECT | ENUM`, formats.Harmless},
		{"deprecated", `size: Size! }`, `size: Size! @deprecated(reason: "x") }`, formats.Harmless},
		{"description", `enum Size {`, `"""sizes""" enum Size {`, formats.Harmless},
		{"new type in interface",
			`type Old { x: Int }`,
			`type Old implements Node { x: Int id: ID! owner: User }`, formats.Dangerous},
		{"subscription added", `mutation: Mut }`, `mutation: Mut subscription: Mut }`, formats.Harmless},
		{"argument order", `n: Int! = 5, m: Int,`, `m: Int, n: Int! = 5,`, formats.Harmless},
		{"id to string",
			`type Post implements Node { id: ID!`,
			`type Post implements Node { id: String!`, formats.Breaking},
		{"optional arg added", `posts: [Post!]!`, `posts(n: Int): [Post!]!`, formats.Dangerous},
		{"required arg with default added",
			`posts: [Post!]!`,
			`posts(n: Int! = 1): [Post!]!`, formats.Dangerous},
		{"required arg added", `posts: [Post!]!`, `posts(n: Int!): [Post!]!`, formats.Breaking},
		{"object default order", `{text: "x", n: 1}`, `{n: 1, text: "x"}`, formats.Harmless},
		{"block string default", `lang: String = "en"`, `lang: String = """en"""`, formats.Harmless},
	} {
		if !strings.Contains(forum, c.old) {
			t.Fatalf("%s: %q is not in the base", c.name, c.old)
		}
		got, text := compared(t, formats.GraphQL, forum, strings.Replace(forum, c.old, c.new, 1))
		if got != c.level {
			t.Errorf("%s: %d %q, want %d", c.name, got, text, c.level)
		}
	}
}
