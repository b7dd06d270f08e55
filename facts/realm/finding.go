package realm

import (
	"fmt"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Kind is the kind of a finding.
type Kind string

// These are the kinds of findings.
const (
	ContractInvalid       Kind = "ContractInvalid"
	EvolutionBehind       Kind = "EvolutionBehind"
	ValueInvalid          Kind = "ValueInvalid"
	SchemaUnchecked       Kind = "SchemaUnchecked"
	BindingBroken         Kind = "BindingBroken"
	OwnershipViolation    Kind = "OwnershipViolation"
	VersionMismatch       Kind = "VersionMismatch"
	ImportUnsatisfied     Kind = "ImportUnsatisfied"
	Outdated              Kind = "Outdated"
	SchemaChangedUnbumped Kind = "SchemaChangedWithoutBump"
	VersionRegressed      Kind = "VersionRegressed"
	BreakingWithoutMajor  Kind = "BreakingWithoutMajor"
	DangerousChange       Kind = "DangerousChange"
	UnusedContract        Kind = "UnusedContract"
	DeprecatedPattern     Kind = "DeprecatedPattern"
	CycleDetected         Kind = "CycleDetected"
)

// Finding is a mistake in a realm.
type Finding struct {
	Severity store.Severity // error or warning
	Kind     Kind
	Message  string
	Domain   string
	Contract string
	Repo     string // the repository of the binding, "" for the contract itself
	Place    Place
}

// maxMessage is the max number of bytes of a message.
const maxMessage = 2000

// message returns the text of a finding. The text is cut, because it may contain long texts from files.
func message(format string, args ...any) string { return cut(fmt.Sprintf(format, args...), maxMessage) }

// cut returns at most the first n bytes of a text, and an ellipsis if there are more.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}
