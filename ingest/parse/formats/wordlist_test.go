package formats

import "testing"

// No name in the list of rules is divided at a hyphen where a line of the list ends.
func TestRuleNamesAreWhole(t *testing.T) {
	for _, rule := range []string{"no-loop-var-prefix", "role-name", "deprecated-bare-vars", "yaml"} {
		if !isAnsibleRule(rule) {
			t.Errorf("%s is no rule of ansible-lint", rule)
		}
	}
	for name := range ansibleRules() {
		if name[0] == '-' || name[len(name)-1] == '-' {
			t.Errorf("%q is part of a rule's name", name)
		}
	}
}
