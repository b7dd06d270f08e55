package questions

import "github.com/blq-ci/blq/store"

// Access says where a question or tool is offered, and which callers may use it. It is a part of the row that
// describes the question or tool.
type Access struct {
	// Toolset is the name of the row's toolset.
	Toolset string
	// Class says what the tool may change or start.
	Class Class
	// Scope is the scope that a caller's token needs.
	Scope store.TokenScope
	// Alters marks rows that change existing data although their class is safe. Safe mode does not allow these rows.
	Alters bool
	// Needs is the kind of runner that a server must have to offer the row.
	Needs Needs
	// Posts marks rows that write to pull requests. Only a server that can write to pull requests offers these rows.
	Posts bool
	// Annotations are MCP's hints about the tool.
	Annotations
}

// Annotations are MCP's four hints about a tool.
type Annotations struct {
	ReadOnly    bool // the tool changes nothing
	Destructive bool // the changes may lose data
	Idempotent  bool // a repeated call has no further effect
	OpenWorld   bool // shows text from strangers, or has effects outside blq
}

// Class says what a tool may change or start. The classes are ordered from harmless to harmful.
type Class string

// These are the values of Class.
const (
	Read     Class = "read"     // changes nothing
	Annotate Class = "annotate" // adds notes to existing data
	Propose  Class = "propose"  // suggests a change for somebody to accept
	Execute  Class = "execute"  // runs registered commands
	Destroy  Class = "destroy"  // may remove or replace data that others need
)

// Needs is the kind of runner that a server must have to offer a tool. A runner runs commands; see package
// internal/runner.
type Needs int

// These are the kinds of runners. A Registry can do everything that Commands can do.
const (
	Nothing  Needs = iota // no runner
	Commands              // runs registered commands
	Registry              // also changes the registered commands
)

// These are values of Access that several questions and tools share.
var (
	// ofRuns is the Access of tools that read facts recorded by blq itself.
	ofRuns = Access{Toolset: "ask", Class: Read, Scope: store.ScopeRead,
		Annotations: Annotations{ReadOnly: true, Idempotent: true}}
	// ofLogs is the Access of tools that also read text from logs. Strangers may have written this text.
	ofLogs = Access{Toolset: "ask", Class: Read, Scope: store.ScopeRead,
		Annotations: Annotations{ReadOnly: true, Idempotent: true, OpenWorld: true}}
	// inSQL is the Access of tools that run SQL queries on runs and on text from logs. They need the scope query.
	inSQL = Access{Toolset: "ask", Class: Read, Scope: store.ScopeQuery,
		Annotations: Annotations{ReadOnly: true, Idempotent: true, OpenWorld: true}}
	// ofDocs is the Access of tools that read documentation.
	ofDocs = Access{Toolset: "docs", Class: Read, Scope: store.ScopeDocsRead,
		Annotations: Annotations{ReadOnly: true, Idempotent: true, OpenWorld: true}}
	// ofRealm is the Access of tools that read contracts between repositories.
	ofRealm = Access{Toolset: Realm, Class: Read, Scope: store.ScopeRead,
		Annotations: Annotations{ReadOnly: true, Idempotent: true, OpenWorld: true}}
	// ofSession is the Access of tools that record the work of a caller. The record expires after some time.
	ofSession = Access{Toolset: Realm, Class: Annotate, Scope: store.ScopeRead,
		Annotations: Annotations{Idempotent: true, OpenWorld: true}}
	// toWorktrees is the Access of tools that make work trees next to other clones, or return the commands that make
	// them.
	toWorktrees = Access{Toolset: Realm, Class: Propose, Scope: store.ScopeRead,
		Annotations: Annotations{Idempotent: true, OpenWorld: true}}
	// toDocs is the Access of tools that add, replace and remove external documentation. Replaced documentation stays
	// readable.
	toDocs = Access{Toolset: "docs", Class: Annotate, Scope: store.ScopeDocsWrite,
		Annotations: Annotations{OpenWorld: true}}
	// ofGraph is the Access of tools that read the architecture. Their answers contain text that strangers may have
	// written, such as names in source files.
	ofGraph = Access{Toolset: "graph", Class: Read, Scope: store.ScopeRead,
		Annotations: Annotations{ReadOnly: true, Idempotent: true, OpenWorld: true}}
	// toGraph is the Access of tools that change the architecture files in the work tree, or return a patch.
	toGraph = Access{Toolset: "graph", Class: Propose, Scope: store.ScopeRead,
		Annotations: Annotations{Idempotent: true, OpenWorld: true}}
	// attests is the Access of tools that record that documents fit code. The record expires when a document or the
	// code changes.
	attests = Access{Toolset: "graph", Class: Annotate, Scope: store.ScopeDocsWrite,
		Annotations: Annotations{Idempotent: true, OpenWorld: true}}
	// posts is the Access of tools that write the comment on a pull request.
	posts = Access{Toolset: "ask", Class: Annotate, Scope: store.ScopeSummaryWrite, Alters: true, Posts: true,
		Annotations: Annotations{Idempotent: true, OpenWorld: true}}
	// runs is the Access of tools that start registered commands.
	runs = Access{Toolset: "run", Class: Execute, Scope: store.ScopeRun, Needs: Commands,
		Annotations: Annotations{Destructive: true, OpenWorld: true}}
	// runsAny is the Access of tools that start any command.
	runsAny = Access{Toolset: "run", Class: Destroy, Scope: store.ScopeAdmin, Needs: Registry,
		Annotations: Annotations{Destructive: true, OpenWorld: true}}
	// ends is the Access of tools that end running commands.
	ends = Access{Toolset: "run", Class: Execute, Scope: store.ScopeRun, Needs: Registry, Alters: true,
		Annotations: Annotations{Destructive: true, Idempotent: true}}
	// lists is the Access of tools that read the registered commands.
	lists = Access{Toolset: "registry", Class: Read, Scope: store.ScopeRead, Needs: Commands,
		Annotations: Annotations{ReadOnly: true, Idempotent: true}}
	// registers is the Access of tools that change the registered commands.
	registers = Access{Toolset: "registry", Class: Destroy, Scope: store.ScopeAdmin, Needs: Registry,
		Annotations: Annotations{Destructive: true, Idempotent: true, OpenWorld: true}}
	// unregisters is the Access of tools that remove registered commands from the registry.
	unregisters = Access{Toolset: "registry", Class: Destroy, Scope: store.ScopeAdmin, Needs: Registry,
		Annotations: Annotations{Destructive: true}}
	// cleans is the Access of tools that remove runs.
	cleans = Access{Toolset: "clean", Class: Destroy, Scope: store.ScopeAdmin, Needs: Registry,
		Annotations: Annotations{Destructive: true, Idempotent: true}}
)
