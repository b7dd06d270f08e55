package main

import (
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store/sqlite/cage"
)

// statements holds the limits of callers' SQL statements, in the units of the settings. Each statement runs in a
// process of its own. All tenants together have Slots processes.
type statements struct {
	Slots    int           // max processes that run at the same time
	Waiting  int           // max statements of a tenant that wait
	MemoryMB int           // max memory of a process, in addition to the memory of an idle process
	AnswerMB int           // max memory of the service for an answer
	CPU      time.Duration // max CPU time of a tenant per minute
}

func defaultStatements() statements {
	return statements{Slots: 3, Waiting: 32, MemoryMB: 64, AnswerMB: 16, CPU: time.Minute}
}

// statementSettings are the settings that limit SQL statements.
var statementSettings = []setting{
	{"limit-statements", "max statements of the tool query that run at a time, each in a process",
		false, number(func(c *Config) *int { return &c.Statements.Slots })},
	{"limit-statements-waiting", "max statements of a tenant that wait for their turn",
		false, number(func(c *Config) *int { return &c.Statements.Waiting })},
	{"limit-statement-mb", "max `MB` of memory of the process of a statement, beyond those of an idle one",
		false, number(func(c *Config) *int { return &c.Statements.MemoryMB })},
	{"limit-statement-answer-mb", "max `MB` of the answer to a statement; four such answers are sent at a time",
		false, number(func(c *Config) *int { return &c.Statements.AnswerMB })},
	{"limit-statement-cpu", "max CPU time of a tenant's statements per minute",
		false, duration(func(c *Config) *time.Duration { return &c.Statements.CPU })},
}

// checks returns the min values of the settings.
func (s statements) checks() []bound {
	return []bound{
		{"limit-statements", s.Slots, 1}, {"limit-statements-waiting", s.Waiting, 1},
		{"limit-statement-mb", s.MemoryMB, 16}, {"limit-statement-answer-mb", s.AnswerMB, 1},
	}
}

// cage returns the limits in the form that package cage needs.
func (s statements) cage() cage.Options {
	answer := int64(s.AnswerMB) << 20
	return cage.Options{Slots: s.Slots, Waiting: s.Waiting, Memory: int64(s.MemoryMB) << 20, Answer: answer,
		Answers: 4 * answer, CPU: s.CPU, Ahead: true, Tenant: httpserver.Tenant}
}
