package facts

import (
	"path"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Selection decides which files of a repository are facts of a kind.
type Selection struct {
	Kind    store.FactKind
	Exclude []string // excluded files and directories
}

// Has reports whether a file is selected, by its path in the repository.
func (s Selection) Has(file string) bool {
	for _, e := range s.Exclude {
		if e = strings.Trim(path.Clean(e), "/"); file == e || strings.HasPrefix(file, e+"/") {
			return false
		}
	}
	switch s.Kind {
	case store.FactDocs:
		return isDoc(file)
	case store.FactCode:
		return !isForeign(file) &&
			(slices.Contains(codeEndings, strings.ToLower(path.Ext(file))) || isManifest(path.Base(file)) ||
				isModuleSetting(path.Base(file)))
	case store.FactDeps:
		return !isForeign(file) && !isBelow(file, testInputs) && isManifest(path.Base(file))
	case store.FactGraph:
		return strings.HasPrefix(file, ".beadloom/") && isYAML(file) || isCodeowners(file)
	case store.FactContracts:
		return isYAML(file) && isContract(file) || isContractSource(file)
	}
	return false
}

// isContract reports whether a YAML file may belong to a realm. In a member's repository, such files are in .blue or
// in a directory contracts. In the realm's repository, they are realm.yaml and files in repos and domains.
func isContract(file string) bool {
	parts := strings.Split(file, "/")
	switch parts[0] {
	case ".blue", "realm.yaml", "realm.yml":
		return true
	case "repos":
		return len(parts) == 2
	case "domains":
		return len(parts) == 3 || len(parts) == 4 && parts[2] == "bindings" || isBelow(file, []string{"contracts"})
	}
	return isBelow(file, []string{"contracts"}) && !isForeign(file)
}

// isContractSource reports whether a file may hold the schema of a contract: OpenAPI, Protocol Buffers, GraphQL or
// JSON Schema.
func isContractSource(file string) bool {
	if isForeign(file) || isBelow(file, testInputs) {
		return false
	}
	name := strings.ToLower(path.Base(file))
	switch path.Ext(name) {
	case ".proto", ".graphql", ".graphqls", ".gql":
		return true
	case ".json", ".yaml", ".yml":
		return strings.Contains(name, "openapi") || strings.Contains(name, "swagger") ||
			strings.Contains(name, ".schema.") || isBelow(file, []string{"contracts"})
	}
	return false
}

// Settled returns a function that reports whether a selected path is a fact. paths are all selected paths of the
// commit. In a repository without a realm, only the YAML files of contracts are facts of the kind FactContracts.
func Settled(kind store.FactKind, paths []string) func(path string) bool {
	all := kind != store.FactContracts || slices.ContainsFunc(paths, func(p string) bool {
		return p == ".blue/config.yaml" || p == "realm.yaml" || p == "realm.yml"
	})
	return func(path string) bool { return all || isYAML(path) && isContract(path) }
}

// foreign are directories whose files are not sources of the project.
var foreign = []string{"node_modules", "vendor", "third_party", "bower_components", ".git", ".lq"}

// isForeign reports whether a file is in one of the foreign directories.
func isForeign(file string) bool { return isBelow(file, foreign) }

// testInputs are directories with test data. Documents, manifests and schemas in these directories do not describe the
// project.
var testInputs = []string{"testdata", "fixtures", "__fixtures__", "__snapshots__"}

// isBelow reports whether a file is in a directory with one of the names, directly or further below.
func isBelow(file string, names []string) bool {
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		if slices.Contains(names, part) {
			return true
		}
	}
	return false
}

// docEndings are the file endings of documents.
var docEndings = []string{
	".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mdx", ".rst", ".rest", ".adoc", ".asciidoc", ".asc",
}

// docNames are conventional names of documents, in upper case and without .txt.
var docNames = []string{
	"README", "CHANGELOG", "CHANGES", "CONTRIBUTING", "INSTALL", "HISTORY", "NEWS", "UPGRADING", "MIGRATION", "HACKING",
	"ARCHITECTURE", "SECURITY", "FAQ", "USAGE", "TODO", "LLMS", "LLMS-FULL", "LLMS-CTX", "LLMS-CTX-FULL",
}

// docFolders are directories in which plain text is documentation.
var docFolders = []string{"doc", "docs", "documentation", "guide", "guides", "manual", "man", "wiki", "help"}

// notDocs are beginnings of names of plain-text files that tools read.
var notDocs = []string{"requirements", "constraints", "cmakelists", "robots", "wordlist", "spelling"}

// isDoc reports whether a file is documentation.
func isDoc(file string) bool {
	if isForeign(file) || isBelow(file, testInputs) {
		return false
	}
	name := path.Base(file)
	ending := strings.ToLower(path.Ext(name))
	if slices.Contains(docEndings, ending) {
		return ending != ".asc" || !isKey(name)
	}
	if ending != "" && ending != ".txt" {
		return false
	}
	stem := name[:len(name)-len(ending)]
	if slices.Contains(docNames, strings.ToUpper(stem)) {
		return ending == ".txt" || stem == strings.ToUpper(stem)
	}
	if ending == "" || slices.ContainsFunc(notDocs, func(s string) bool {
		return strings.HasPrefix(strings.ToLower(name), s)
	}) {
		return false
	}
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		if slices.Contains(docFolders, strings.ToLower(part)) {
			return true
		}
	}
	return false
}

// isKey reports whether an .asc file is a signature or a key, and not AsciiDoc.
func isKey(name string) bool {
	stem := strings.ToLower(strings.TrimSuffix(name, path.Ext(name)))
	return path.Ext(stem) != "" || strings.Contains(stem, "key") || strings.Contains(stem, "pgp") ||
		strings.Contains(stem, "gpg")
}

// isCodeowners reports whether a file is a CODEOWNERS file at a place where forges look for it.
func isCodeowners(file string) bool {
	dir := path.Dir(file)
	return path.Base(file) == "CODEOWNERS" && (dir == "." || dir == ".github" || dir == ".gitlab" || dir == "docs")
}

func isYAML(file string) bool {
	ending := strings.ToLower(path.Ext(file))
	return ending == ".yml" || ending == ".yaml"
}

// manifests are files that name the dependencies of source files.
var manifests = []string{
	"package.json", "package-lock.json", "go.mod", "pyproject.toml", "Cargo.toml", "pom.xml", "Gemfile", "composer.json",
}

// isManifest reports whether a file with this base name is a manifest.
func isManifest(name string) bool {
	return slices.Contains(manifests, name) || strings.HasPrefix(name, "requirements") && path.Ext(name) == ".txt"
}

// isModuleSetting reports whether a file configures the imports of TypeScript and JavaScript.
func isModuleSetting(name string) bool {
	return name == "jsconfig.json" || strings.HasPrefix(name, "tsconfig") && path.Ext(name) == ".json"
}

var codeEndings = []string{
	".go", ".py", ".pyi", ".rs", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".java", ".kt", ".kts",
	".scala", ".groovy", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".m", ".mm", ".cs", ".fs", ".vb",
	".rb", ".php", ".swift", ".dart", ".ex", ".exs", ".erl", ".hrl", ".hs", ".ml", ".mli", ".clj", ".cljs", ".lua",
	".pl", ".pm", ".r", ".jl", ".sh", ".bash", ".zsh", ".ps1", ".sql", ".proto", ".graphql", ".vue", ".svelte", ".zig",
	".nim", ".tf",
}
