package findings

import (
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// ContractsRun is the name of runs with findings about contracts.
const ContractsRun = "contracts"

// Contracts returns the findings of a contract check as events. The files of the events are in the repository or in
// the realm's repository.
func Contracts(r query.RealmChecked) *Result {
	out := &Result{Name: ContractsRun, Command: "blq realm check", Of: plural(len(r.SchemaHashes), "contract")}
	for _, group := range []struct {
		severity store.Severity
		findings []query.RealmFinding
	}{{store.SeverityError, r.Errors}, {store.SeverityWarning, r.Warnings}} {
		for _, f := range group.findings {
			out.add(store.Event{Severity: group.severity, File: f.File, Line: f.Line, Message: f.Message, Tool: ContractsRun,
				Category: store.CategoryLint, Code: f.Kind}, "")
		}
	}
	return out
}
