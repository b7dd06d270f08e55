package realm

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/blq-ci/blq/internal/yamlfile"
	"github.com/blq-ci/blq/store"
)

// Own has the files that a member keeps in its own repository.
type Own struct {
	Repo  string // name of the member
	Dir   string // contracts_dir of its configuration
	Files []File // files below Dir
}

// maxFiles is the max number of files of a realm.
const maxFiles = 20_000

// Read reads a realm from the files of its repository, and from files in the repositories of its members. The realm's
// field Errors lists the errors in these files. A contract's file in the owner's repository takes precedence over its
// file in the realm's repository.
func Read(files []File, own ...Own) *Realm {
	parseAll(files[:min(len(files), maxFiles)])
	r := &reader{realm: &Realm{}, domains: map[string]*Domain{}}
	for i, f := range files {
		if i == maxFiles {
			r.fail(Place{}, "", "a realm has at most %d files; the rest is not read", maxFiles)
			break
		}
		r.file(f)
	}
	r.sources = map[string]map[string][]byte{"": sourcesOf(files)}
	r.later = map[string]map[string]File{"": later(files)}
	r.exporters()
	own = slices.Clone(own)
	// The result must not depend on the order of own.
	sort.SliceStable(own, func(i, j int) bool { return own[i].Repo < own[j].Repo })
	for _, o := range own {
		r.own(o)
		r.sources[o.Repo] = sourcesOf(o.Files)
		r.later[o.Repo] = later(o.Files)
	}
	r.schemaFiles()
	for _, d := range r.domains {
		d.sort()
		r.realm.Domains = append(r.realm.Domains, *d)
	}
	sort.Slice(r.realm.Domains, func(i, j int) bool { return r.realm.Domains[i].Name < r.realm.Domains[j].Name })
	sort.Slice(r.realm.Repos, func(i, j int) bool { return r.realm.Repos[i].Name < r.realm.Repos[j].Name })
	return r.realm
}

// sort sorts the parts of a domain, so that the domain does not depend on the order of the files.
func (d *Domain) sort() {
	slices.Sort(d.Members)
	d.Members = slices.Compact(d.Members)
	sort.Slice(d.Contracts, func(i, j int) bool { return d.Contracts[i].Name < d.Contracts[j].Name })
	sort.Slice(d.Bindings, func(i, j int) bool { return d.Bindings[i].Repo < d.Bindings[j].Repo })
}

type reader struct {
	realm   *Realm
	domains map[string]*Domain
	exports map[string]string            // repository that exports a contract according to the realm, by domain/contract
	sources map[string]map[string][]byte // files by member and path, "" for the realm's repository
	later   map[string]map[string]File   // files whose text has not been read, by member and path
}

// fail records an error in a file. The kind "" stands for ContractInvalid.
func (r *reader) fail(at Place, kind Kind, format string, args ...any) {
	r.realm.Errors = append(r.realm.Errors, Finding{Severity: store.SeverityError, Kind: cmp.Or(kind, ContractInvalid),
		Message: message(format, args...), Place: at})
}

// parse returns the value of a file. It reports false if the file cannot be read or is not a mapping.
func (r *reader) parse(in string, f File) (yamlfile.Value, bool) {
	v, err := f.value()
	var e *yamlfile.Error
	switch {
	case errors.As(err, &e):
		r.fail(Place{in, f.Path, e.Line}, "", "%s cannot be read: %s", f.Path, e.Message)
	case !v.IsMapping():
		r.fail(Place{in, f.Path, v.Line()}, "", "%s has no keys such as name", f.Path)
	default:
		return v, true
	}
	if r.realm.unread == nil {
		r.realm.unread = map[string]bool{}
	}
	r.realm.unread[in] = true
	return v, false
}

// file reads a file of the realm's repository.
func (r *reader) file(f File) {
	parts := strings.Split(f.Path, "/")
	stem, ok := strings.CutSuffix(parts[len(parts)-1], ".yaml")
	if !ok {
		if stem, ok = strings.CutSuffix(parts[len(parts)-1], ".yml"); !ok {
			return
		}
	}
	switch {
	case len(parts) == 1 && stem == "realm":
		if v, ok := r.parse("", f); ok {
			r.realm.Name = v.Get("name").Text()
		}
	case len(parts) == 2 && parts[0] == "repos":
		if v, ok := r.parse("", f); ok {
			r.repo(readRepo(v, stem, Place{"", f.Path, v.Line()}))
		}
	case len(parts) > 2 && parts[0] == "domains":
		r.inDomain("", parts[1], parts[2:], stem, f)
	}
}

// repo adds a repository of the realm. Names that cannot be parts of paths are refused.
func (r *reader) repo(one Repo) {
	if !IsName(one.Name) {
		r.fail(one.Place, "", "%.100q cannot name a repository: write letters, digits and ._-", one.Name)
		return
	}
	r.realm.Repos = append(r.realm.Repos, one)
}

