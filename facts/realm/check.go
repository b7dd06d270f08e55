package realm

import (
	"errors"
	"fmt"
	"strings"

	"github.com/blq-ci/blq/facts/realm/formats"
	"github.com/blq-ci/blq/store"
)

// Check is the input of a check of a realm.
type Check struct {
	Repo string // the repository whose domains are checked; "" for all
	// Baseline is the realm that contracts are compared with. Without a baseline, changes are not checked.
	Baseline *Realm
	// Exists reports whether a file of the repository exists. Without Exists, no file is reported as missing.
	Exists func(file string) bool
}

// Of checks a realm. Errors in the realm's files come first. The other findings are in the order of the checks. The
// findings of one check are in the order of the domains.
func (c Check) Of(r *Realm) []Finding {
	k := &checker{Check: c, realm: r, unchecked: map[*Contract]bool{}, faults: map[judged]error{}}
	for _, f := range r.Errors {
		if c.concerns(r, f) {
			k.findings = append(k.findings, f)
		}
	}
	for _, check := range []func(*Domain){
		k.each((*checker).version), k.each((*checker).value), k.names, k.imports, k.each((*checker).changes), k.uses,
	} {
		for i := range r.Domains {
			if d := &r.Domains[i]; c.Repo == "" || d.Has(c.Repo) {
				check(d)
			}
		}
	}
	k.cycles()
	return k.findings
}

// concerns reports whether an error in the realm's files concerns the checked repository. If a repository publishes a
// contract of another owner, the contract is not read. This error concerns only that repository and the participants
// of the domain. Any other error concerns all members, because the unread file may belong to any of them.
func (c Check) concerns(r *Realm, f Finding) bool {
	if f.Kind != OwnershipViolation || f.Domain == "" || c.Repo == "" || f.Repo == c.Repo {
		return true
	}
	d := r.Domain(f.Domain)
	return d == nil || d.Has(c.Repo)
}

// checker collects findings.
type checker struct {
	Check
	realm    *Realm
	findings []Finding
	// unchecked has the contracts whose schemas are missing, invalid or not supported. It has a contract with a JSON
	// Schema only if the schema is missing. Findings already report these contracts.
	unchecked map[*Contract]bool
	// faults caches the errors of schemas and values. Many contracts of a realm have the same schema.
	faults map[judged]error
}

// judged is the key of the map faults. It holds everything that the check of a contract's schema and value depends on.
// Contracts whose schemas import files have no key.
type judged struct {
	format formats.Format
	schema string
	value  string
}

// each turns a check of a contract into a check of all contracts in a domain.
func (k *checker) each(check func(*checker, *Domain, *Contract)) func(*Domain) {
	return func(d *Domain) {
		for i := range d.Contracts {
			check(k, d, &d.Contracts[i])
		}
	}
}

// add adds a finding about a contract of a domain, or about a binding to the contract.
func (k *checker) add(s store.Severity, kind Kind, d *Domain, contract, repo string, at Place, format string,
	args ...any) {
	k.findings = append(k.findings, Finding{Severity: s, Kind: kind, Message: message(format, args...), Domain: d.Name,
		Contract: contract, Repo: repo, Place: at})
}

// version checks the versions of a contract.
func (k *checker) version(d *Domain, c *Contract) {
	if c.version == nil {
		k.add(store.SeverityError, ContractInvalid, d, c.Name, "", c.at(c.lines.version),
			"Contract '%s' has invalid version '%s': a version is written as 1.2.3", c.Name, c.Version)
	}
	var latest *semantic
	for _, e := range c.Evolution {
		v, ok := parseVersion(e.Version)
		if !ok {
			k.add(store.SeverityError, ContractInvalid, d, c.Name, "", e.Place,
				"Contract '%s' has invalid version '%s' in its evolution", c.Name, e.Version)
			continue
		}
		if latest == nil || v.compare(*latest) > 0 {
			latest = &v
		}
	}
	if latest != nil && c.version != nil && latest.compare(*c.version) != 0 {
		k.add(store.SeverityWarning, EvolutionBehind, d, c.Name, "", c.at(c.lines.version),
			"Contract '%s' is at v%s, but its evolution ends at v%s", c.Name, c.Version, latest)
	}
}

