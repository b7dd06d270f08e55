package query

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/facts/realm/formats"
	"github.com/blq-ci/blq/store"
)

// ContractGetParams select a contract.
type ContractGetParams struct {
	RealmAt
	Domain   string `json:"domain" jsonschema:"name of the domain"`
	Contract string `json:"contract" jsonschema:"name of the contract"`
	At       string `json:"at,omitempty" jsonschema:"commit, branch or tag"`
	Versions int    `json:"versions,omitempty" jsonschema:"commits with versions, up to 50" default:"10" min:"1"`
}

// ContractFound is a contract and its bindings.
type ContractFound struct {
	Status      string            `json:"status" jsonschema:"success"`
	Realm       string            `json:"realm" jsonschema:"name"`
	Domain      string            `json:"domain" jsonschema:"name"`
	Contract    Contract          `json:"contract" jsonschema:"the contract"`
	Bindings    []ContractBinding `json:"bindings" jsonschema:"repositories that export and import it"`
	Hidden      int               `json:"hidden_bindings,omitempty" jsonschema:"of repositories that you may not see"`
	CurrentRepo string            `json:"current_repo" jsonschema:"empty for the realm's own repository"`
	ContractPast
	NextSteps []string `json:"next_steps" jsonschema:"advice"`
}

// Contract is a contract with its schema.
type Contract struct {
	Name          string              `json:"name" jsonschema:"name"`
	Version       string              `json:"version" jsonschema:"version"`
	Owner         string              `json:"owner" jsonschema:"owner"`
	Compatibility Compatibility       `json:"compatibility" jsonschema:"promised compatibility"`
	Format        string              `json:"format,omitempty" jsonschema:"none for JSON Schema"`
	Schema        json.RawMessage     `json:"schema" jsonschema:"JSON, a text in its format, or null"`
	Value         json.RawMessage     `json:"value" jsonschema:"value or null"`
	Validation    json.RawMessage     `json:"validation,omitempty" jsonschema:"method of validation"`
	Evolution     []ContractVersion   `json:"evolution" jsonschema:"versions"`
	Deprecated    *ContractDeprecated `json:"deprecated,omitempty" jsonschema:"if it is"`
	SourceFiles   []string            `json:"source_files,omitempty" jsonschema:"of the owner"`
	SchemaHash    string              `json:"schema_hash,omitempty" jsonschema:"SHA-256"`
	In            string              `json:"in" jsonschema:"repository with the file, empty for the realm's"`
	File          string              `json:"file" jsonschema:"file"`
	Line          int                 `json:"line" jsonschema:"line"`
}

// Compatibility reports whether versions of a contract may be mixed.
type Compatibility struct {
	Backwards bool `json:"backwards" jsonschema:"consumers of earlier versions work"`
	Forwards  bool `json:"forwards" jsonschema:"consumers work with earlier versions"`
}

// ContractVersion is a version of a contract.
type ContractVersion struct {
	Version    string          `json:"version" jsonschema:"version"`
	Changes    json.RawMessage `json:"changes" jsonschema:"text or list"`
	Compatible *bool           `json:"compatible,omitempty" jsonschema:"if it is said"`
}

// ContractDeprecated names the replacement of a deprecated contract.
type ContractDeprecated struct {
	Since      string `json:"since,omitempty" jsonschema:"version"`
	ReplacedBy string `json:"replaced_by,omitempty" jsonschema:"contract"`
}

// ContractBinding is a repository that exports or imports a contract.
type ContractBinding struct {
	Repo            string `json:"repo" jsonschema:"member"`
	Role            string `json:"role" jsonschema:"Provider, Consumer or Both"`
	Relationship    string `json:"relationship" jsonschema:"exports or imports"`
	VersionReq      string `json:"version_req,omitempty" jsonschema:"range"`
	Status          string `json:"status,omitempty" jsonschema:"as the binding says"`
	ResolvedVersion string `json:"resolved_version,omitempty" jsonschema:"version in use"`
}

