// Package questions holds the one table of blq's questions and tools. Every front end reads the table: the command
// line, the HTTP API, the client of a server, the MCP tools, and the access rules. The package may import query,
// export, internal/markdown, internal/nearest and store.
//
// A question is a row in this table and a method in package query. If the command line or the MCP server has no code of
// its own for a question, it makes the command or the tool from the row.
package questions

import (
	"context"
	"reflect"
)

// Row describes a question, or a tool with another purpose.
type Row struct {
	// Name is the question's name, unique in the table: POST /v1/ask/NAME.
	Name string
	// About is one sentence about the answer to the question, or about the effect of the tool. It is the help text of
	// the command. If the tool is made from the row, it is also the description of the tool.
	About string
	// Access says where the row is offered, and which callers may use the row.
	Access
	// Tool is the MCP tool with the same information. A caller who may use the tool may ask the question. If several
	// rows name a tool, the first of them describes the tool.
	Tool string
	// Compat marks rows whose name is also a tool of lq, blq's predecessor.
	Compat bool
	// Command is the name of the row's command after "blq", such as "docs list". It is "" if the row
	// has no command.
	Command string
	// Positional holds the parameters that need no flag. If a command line has fewer arguments than
	// Positional has parameters, the arguments are the values of the last parameters. A parameter that
	// is also in Flags needs its flag, and Positional says only where the flag stands.
	Positional []string
	// Flags maps parameters to their flags, if parameter and flag have different names. The flag name
	// Dashes stands for the arguments after "--".
	Flags map[string]string

	// Params and Answer are the struct types of the parameters and of the answer. Both are nil if the row is a tool and
	// not a question.
	Params, Answer reflect.Type

	// answer asks a store. params has the type Params, and the last argument points to a value of the type Answer.
	answer func(ctx context.Context, by Local, params, answer any) error
	// limit restricts parameters from callers of a service. params points to a value of the type Params.
	limit func(params any)
}

// Dashes is used as a flag name. It stands for the arguments after "--".
const Dashes = "--"

// IsQuestion reports whether the row is a question. Otherwise it is a tool with another purpose.
func (r Row) IsQuestion() bool { return r.answer != nil }
