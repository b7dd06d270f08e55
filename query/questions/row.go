// Package questions holds the one table of what blq can be asked, and of what its tools can do. Every front end
// reads it: the command line, the HTTP API, the client of a server, the MCP tools, and the rules of who may do
// what. It may import query, internal/markdown and store.
//
// A question is a row here and a method in a file of package query. A front end without its own code for a
// question makes a command and a tool from the row.
package questions

import (
	"context"
	"reflect"
)

// Row describes a question, or a tool that does something else.
type Row struct {
	// Name is the question's name, unique in the table: POST /v1/ask/NAME.
	Name string
	// About says in one sentence what the question answers, or what the tool does. It is the help of its command, and
	// the description of a tool that is made from the row.
	About string
	// Access defines where the row is offered, and to whom.
	Access
	// Tool is the MCP tool with the same information. A caller who may use the tool may ask the question. The first
	// row of a tool is the tool's own.
	Tool string
	// Compat marks rows whose name is also a tool of lq, blq's predecessor.
	Compat bool
	// Command is the command of the row: the words after "blq", or "" without a command.
	Command string
	// Positional are the parameters without a flag. If a command line has fewer words than parameters, the words are
	// the last parameters. A parameter that is also in Flags has both forms.
	Positional []string
	// Flags are the flags of parameters whose flag has another name. Dashes stands for the words after "--".
	Flags map[string]string

	// Params and Answer are the structs of the parameters and of the answer. They are nil for a tool that is not a
	// question.
	Params, Answer reflect.Type

	// answer asks a store. params has the type Params, answer points to an Answer.
	answer func(ctx context.Context, by Local, params, answer any) error
	// limit bounds parameters from callers of a service; params points to a Params.
	limit func(params any)
}

// Dashes is the flag of the words after "--".
const Dashes = "--"

// IsQuestion reports whether an asker answers the row.
func (r Row) IsQuestion() bool { return r.answer != nil }
