package source_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts/source"
)

// dependencies returns the dependencies in files, as "ecosystem name version in file", and the files that were not
// read.
func dependencies(t *testing.T, files map[string]string) (list, unread []string) {
	t.Helper()
	var paths []string
	for p := range files {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	deps, unread := source.Dependencies(t.Context(), paths, func(_ context.Context, p string) ([]byte, error) {
		if files[p] == "unreadable" {
			return nil, os.ErrPermission
		}
		return []byte(files[p]), nil
	})
	for _, d := range deps {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s", d.Ecosystem, d.Name, d.Version))+" in "+d.File)
	}
	return list, unread
}

func TestDependencies(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"npm": {
			map[string]string{"package.json": `{"dependencies":{"hono":"^4.0.0","a":"1"},"devDependencies":{"vite":"*"}}`},
			[]string{"npm a 1 in package.json", "npm hono ^4.0.0 in package.json", "npm vite * in package.json"}},
		"npm with a lock": {map[string]string{"web/package.json": `{"dependencies":{"hono":"^4","old":"^1"}}`,
			"web/package-lock.json": `{"packages":{"node_modules/hono":{"version":"4.6.1"}},"dependencies":{"old":{"version":"1.2.3"}}}`},
			[]string{"npm hono 4.6.1 in web/package.json", "npm old 1.2.3 in web/package.json"}},
		"the nearest manifest counts": {map[string]string{"a/package.json": `{"dependencies":{"x":"2"}}`,
			"package.json": `{"dependencies":{"x":"1"}}`}, []string{"npm x 1 in package.json"}},
		"others' manifests do not": {map[string]string{"node_modules/x/package.json": `{"dependencies":{"y":"1"}}`,
			"vendor/m/go.mod": "require a.b/c v1.0.0", "p/testdata/go.mod": "require a.b/c v1.0.0"}, nil},
		"Go": {
			map[string]string{"go.mod": "module m\n\ngo 1.26\n\nrequire a.b/one v1.0.0 // why\n\nrequire (\n\ta.b/two v2.0.0\n" +
				"\ta.b/three v3.0.0 // indirect\n)\n\nreplace (\n\ta.b/x => ../x\n)\n"},
			[]string{"go a.b/one v1.0.0 in go.mod", "go a.b/two v2.0.0 in go.mod"}},
		"Python": {
			map[string]string{"requirements-dev.txt": "# c\nDjango==5.0.1  # web\nflask[async]>=3,<4; python_version>'3'\n" +
				"-r other.txt\n./local\nUvi_corn\npkg @ https://x/y.whl\nhttps://x/z.whl\n"},
			[]string{"pypi django 5.0.1 in requirements-dev.txt", "pypi flask >=3,<4 in requirements-dev.txt",
				"pypi uvi-corn in requirements-dev.txt", "pypi pkg in requirements-dev.txt"}},
		"pyproject": {map[string]string{"pyproject.toml": "[project]\ndependencies = ['pydantic>=2', 'httpx']\n" +
			"[dependency-groups]\ndev = ['pytest', {include-group = 'x'}]\n[tool.poetry.dependencies]\npython = '^3'\nrich " +
			"= '^13'\n"},
			[]string{"pypi httpx in pyproject.toml", "pypi pydantic >=2 in pyproject.toml", "pypi pytest in pyproject.toml",
				"pypi rich ^13 in pyproject.toml"}},
		"Rust": {
			map[string]string{"Cargo.toml": "[dependencies]\nserde = { version = '1', features = ['derive'] }\ntokio = '1.4'\n" +
				"own = { path = '../own' }\nshort = { package = 'long-name', version = '2' }\n[dev-dependencies]\ninsta = '1'\n"},
			[]string{"crate insta 1 in Cargo.toml", "crate long-name 2 in Cargo.toml", "crate own in Cargo.toml",
				"crate serde 1 in Cargo.toml", "crate tokio 1.4 in Cargo.toml"}},
		"Maven": {map[string]string{
			"pom.xml": "<project><dependencies><dependency><groupId>org.a</groupId><artifactId>b</artifactId>" +
				"<version>1</version></dependency><dependency><groupId>c</groupId><artifactId>d</artifactId><version>${v}</version>" +
				"</dependency></dependencies></project>"}, []string{"maven org.a:b 1 in pom.xml", "maven c:d in pom.xml"}},
		"Ruby": {
			map[string]string{"Gemfile": "source 'https://gems.example.com'\ngem 'rails', '~> 7.1'\n  gem(\"puma\")\n# gem 'no'\n"},
			[]string{"gem rails ~> 7.1 in Gemfile", "gem puma in Gemfile"}},
		"PHP": {map[string]string{"composer.json": `{"require":{"php":">=8","ext-json":"*","symfony/console":"^7"}}`},
			[]string{"composer symfony/console ^7 in composer.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, unread := dependencies(t, c.files)
			if diff := cmp.Diff(c.want, got); diff != "" || unread != nil {
				t.Errorf("unread %v, %s", unread, diff)
			}
		})
	}
}

func TestBrokenManifestsAreNamed(t *testing.T) {
	got, unread := dependencies(
		t, map[string]string{"package.json": "{", "Cargo.toml": "[", "pom.xml": "<", "composer.json": "[]",
			"pyproject.toml": "=", "go.mod": "unreadable", "requirements.txt": "rich"})
	want := []string{"Cargo.toml", "composer.json", "go.mod", "package.json", "pom.xml", "pyproject.toml"}
	if diff := cmp.Diff(want, unread); diff != "" || len(got) != 1 {
		t.Errorf("%v %s", got, diff)
	}
}

func TestRegistry(t *testing.T) {
	last := ""
	for _, e := range source.Registry() {
		if err := source.CheckAlias(e.Alias); err != nil || e.Alias <= last || e.Title == "" {
			t.Errorf("%+v after %s: %v", e, last, err)
		}
		if _, err := source.Hosted().Check(e.URL); err != nil {
			t.Errorf("%s: %v", e.Alias, err)
		}
		if found, ok := source.Find(e.Alias); !ok || found.URL != e.URL {
			t.Errorf("%s is not found", e.Alias)
		}
		last = e.Alias
	}
	for _, name := range []string{"", "BUN", "bu", "buns", "docs"} {
		if e, ok := source.Find(name); ok {
			t.Errorf("%q finds %s", name, e.Alias)
		}
	}
	for _, c := range []struct {
		of         source.Ecosystem
		name, want string
	}{
		{source.NPM, "@ai-sdk/openai", "ai-sdk"}, {source.PyPI, "Pydantic_AI", "pydantic-ai"}, {source.PyPI, "hono", ""},
		{source.Go, "github.com/redis/go-redis/v9", "redis"}, {source.Go, "github.com/redis/go-redis-x", ""},
		{source.Crate, "rmcp", "model-context-protocol"}, {source.Maven, "redis", ""},
	} {
		if e, _ := source.Of(c.of, c.name); e.Alias != c.want {
			t.Errorf("%s %s is %q, want %q", c.of, c.name, e.Alias, c.want)
		}
	}
}
