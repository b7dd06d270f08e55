// Package questions holds the one table of blq's questions and tools. Every front end reads the table: the command
// line, the HTTP API, the client of a server, the MCP tools, and the access rules. The package may import query,
// internal/markdown and store.
//
// A question is a row here and a method in a file of package query. A front end without its own code for a question
// makes a command and a tool from the row.
package questions

import (
	"context"
	"reflect"
)

// Row describes a question, or a tool with another purpose.
type Row struct {
	// Name is the question's name, unique in the table: POST /v1/ask/NAME.
	Name string
	// About is one sentence about what the question answers or what the tool does. It is the help of the command. It is
	// also the description of the tool if the tool is made from the row.
	About string
	// Access defines where the row is offered, and which callers may use it.
	Access
	// Tool is the MCP tool with the same information. A caller who may use the tool may ask the question. If several
	// rows name a tool, the tool belongs to the first one.
	Tool string
	// Compat marks rows whose name is also a tool of lq, blq's predecessor.
	Compat bool
	// Command is the command of the row: the words after "blq", or "" without a command.
	Command string
	// Positional holds the parameters that need no flag. If a command line has fewer words than Positional has
	// parameters, the words are the values of the last parameters. A parameter that is also in Flags may be given in
	// both ways.
	Positional []string
	// Flags maps parameters to flags with another name. Dashes stands for the words after "--".
	Flags map[string]string

	// Params and Answer are the structs of the parameters and of the answer. They are nil for a tool that is not a
	// question.
	Params, Answer reflect.Type

	// answer asks a store. params has the type Params, and answer points to a value of the type Answer.
	answer func(ctx context.Context, by Local, params, answer any) error
	// limit bounds parameters from callers of a service. params points to a value of the type Params.
	limit func(params any)
}

// Dashes is the flag name for the words after "--".
const Dashes = "--"

// IsQuestion reports whether an asker answers the row.
func (r Row) IsQuestion() bool { return r.answer != nil }
