package source

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

func readPackageJSON(text []byte) ([]Dependency, error) {
	var m struct {
		Dependencies, DevDependencies, PeerDependencies, OptionalDependencies map[string]string
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("read package.json: %w", err)
	}
	return sorted(NPM, m.Dependencies, m.DevDependencies, m.PeerDependencies, m.OptionalDependencies), nil
}

// pin sets the exact versions from a package-lock.json.
func pin(deps []Dependency, lock []byte) {
	type entry struct{ Version string }
	var l struct {
		Packages     map[string]entry
		Dependencies map[string]entry // lock file format 1
	}
	if json.Unmarshal(lock, &l) != nil {
		return
	}
	for i, d := range deps {
		if v := l.Packages["node_modules/"+d.Name].Version; v != "" {
			deps[i].Version = v
		} else if v := l.Dependencies[d.Name].Version; v != "" {
			deps[i].Version = v
		}
	}
}

// readGoMod reads the direct dependencies of a go.mod.
func readGoMod(text []byte) ([]Dependency, error) {
	var list []Dependency
	block := ""
	for line := range strings.Lines(string(text)) {
		code, comment, _ := strings.Cut(line, "//")
		words := strings.Fields(code)
		switch {
		case len(words) == 0:
			continue
		case words[0] == ")":
			block = ""
			continue
		case len(words) == 2 && words[1] == "(":
			block = words[0]
			continue
		case words[0] == "require":
			words = words[1:]
		case block != "require":
			continue
		}
		if len(words) == 2 && strings.TrimSpace(comment) != "indirect" {
			list = append(list, Dependency{Ecosystem: Go, Name: strings.Trim(words[0], `"`), Version: words[1]})
		}
	}
	return list, nil
}

func readCargo(text []byte) ([]Dependency, error) {
	type set map[string]any
	var m struct {
		Dependencies set
		Dev          set `toml:"dev-dependencies"`
		Build        set `toml:"build-dependencies"`
		Workspace    struct{ Dependencies set }
	}
	if err := toml.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("read Cargo.toml: %w", err)
	}
	versions := map[string]string{}
	for _, s := range []set{m.Workspace.Dependencies, m.Build, m.Dev, m.Dependencies} {
		for name, value := range s {
			version, _ := value.(string)
			if table, ok := value.(map[string]any); ok {
				version, _ = table["version"].(string)
				if renamed, ok := table["package"].(string); ok {
					name = renamed
				}
			}
			if version != "" || versions[name] == "" {
				versions[name] = version
			}
		}
	}
	return sorted(Crate, versions), nil
}

func readPyproject(text []byte) ([]Dependency, error) {
	var m struct {
		Project struct {
			Dependencies []string
			Optional     map[string][]string `toml:"optional-dependencies"`
		}
		Groups map[string][]any `toml:"dependency-groups"`
		Tool   struct {
			Poetry struct{ Dependencies map[string]any }
		}
	}
	if err := toml.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("read pyproject.toml: %w", err)
	}
	lines := m.Project.Dependencies
	for _, more := range m.Project.Optional {
		lines = append(lines, more...)
	}
	for _, group := range m.Groups {
		for _, item := range group {
			if line, ok := item.(string); ok {
				lines = append(lines, line)
			}
		}
	}
	versions := map[string]string{}
	for _, line := range lines {
		if name, version := requirement(line); name != "" {
			versions[name] = version
		}
	}
	for name, value := range m.Tool.Poetry.Dependencies {
		if name = normalPyPI(name); name != "python" {
			versions[name], _ = value.(string)
		}
	}
	return sorted(PyPI, versions), nil
}

// readRequirements reads the requirements.txt of pip.
func readRequirements(text []byte) ([]Dependency, error) {
	var list []Dependency
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if name, version := requirement(lines.Text()); name != "" {
			list = append(list, Dependency{Ecosystem: PyPI, Name: name, Version: version})
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read requirements: %w", err)
	}
	return list, nil
}

// requirementLine matches a dependency in the form of PEP 508: name[extras] versions; markers.
var requirementLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*\(?([^;#@)]*)`)
})

// requirement returns the name and the version of a dependency, or "" if the line names no dependency.
func requirement(line string) (name, version string) {
	m := requirementLine().FindStringSubmatch(line)
	if m == nil || strings.Contains(line, "://") && !strings.Contains(line, "@") {
		return "", ""
	}
	version = strings.TrimSpace(m[2])
	if version != "" && !strings.ContainsRune("=<>!~", rune(version[0])) {
		return "", "" // a path or other text
	}
	return normalPyPI(m[1]), strings.TrimPrefix(version, "==")
}

// normalPyPI returns the normalized form of a PyPI name.
func normalPyPI(name string) string {
	return strings.Join(
		strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("-_.", r) }),
		"-")
}

func readPOM(text []byte) ([]Dependency, error) {
	var m struct {
		Dependencies []struct {
			Group    string `xml:"groupId"`
			Artifact string `xml:"artifactId"`
			Version  string `xml:"version"`
		} `xml:"dependencies>dependency"`
	}
	if err := xml.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("read pom.xml: %w", err)
	}
	var list []Dependency
	for _, d := range m.Dependencies {
		version := strings.TrimSpace(d.Version)
		if strings.HasPrefix(version, "${") {
			version = ""
		}
		name := strings.TrimSpace(d.Group) + ":" + strings.TrimSpace(d.Artifact)
		list = append(list, Dependency{Ecosystem: Maven, Name: name, Version: version})
	}
	return list, nil
}

var gemLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*gem\s*\(?\s*["']([A-Za-z0-9._-]+)["'](?:\s*,\s*["']([^"']+)["'])?`)
})

func readGemfile(text []byte) ([]Dependency, error) {
	var list []Dependency
	for line := range strings.Lines(string(text)) {
		if m := gemLine().FindStringSubmatch(line); m != nil {
			list = append(list, Dependency{Ecosystem: Gem, Name: m[1], Version: m[2]})
		}
	}
	return list, nil
}

func readComposer(text []byte) ([]Dependency, error) {
	var m struct {
		Require map[string]string
		Dev     map[string]string `json:"require-dev"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("read composer.json: %w", err)
	}
	list := sorted(Composer, m.Require, m.Dev)
	packages := list[:0]
	for _, d := range list {
		if strings.Contains(d.Name, "/") { // names without a slash are PHP and its extensions
			packages = append(packages, d)
		}
	}
	return packages, nil
}
