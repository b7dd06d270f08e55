package ci_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/ci"
)

func TestWorkDirs(t *testing.T) {
	for command, want := range map[string][]string{
		"make -j8":                                     nil,
		"cd api && go vet ./...":                       {"api"},
		"cd api; go vet":                               {"api"},
		"sh -c 'cd api && go vet ./...'":               {"api"},
		`bash -ec "cd 'my api' && make"`:               {"my api"},
		"(cd a && make) && (cd b && make)":             {"a", "b"},
		"(cd a && make); make":                         {"a", "."},
		"cd a && make && cd ../b && make":              {"a", "b"},
		"pushd a\nmake\npopd\nmake":                    {"a", "."},
		"make -C lib test":                             {"lib"},
		"make -Clib":                                   {"lib"},
		"make --directory=lib":                         {"lib"},
		"npm --prefix web test":                        {"web"},
		"npm test --prefix=web":                        {"web"},
		"cd web && npm --prefix ui run build":          {"web/ui"},
		"go -C tools vet ./...":                        {"tools"},
		"yarn --cwd web lint":                          {"web"},
		"./gradlew -p app build":                       {"app"},
		"sudo FOO=1 make -C x":                         {"x"},
		"cargo build --manifest-path=rs/Cargo.toml":    {"rs"},
		"cargo test --manifest-path ./rs/a/Cargo.toml": {"rs/a"},
		"cargo build --manifest-path Cargo.toml":       nil,
		"mvn -B -f api/pom.xml verify":                 {"api"},
		"mvn -f api verify":                            {"api"},
		"just -f web/justfile test":                    {"web"},
		"cmake --build out --target all":               {"out"},
		"cd $DIR && make":                              nil,
		"cd /abs/dir && make":                          {"/abs/dir"},
		"set -e\ncd api # here\nmake":                  {"api"},
		"echo cd api && make":                          nil,
		"cd api":                                       nil,
		"git -C api status":                            nil,
	} {
		if diff := cmp.Diff(want, ci.WorkDirs(command)); diff != "" {
			t.Errorf("%q:\n%s", command, diff)
		}
	}
}