// value checks the schema of a contract, and the contract's value against the schema.
func (k *checker) value(d *Domain, c *Contract) {
	if c.missing != "" {
		k.unchecked[c] = true
		k.add(store.SeverityWarning, SchemaUnchecked, d, c.Name, "", c.at(c.lines.schema),
			"Schema of contract '%s' is not checked: %s", c.Name, c.missing)
	}
	if c.Schema == nil {
		return
	}
	err := k.fault(c)
	k.unchecked[c] = err != nil && !errors.Is(err, errValue) && c.Format != formats.JSONSchema
	switch {
	case err == nil:
	case errors.Is(err, errValue):
		k.add(store.SeverityError, ValueInvalid, d, c.Name, "", c.at(c.lines.value),
			"Value of contract '%s' does not fit its schema: %s", c.Name, brief(err, errValue))
	case errors.Is(err, errUnsupported):
		k.add(store.SeverityWarning, SchemaUnchecked, d, c.Name, "", c.at(c.lines.schema),
			"Schema of contract '%s' is not checked: %s", c.Name, brief(err, errUnsupported))
	default:
		k.add(store.SeverityError, ContractInvalid, d, c.Name, "", c.at(c.lines.schema),
			"Schema of contract '%s' is invalid: %s", c.Name, brief(err, nil))
	}
}

// fault returns the error of a contract's schema or value.
func (k *checker) fault(c *Contract) error {
	return c.kept.checked(func() error {
		if len(c.imported) > 0 {
			return c.check()
		}
		key := judged{c.Format, string(c.Schema), string(c.Value)}
		err, known := k.faults[key]
		if !known {
			err = c.check()
			k.faults[key] = err
		}
		return err
	})
}

// maxBrief is the max number of bytes of a library's text in a message.
const maxBrief = 300

// brief returns the text of an error on one line, cut to maxBrief bytes. It leaves out the text of the parameter
// without at the beginning.
func brief(err, without error) string {
	text := err.Error()
	if without != nil {
		text = strings.TrimPrefix(text, without.Error()+": ")
	}
	text = strings.Join(strings.Fields(text), " ")
	return cut(text, maxBrief)
}

// names checks that exports and imports name existing contracts, and that only owners export a contract.
func (k *checker) names(d *Domain) {
	for _, b := range d.Bindings {
		for _, e := range b.Exports {
			switch c := d.Contract(e.Contract); {
			case c == nil && d.unread[e.Contract]: // an error already reports this
			case c == nil:
				k.add(store.SeverityError, BindingBroken, d, e.Contract, b.Repo, e.Place,
					"Binding '%s' exports contract '%s', which domain '%s' does not have", b.Repo, e.Contract, d.Name)
			case c.Owner != b.Repo:
				k.add(store.SeverityError, OwnershipViolation, d, e.Contract, b.Repo, e.Place,
					"Binding '%s' exports contract '%s', which belongs to '%s'", b.Repo, e.Contract, c.Owner)
			}
		}
		for _, i := range b.Imports {
			if d.Contract(i.Contract) == nil && !d.unread[i.Contract] {
				k.add(store.SeverityError, BindingBroken, d, i.Contract, b.Repo, i.Place,
					"Binding '%s' imports contract '%s', which domain '%s' does not have", b.Repo, i.Contract, d.Name)
			}
		}
	}
}

// imports checks the versions that imports require.
func (k *checker) imports(d *Domain) {
	for _, b := range d.Bindings {
		for _, i := range b.Imports {
			if c := d.Contract(i.Contract); c != nil {
				k.requirement(d, c, b.Repo, i)
			}
		}
	}
}

func (k *checker) requirement(d *Domain, c *Contract, repo string, i Import) {
	if i.Status == "broken" {
		k.add(store.SeverityError, ImportUnsatisfied, d, c.Name, repo, i.Place,
			"Binding '%s' marks its import of '%s' as broken", repo, c.Name)
	}
	r, err := parseRequirement(i.Requirement)
	if err != nil {
		k.add(store.SeverityWarning, VersionMismatch, d, c.Name, repo, i.Place,
			"Binding '%s' has a requirement of '%s' that cannot be read: %v", repo, c.Name, err)
		return
	}
	if c.version == nil {
		return
	}
	if !r.fulfils(*c.version) {
		k.add(store.SeverityError, VersionMismatch, d, c.Name, repo, i.Place,
			"Binding '%s' requires '%s' but contract is at v%s", repo, i.Requirement, c.Version)
		return
	}
	if used, ok := parseVersion(i.ResolvedVersion); ok && c.version.compare(used) > 0 {
		k.add(store.SeverityWarning, Outdated, d, c.Name, repo, i.Place,
			"Binding '%s' uses v%s of '%s'; v%s fulfils its requirement '%s'", repo, i.ResolvedVersion, c.Name, c.Version,
			i.Requirement)
	}
}

