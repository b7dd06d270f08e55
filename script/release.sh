#!/bin/sh
# Makes the files of a release in dist/: archives for all systems, SHA256SUMS, and a list of the
# modules in each program. VERSION has the form v1.2.3. The default is the tag of the commit.
set -eu
cd "$(dirname "$0")/.."
version=${VERSION:-}
if [ -z "$version" ]; then
	version=$(git describe --tags --exact-match --match 'v*' 2>/dev/null) || {
		echo "release: this commit has no tag: VERSION=v1.2.3 make release" >&2
		exit 1
	}
fi
rm -rf dist
go run ./script/release archives "$version" dist

# Lists the modules in each program, as CycloneDX. The tool is downloaded as a module. "go install"
# would also ask for the list of its versions, which not every proxy has.
tool=$PWD/bin/tools/cyclonedx-gomod-v1.10.0
if [ ! -x "$tool" ]; then
	module=$(go mod download -json github.com/CycloneDX/cyclonedx-gomod@v1.10.0 | sed -n 's/.*"Dir": "\(.*\)",*$/\1/p')
	(cd "$module" && GOFLAGS='' CGO_ENABLED=0 go build -trimpath -o "$tool" ./cmd/cyclonedx-gomod)
fi
for program in blq blqd; do
	"$tool" bin -json -noserial -version "$version" -output "dist/${program}_${version#v}.cdx.json" \
		"dist/programs/linux_amd64/$program" 2>dist/sbom.log || {
		cat dist/sbom.log >&2
		exit 1
	}
done
rm -rf dist/sbom.log dist/programs
cd dist
for file in *.cdx.json; do
	if command -v sha256sum >/dev/null; then sha256sum "$file"; else shasum -a 256 "$file"; fi
done >>SHA256SUMS
echo "release: dist/ has $version: $(ls | wc -l) files"
