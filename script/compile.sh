#!/bin/sh
# Compiles a program as it is released: compile.sh blq|blq-job|blqd FILE. GOOS, GOARCH and
# VERSION choose the system and the version. COMMIT is the commit that "blq version" prints. blq-job is
# the program that jobs download: blq without the MCP server and without questions of agents.
set -eu
cd "$(dirname "$0")/.."
version=github.com/blq-ci/blq/internal/release.Version
# With dispositions, blq sees the signals that were ignored when it was started. The linker must allow that.
package=blq tags=nethttpomithttp2,dispositions # HTTP/2 would add half a megabyte to every job's download
align=
[ "$(${GO:-go} env GOARCH)" != amd64 ] || align=-funcalign=1 # functions at multiples of 32 bytes would add 0.4 MB
# Libraries outside of hot paths. Without inlining they are half a megabyte smaller.
cold="github.com/google/jsonschema-go/... go.yaml.in/... github.com/gowebpki/...
	github.com/modelcontextprotocol/... github.com/pelletier/... github.com/pressly/...
	github.com/segmentio/... github.com/spf13/... github.com/yosida95/... mvdan.cc/sh/... text/template/...
	net/http/... net net/netip net/url mime/... crypto/... encoding/asn1 vendor/golang.org/x/... regexp/syntax
	database/sql encoding/gob encoding/xml golang.org/x/sys/... html log/slog math/big syscall
	os os/... internal/poll io/fs path/... flag log context time unique maps mime errors
	vendor/... iter text/... modernc.org/memory modernc.org/mathutil github.com/dustin/...
	github.com/google/... github.com/gofrs/... github.com/hashicorp/... github.com/sethvargo/... modernc.org/sqlite
	github.com/blq-ci/blq/action/... github.com/blq-ci/blq/cmd/... github.com/blq-ci/blq/ingest/client
	github.com/blq-ci/blq/facts github.com/blq-ci/blq/facts/realm/... github.com/vektah/...
	github.com/blq-ci/blq/internal/yamlfile github.com/blq-ci/blq/internal/fair github.com/blq-ci/blq/internal/realms
	github.com/blq-ci/blq/internal/architecture github.com/blq-ci/blq/internal/findings github.com/blq-ci/blq/internal/runner
	github.com/blq-ci/blq/facts/docs github.com/blq-ci/blq/facts/docs/lexical github.com/blq-ci/blq/facts/docs/markup
	github.com/blq-ci/blq/facts/graph github.com/blq-ci/blq/facts/code
	github.com/blq-ci/blq/facts/source github.com/blq-ci/blq/facts/worktree github.com/blq-ci/blq/internal/docindex
	github.com/blq-ci/blq/internal/ci github.com/blq-ci/blq/internal/clientconfig github.com/blq-ci/blq/internal/cmdline
	github.com/blq-ci/blq/internal/markdown github.com/blq-ci/blq/internal/project/... github.com/blq-ci/blq/internal/step
	github.com/blq-ci/blq/internal/record github.com/blq-ci/blq/internal/settings github.com/blq-ci/blq/mcp/...
	github.com/blq-ci/blq/internal/github/... github.com/blq-ci/blq/ingest/api
	github.com/blq-ci/blq/internal/hook github.com/blq-ci/blq/internal/unnamed github.com/blq-ci/blq/internal/lazyregexp
	github.com/blq-ci/blq/internal/workflowcommand github.com/blq-ci/blq/internal/wait github.com/blq-ci/blq/store/testpack
	github.com/creack/... golang.org/x/term encoding/hex math/rand/... database/sql/driver net/textproto
	github.com/blq-ci/blq/internal/httpserver github.com/blq-ci/blq/internal/shellword github.com/blq-ci/blq/store/blob
	github.com/blq-ci/blq/query/... github.com/blq-ci/blq/store github.com/blq-ci/blq/store/sqlite/... github.com/blq-ci/blq/web maragu.dev/...
	github.com/blq-ci/blq/ingest/parse/formats github.com/blq-ci/blq/internal/capture time archive/zip compress/flate
	compress/gzip encoding/json encoding/base64 hash/crc32 text/tabwriter strings fmt internal/godebug internal/fmtsort reflect"
case $1 in
blq) ;;
blq-job) tags=$tags,job ;;
*) package=$1 tags=dispositions cold='' align='' version=main.version ;;
esac
out=$2
modfile=$(sh script/libraries.sh)
# A release is built again from a later commit, which contains the checksums of its archives.
commit=${COMMIT:-$(git rev-parse -q --verify "source/${VERSION:-}^{commit}" 2>/dev/null ||
	git rev-parse -q --verify HEAD 2>/dev/null || true)}
set --
for library in $cold; do set -- "$@" "-gcflags=$library=-l"; done
CGO_ENABLED=0 ${GO:-go} build -buildvcs=false -modfile "$modfile" -tags "$tags" "$@" -trimpath \
	-ldflags "-s -w -checklinkname=0 $align -X $version=${VERSION:-dev} -X ${version%.*}.Commit=$commit" \
	-o "$out" "./cmd/$package"
