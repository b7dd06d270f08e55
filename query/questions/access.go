package questions

import "github.com/blq-ci/blq/store"

// Access says where a row is offered, and to whom.
type Access struct {
	// Toolset is the set of tools that it is in.
	Toolset string
	// Class is what it does to the world.
	Class Class
	// Scope is what a token must allow.
	Scope store.TokenScope
	// Needs is what a server must have to offer it.
	Needs Needs
	// Annotations are what MCP tells clients about it.
	Annotations
}

// Annotations are the four hints that MCP has for a tool.
type Annotations struct {
	ReadOnly    bool // changes nothing
	Destructive bool // what it changes may be lost
	Idempotent  bool // calling it again changes nothing more
	OpenWorld   bool // shows text that strangers wrote, or reaches beyond blq
}

// Class is what a call does to the world, from harmless to harmful.
type Class string

// The classes.
const (
	Read     Class = "read"     // changes nothing
	Annotate Class = "annotate" // adds notes to what is there
	Propose  Class = "propose"  // suggests a change that somebody has to accept
	Execute  Class = "execute"  // runs what was registered
	Destroy  Class = "destroy"  // may remove or replace what others rely on
)

// Needs is what a server must have to offer a tool.
type Needs int

// What a tool can need. A server that has a registry runs commands, too.
const (
	Nothing  Needs = iota // an asker is enough
	Commands              // a place where commands run
	Registry              // commands that callers may change
)

// The kinds of access that rows have.
var (
	// ofRuns tells facts that blq recorded itself.
	ofRuns = Access{Toolset: "ask", Class: Read, Scope: store.ScopeRead, Annotations: Annotations{ReadOnly: true, Idempotent: true}}
	// ofLogs shows text of logs as well, which strangers write.
	ofLogs = Access{Toolset: "ask", Class: Read, Scope: store.ScopeRead, Annotations: Annotations{ReadOnly: true, Idempotent: true, OpenWorld: true}}
	// inSQL is ofLogs for free questions.
	inSQL = Access{Toolset: "ask", Class: Read, Scope: store.ScopeQuery, Annotations: Annotations{ReadOnly: true, Idempotent: true, OpenWorld: true}}
	// runs starts what somebody registered.
	runs = Access{Toolset: "run", Class: Execute, Scope: store.ScopeRun, Needs: Commands, Annotations: Annotations{Destructive: true, OpenWorld: true}}
	// runsAny starts any command.
	runsAny = Access{Toolset: "run", Class: Destroy, Scope: store.ScopeAdmin, Needs: Registry, Annotations: Annotations{Destructive: true, OpenWorld: true}}
	// lists tells which commands are registered.
	lists = Access{Toolset: "registry", Class: Read, Scope: store.ScopeRead, Needs: Commands, Annotations: Annotations{ReadOnly: true, Idempotent: true}}
	// registers changes which commands are registered.
	registers = Access{Toolset: "registry", Class: Destroy, Scope: store.ScopeAdmin, Needs: Registry, Annotations: Annotations{Destructive: true, Idempotent: true, OpenWorld: true}}
	// unregisters removes registered commands.
	unregisters = Access{Toolset: "registry", Class: Destroy, Scope: store.ScopeAdmin, Needs: Registry, Annotations: Annotations{Destructive: true}}
	// cleans removes runs.
	cleans = Access{Toolset: "clean", Class: Destroy, Scope: store.ScopeAdmin, Needs: Registry, Annotations: Annotations{Destructive: true, Idempotent: true}}
)