func readRepo(v yamlfile.Value, stem string, at Place) Repo {
	return Repo{Name: cmp.Or(v.Get("name").Text(), stem), Org: v.Get("org").Text(), Path: v.Get("path").Text(),
		URL: v.Get("url").Text(), Maintainers: v.Get("maintainers").Texts(), JoinedAt: v.Get("joined_at").Text(), Place: at}
}

// inDomain reads a file below the folder of a domain.
func (r *reader) inDomain(in, domain string, parts []string, stem string, f File) {
	switch {
	case !isTitle(domain):
		r.fail(Place{in, f.Path, 0}, "", "the folder %.100q cannot name a domain: write it without invisible characters",
			domain)
	case len(parts) == 1 && stem == "domain":
		if v, ok := r.parse(in, f); ok {
			r.domain(v, domain, Place{in, f.Path, v.Line()})
		}
	case len(parts) == 2 && parts[0] == "contracts" || in != "" && len(parts) == 1:
		if v, ok := r.parse(in, f); ok {
			r.contract(f, v, domain, stem, Place{in, f.Path, v.Line()})
		} else {
			r.at(domain).unread[stem] = true
		}
	case len(parts) == 2 && parts[0] == "bindings":
		if v, ok := r.parse(in, f); ok {
			r.binding(v, domain, stem, Place{in, f.Path, v.Line()})
		}
	}
}

// exporters records the repository that exports each contract. If several do, it records the first one by name. It must
// be called before the files of members are read.
func (r *reader) exporters() {
	r.exports = map[string]string{}
	for _, d := range r.domains {
		for _, b := range d.Bindings {
			for _, e := range b.Exports {
				if key := d.Name + "/" + e.Contract; r.exports[key] == "" || b.Repo < r.exports[key] {
					r.exports[key] = b.Repo
				}
			}
		}
	}
}

// claim returns the rank of a repository as the owner of a contract. The rank is 2 if the realm's bindings say that the
// repository exports the contract. Otherwise it is 1 for a member of the domain, and 0 for other repositories.
func (r *reader) claim(d *Domain, contract, repo string) int {
	switch {
	case r.exports[d.Name+"/"+contract] == repo:
		return 2
	case slices.Contains(d.Members, repo):
		return 1
	}
	return 0
}

// own reads the contracts in a member's own repository.
func (r *reader) own(o Own) {
	for _, f := range o.Files {
		rest, ok := strings.CutPrefix(f.Path, path.Clean(o.Dir)+"/")
		if !ok {
			continue
		}
		parts := strings.Split(rest, "/")
		name := parts[len(parts)-1]
		stem := strings.TrimSuffix(name, path.Ext(name))
		switch {
		case path.Ext(name) != ".yaml" && path.Ext(name) != ".yml":
		case len(parts) > 1:
			r.inDomain(o.Repo, parts[0], parts[1:], stem, f)
		default:
			r.ownContract(o.Repo, stem, f)
		}
	}
}

// ownContract reads a contract that names its domain.
func (r *reader) ownContract(repo, stem string, f File) {
	v, ok := r.parse(repo, f)
	if !ok {
		return
	}
	domain := v.Get("domain").Text()
	if domain == "" {
		r.fail(Place{repo, f.Path, v.Line()},
			"", "%s does not name its domain: write domain, or put it into the folder of one",
			f.Path)
		return
	}
	if !isTitle(domain) {
		r.fail(Place{repo, f.Path, v.LineOf("domain")},
			"", "%.100q cannot name a domain: write it without slashes and invisible characters", domain)
		return
	}
	r.contract(f, v, domain, stem, Place{repo, f.Path, v.Line()})
}

// at returns the domain with a name. It adds the domain if the realm does not have it yet.
func (r *reader) at(name string) *Domain {
	d := r.domains[name]
	if d == nil {
		d = &Domain{Name: name, unread: map[string]bool{}}
		r.domains[name] = d
	}
	return d
}

func (r *reader) domain(v yamlfile.Value, folder string, at Place) {
	d := r.at(folder)
	d.Description, d.CreatedAt = v.Get("description").Text(), v.Get("created_at").Text()
	for _, member := range v.Get("members").Texts() {
		if !IsName(member) {
			r.fail(Place{at.In, at.File, v.LineOf("members")}, BindingBroken,
				"%.100q cannot name a repository: write letters, digits and ._-", member)
			continue
		}
		d.Members = append(d.Members, member)
	}
	d.Place = at
	if name := v.Get("name").Text(); name != "" && name != folder {
		at.Line = v.LineOf("name")
		r.fail(at, BindingBroken, "the domain is called %q, but its folder %q", name, folder)
	}
}
