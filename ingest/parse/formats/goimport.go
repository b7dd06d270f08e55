package formats

import (
	"path"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// packageDir returns the directory of a package in module m.
func packageDir(m parse.GoModule, importPath string) (dir string, ok bool) {
	if m.Path == "" {
		return "", false
	}
	rest, ok := strings.CutPrefix(importPath, m.Path)
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	return path.Join(parse.Slash(m.Dir), rest), true
}

// goHosts maps a host in import paths to the number of path elements after the host that name the repository.
var goHosts = map[string]int{
	"github.com": 2, "gitlab.com": 2, "bitbucket.org": 2, "gitee.com": 2, "codeberg.org": 2, "golang.org": 2,
	"k8s.io": 1, "sigs.k8s.io": 1, "go.uber.org": 1, "google.golang.org": 1, "go.etcd.io": 1, "istio.io": 1,
	"cloud.google.com": 1, "go.opentelemetry.io": 1, "knative.dev": 1,
}

// goPackageDir returns the directory of a package in its repository, if the import path shows it.
func goPackageDir(importPath string) (dir string, ok bool) {
	importPath, _, _ = strings.Cut(importPath, " ")
	if i := strings.LastIndexByte(importPath, '/'); strings.HasSuffix(importPath[i+1:], "_test") ||
		strings.HasSuffix(importPath, ".test") {
		importPath = strings.TrimSuffix(strings.TrimSuffix(importPath, "_test"), ".test")
	}
	parts := strings.Split(importPath, "/")
	switch n, known := goHosts[parts[0]]; {
	case importPath == "command-line-arguments":
		return "", true
	case known:
		if len(parts) < n+1 {
			return "", false
		}
		parts = parts[n+1:]
	case parts[0] == "gopkg.in": // gopkg.in/yaml.v3, gopkg.in/user/name.v1
		if len(parts) > 1 && !strings.Contains(parts[1], ".v") {
			parts = parts[1:]
		}
		parts = parts[min(2, len(parts)):]
	case strings.Contains(parts[0], "."):
		return "", false // an unknown host: the repository's path may have any length
	default:
		parts = parts[1:] // a module path of one word
	}
	if len(parts) > 0 && isMajorVersion(parts[0]) {
		parts = parts[1:]
	}
	return strings.Join(parts, "/"), true
}

// isMajorVersion reports whether an element of an import path is a version like v2 or v3.
func isMajorVersion(s string) bool {
	return len(s) > 1 && s[0] == 'v' && parse.AllDigits(s[1:])
}