// ContractGet returns a contract. NotFound: there is no such domain or contract.
func (a *Asker) ContractGet(ctx context.Context, p ContractGetParams) (ContractFound, error) {
	if p.Versions < 0 || p.Versions > maxVersions {
		return ContractFound{}, store.Errorf(store.Invalid, "versions is a number up to %d", maxVersions)
	}
	if p.Domain == "" || p.Contract == "" {
		return ContractFound{}, store.Next(store.Errorf(store.Invalid, "which contract of which domain is not said"),
			store.NewCall("realm_status", "lists them"))
	}
	found, err := a.realm(ctx, RealmOf{RealmAt: p.RealmAt, At: p.At})
	if err != nil {
		return ContractFound{}, err
	}
	d := found.Domain(p.Domain)
	if d == nil {
		var names []string
		for _, d := range found.Domains {
			names = append(names, d.Name)
		}
		return ContractFound{}, missing("the realm "+found.Name, "domain", p.Domain, names)
	}
	c := d.Contract(p.Contract)
	if c == nil {
		var names []string
		for _, c := range d.Contracts {
			names = append(names, c.Name)
		}
		return ContractFound{}, missing("the domain "+d.Name, "contract", p.Contract, names)
	}
	r := ContractFound{Status: succeeded, Realm: found.Name, Domain: d.Name, Contract: contractOf(c),
		CurrentRepo: found.Current, Bindings: []ContractBinding{}}
	imports := false
	for _, b := range bindingsOf(d, c.Name) {
		if found.hides(b.Repo) {
			r.Hidden++
			continue
		}
		imports = imports || b.Repo == found.Current && b.Relationship == importing
		r.Bindings = append(r.Bindings, b)
	}
	if r.ContractPast, err = a.contractPast(ctx, found, d.Name, c, p.Versions); err != nil {
		return r, err
	}
	switch {
	case c.Owner == found.Current:
		r.NextSteps = []string{"You own this contract. You can modify it."}
	case imports:
		r.NextSteps = []string{fmt.Sprintf("Contract is owned by '%s'. You import it; ask the owner for changes.", c.Owner)}
	default:
		r.NextSteps = []string{fmt.Sprintf("Contract is owned by '%s'. Only the owner can modify it.", c.Owner)}
	}
	return r, nil
}

// A repository has one of these relationships to a contract.
const (
	exporting = "exports"
	importing = "imports"
)

// bindingsOf returns the members that export and import a contract.
func bindingsOf(d *realm.Domain, contract string) []ContractBinding {
	var all []ContractBinding
	for _, b := range d.Bindings {
		for _, e := range b.Exports {
			if e.Contract == contract {
				all = append(all, ContractBinding{Repo: b.Repo, Role: string(b.Role), Relationship: exporting})
			}
		}
		for _, i := range b.Imports {
			if i.Contract == contract {
				all = append(all, ContractBinding{Repo: b.Repo, Role: string(b.Role), Relationship: importing,
					VersionReq: i.Requirement, Status: i.Status, ResolvedVersion: i.ResolvedVersion})
			}
		}
	}
	return all
}

// missing returns the error for a name that does not exist. The error lists at most ten existing names.
func missing(in, kind, name string, known []string) error {
	err := store.Errorf(store.NotFound, "%s has no %s %.100q", in, kind, name)
	if len(known) == 0 {
		return store.Hint(err, "there is none")
	}
	const shown = 10
	more := ""
	if len(known) > shown {
		known, more = known[:shown], " …"
	}
	return store.Hint(err, "there are: %s%s", strings.Join(known, ", "), more)
}

func contractOf(c *realm.Contract) Contract {
	one := Contract{Name: c.Name, Version: c.Version, Owner: c.Owner,
		Compatibility: Compatibility{c.Backwards, c.Forwards},
		Schema:        c.Schema, Value: c.Value, Validation: c.Validation, Evolution: []ContractVersion{},
		SourceFiles: c.Sources,
		SchemaHash:  c.SchemaHash, In: c.Place.In, File: c.Place.File, Line: c.Place.Line}
	for _, v := range c.Evolution {
		one.Evolution = append(one.Evolution, ContractVersion{v.Version, v.Changes, v.Compatible})
	}
	if c.Format != formats.JSONSchema {
		one.Format = string(c.Format)
	}
	if c.Deprecated != nil {
		one.Deprecated = &ContractDeprecated{c.Deprecated.Since, c.Deprecated.ReplacedBy}
	}
	return one
}