// changes compares a contract with the baseline.
func (k *checker) changes(d *Domain, c *Contract) {
	if k.Baseline == nil {
		return
	}
	before := k.Baseline.Domain(d.Name)
	if before == nil {
		return
	}
	old := before.Contract(c.Name)
	if old == nil {
		return
	}
	if old.known() && c.known() && old.SchemaHash != c.SchemaHash && old.Version == c.Version {
		k.add(store.SeverityWarning, SchemaChangedUnbumped, d, c.Name, "", c.at(c.lines.schema),
			"Schema changed without version bump: contract '%s' is still at v%s", c.Name, c.Version)
	}
	if old.version == nil || c.version == nil {
		return
	}
	if c.version.compare(*old.version) < 0 {
		k.add(store.SeverityError, VersionRegressed, d, c.Name, "", c.at(c.lines.version),
			"Version of contract '%s' went back from v%s to v%s", c.Name, old.Version, c.Version)
	}
	if raisesMajor(*old.version, *c.version) {
		return
	}
	e := effectOf(old, c)
	if e.unknown != "" && !k.unchecked[c] && !c.unread {
		k.add(store.SeverityWarning, SchemaUnchecked, d, c.Name, "", c.at(c.lines.schema),
			"Contract '%s' was not compared with v%s: %s", c.Name, old.Version, e.unknown)
	}
	if len(e.dangers) > 0 {
		k.add(store.SeverityWarning, DangerousChange, d, c.Name, "", c.at(c.lines.schema),
			"Contract '%s' may surprise consumers (v%s to v%s): %s", c.Name, old.Version, c.Version, few(e.dangers))
	}
	if len(e.breaks) > 0 {
		severity := store.SeverityWarning
		if c.Backwards {
			severity = store.SeverityError
		}
		k.add(severity, BreakingWithoutMajor, d, c.Name, "", c.at(c.lines.schema),
			"Contract '%s' breaks consumers without a new major version (v%s to v%s): %s", c.Name, old.Version, c.Version,
			few(e.breaks))
	}
}

// few returns the first three texts, joined, with the number of the remaining texts.
func few(texts []string) string {
	const shown = 3
	if len(texts) <= shown {
		return strings.Join(texts, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(texts[:shown], "; "), len(texts)-shown)
}

// uses reports unused contracts, imports of deprecated contracts, and imports that name a missing file of the checked
// repository.
func (k *checker) uses(d *Domain) {
	for _, c := range d.Contracts {
		users := d.users(c.Name)
		if len(users) == 0 {
			k.add(store.SeverityWarning, UnusedContract, d, c.Name, "", c.Place, "No repository imports contract '%s'", c.Name)
		}
		for _, by := range users {
			if c.Deprecated != nil {
				k.add(store.SeverityWarning, DeprecatedPattern, d, c.Name, by.repo, by.by.Place,
					"Binding '%s' imports contract '%s', which is deprecated%s", by.repo, c.Name, c.Deprecated.advice())
			}
			if f := by.by.File; by.repo == k.Repo && f != "" && k.Exists != nil && !k.Exists(f) {
				k.add(store.SeverityWarning, DeprecatedPattern, d, c.Name, by.repo, by.by.Place,
					"Binding '%s' uses contract '%s' in %s, which does not exist", by.repo, c.Name, f)
			}
		}
	}
}

// advice returns a text with the version that deprecated the contract, and the name of the replacement.
func (d *Deprecation) advice() string {
	text := ""
	if d.Since != "" {
		text += " since v" + d.Since
	}
	if d.ReplacedBy != "" {
		text += "; use '" + d.ReplacedBy + "'"
	}
	return text
}
