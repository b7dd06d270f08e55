// Package questions is the one table of what blq can be asked, and of what its
// tools can do. Every front end reads it: the command line, the HTTP API, the
// client of a server, the MCP tools, and the rules of who may do what. It may
// import query, internal/markdown and store.
//
// A question is a row here and a method in a file of package query. Front ends
// that have nothing written for it make a command and a tool from its row.
package questions

import (
	"context"
	"reflect"

	"github.com/blq-ci/blq/query"
)

// Row describes a question, or a tool that does something else than answer one.
type Row struct {
	// Name is the question's name, unique in the table: POST /v1/ask/NAME.
	Name string
	// About says in one sentence what it answers or does. People read it in the
	// help of its command, and agents in a tool that is made from the row.
	About string
	// Access says where it is offered, and to whom.
	Access
	// Tool is the MCP tool that tells as much: who may use the tool may ask the
	// question. The first row of a tool stands for the tool.
	Tool string
	// Compat says that lq, blq's predecessor, has a tool of this row's name.
	Compat bool
	// Command is how people ask it: the words after "blq", "" where they cannot.
	Command string
	// Positional are the parameters that stand in a command line without a flag.
	// When there are fewer words than parameters, they are the last ones. One that
	// Flags names, too, stands there with its flag.
	Positional []string
	// Flags are the flags of parameters that do not have the parameter's name.
	// Dashes stands for words that follow a "--".
	Flags map[string]string

	// Params and Answer are the structs of the parameters and of the answer, nil
	// for a tool that is not a question.
	Params, Answer reflect.Type

	// answer asks an asker: params has the type Params, answer points at Answer.
	answer func(ctx context.Context, a *query.Asker, params, answer any) error
	// limit bounds what a service does for strangers; params points at Params.
	limit func(params any)
}

// Dashes is the flag of words that follow a "--".
const Dashes = "--"

// IsQuestion reports whether an asker answers the row.
func (r Row) IsQuestion() bool { return r.answer != nil }
