package markdown

import (
	"context"
	"fmt"
	"strings"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// These limit the text about contracts.
const (
	maxContracts  = 5
	maxConsumers  = 10 // consumers of each contract
	contractBytes = 300
	maxBlamed     = 3 // failed runs whose contracts are examined
)

// contracts finds the contracts that the commit changes, and their consumers. It also finds changed contracts of other
// repositories that may have caused failures.
func (v *pullView) contracts(ctx context.Context, a *query.Asker) error {
	if a.Realms == nil || v.params.Passing {
		return nil
	}
	repo := v.params.Repo
	if repo == "" && len(v.runs) > 0 {
		repo = v.runs[0].Run.Repo
	}
	var err error
	if v.changed, err = a.ContractImpacts(ctx, repo, v.params.Commit); err != nil {
		return err
	}
	for _, c := range v.changed {
		if len(c.Consumers)+c.Hidden > 0 {
			v.counts.Contracts++
		}
	}
	blamed := 0
	for _, f := range v.runs {
		if status := f.Run.Status(); status == store.StatusOK || status == store.StatusRunning || blamed == maxBlamed {
			continue
		}
		blamed++
		suspects, alone, err := a.Blame(ctx, f.Run)
		if err != nil {
			return err
		}
		if len(suspects) > 0 {
			v.blamed = append(v.blamed, blame{f, suspects, alone})
		}
	}
	return nil
}

// blame lists possible causes of a failed run outside of its repository.
type blame struct {
	of       *Facts
	suspects []query.Suspect
	alone    bool // nothing else is suspect
}

// contractCauses returns a paragraph about changed contracts that may have caused a failure. If alone is true, it is
// about failures with no other suspect, and otherwise about failures with another suspect.
func (v *pullView) contractCauses(alone bool) string {
	var b strings.Builder
	for _, c := range v.blamed {
		if c.alone != alone {
			continue
		}
		for _, s := range c.suspects {
			fmt.Fprintf(&b, "- %s: %s", v.stepCell(c.of.Run), Code(s.Why, contractBytes))
			if alone {
				b.WriteString("; no change of this repository is suspect")
			}
			b.WriteString("\n")
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "**Changed contracts that may be the cause**\n\n" + b.String()
}

// impact lists the contracts that the commit changes, with their consumers.
func (v *pullView) impact(l limits) string {
	var b strings.Builder
	for _, c := range v.changed[:min(len(v.changed), maxContracts)] {
		b.WriteString(v.changedContract(c, max(1, min(maxConsumers, l.files))))
	}
	if more := len(v.changed) - maxContracts; more > 0 {
		fmt.Fprintf(&b, "\nand %s\n", Count(more, "more changed contract"))
	}
	return b.String()
}

func (v *pullView) changedContract(c query.ContractImpact, rows int) string {
	var b strings.Builder
	versions := Code(c.Old, nameBytes) + " → " + Code(c.New, nameBytes)
	switch c.New {
	case "":
		versions = "is removed"
	case c.Old:
		versions = "changes within " + Code(c.Old, nameBytes)
	}
	fmt.Fprintf(&b, "\n**Contract** %s %s", Code(c.Domain+"/"+c.Contract, nameBytes), versions)
	switch {
	case len(c.Breaks) > 0:
		fmt.Fprintf(&b, " **breaks consumers**: %s", someOf(c.Breaks))
	case len(c.Dangers) > 0:
		fmt.Fprintf(&b, " may surprise consumers: %s", someOf(c.Dangers))
	}
	if c.Unknown != "" {
		fmt.Fprintf(&b, " **was not compared in full**: %s", Code(c.Unknown, contractBytes))
	}
	b.WriteString("\n")
	if len(c.Consumers) > 0 {
		b.WriteString("\n| consumer | requires | fulfilled | its default branch |\n| --- | --- | --- | --- |\n")
	}
	for _, u := range c.Consumers[:min(len(c.Consumers), rows)] {
		fits, state := "yes", "not known"
		if !u.Fits {
			fits = "**no**"
		}
		if u.State != "" {
			state = Cell(u.State, contractBytes)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", Cell(u.Name, nameBytes), Cell(u.Requirement, nameBytes), fits, state)
	}
	if more := len(c.Consumers) - rows; more > 0 {
		fmt.Fprintf(&b, "\nand %s\n", Count(more, "more consumer"))
	}
	if c.Hidden > 0 {
		fmt.Fprintf(&b, "\n%s may not be named here\n", Count(c.Hidden, "consumer"))
	}
	return b.String()
}

// someOf returns the first texts as code.
func someOf(texts []string) string {
	const shown = 3
	var list []string
	for _, t := range texts[:min(len(texts), shown)] {
		list = append(list, Code(t, contractBytes))
	}
	if more := len(texts) - shown; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; ")
}
