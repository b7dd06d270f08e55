#!/bin/sh
# Prints a go.mod with which the given program, blq, blq-job or blqd, is compiled without parts of libraries that it
# cannot use. What jobs download is 1 MB smaller, and opening a database prepares no full-text search.
#
# SQLite loses full-text search, R-trees, tables about pages, RBU and what only loaded extensions call. The library is
# generated from C, and functions that fill tables keep all of that in a program. zstd loses dictionaries and all
# levels of compression but the fastest, and mathutil loses prime numbers. In jobs, cobra loses the completion of
# command lines. The libraries have no options for this. So this script copies them to bin and removes a few functions.
# Tests run with the libraries as they are.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
id=$(cat script/libraries.sh go.mod go.sum | cksum | cut -d ' ' -f 1)
made=bin/libraries-$id

# copy MODULE PACKAGE... copies packages of a module.
copy() {
	module=$1 to=$(basename "$1")
	shift
	$go mod download "$module"
	from=$($go list -m -f '{{.Dir}}' "$module")
	for package in "$@"; do
		mkdir -p "$new/$to/$package"
		for file in "$from/$package"/*; do
			case $file in *_test.go) ;; *.go | *.s | */go.mod) cp "$file" "$new/$to/$package" ;; esac
		done
	done
	chmod -R u+w "$new/$to"
	$go mod edit -replace "$module=./$made/$to" "$new/blq-job.mod"
	[ "$to" = cobra ] || $go mod edit -replace "$module=./$made/$to" "$new/blq.mod"
}

# edit FILE COUNT PROGRAM changes a file with a program of awk that counts its changes in n.
edit() {
	awk "$3"'
		END { if (n != '"$2"') { print "script/libraries.sh: '"$(basename "$1")"' has changed" >"/dev/stderr"; exit 1 } }
	' "$1" >"$new/edited"
	mv "$new/edited" "$1"
}

if [ ! -d "$made" ]; then
	new=$made.$$
	trap 'rm -rf "$new"' EXIT
	mkdir -p "$new"
	cp go.mod "$new/blq.mod"
	cp go.sum "$new/blq.sum"
	cp go.mod "$new/blq-job.mod"
	cp go.sum "$new/blq-job.sum"

	copy modernc.org/sqlite . lib vtab pcache
	# One file is for all systems of releases. Each table is filled by a function of its own.
	files=$(grep -l '&_sqlite3BuiltinExtensions)' "$new"/sqlite/lib/*.go)
	for file in $files; do
		edit "$file" 16 '
			/^func init\(\)/ {
				first = $0
				getline
				if (/&_(sFts5Api|fts5Mod|fts5Vocab|rtreeModule|geopolyModule|aAgg|aFunc|sqlite3Apis)\)/ ||
					/&_(dbstat_module|dbpage_module|rbuvfs_io_methods1?)\)/) { skip = 1; n++; next }
				print first
			}
			skip { skip = !/^}/; next }
			{ n += gsub(/\(_sqlite3(Fts5Init|RtreeInit|DbpageRegister|DbstatRegister)\)/, "(_sqlite3TestExtInit)"); print }'
	done

	copy github.com/klauspost/compress . fse huff0 internal/cpuinfo internal/le internal/regmask internal/snapref \
		zstd zstd/internal/xxhash
	# All levels are the fastest one.
	edit "$new/compress/zstd/encoder_options.go" 2 '
		/^func \(o encoderOptions\) encoder\(\)/ { print; n++; inside = 1 }
		inside && /return &fastEncoder{/ { print; n++ }
		/^}/ { inside = 0 }
		!inside'

	copy modernc.org/mathutil .
	edit "$new/mathutil/tables.go" 1 '
		/^func init\(\)/ { skip = 1; n++ }
		!skip
		/^}/ { skip = 0 }'

	copy github.com/spf13/cobra .
	edit "$new/cobra/completions.go" 3 '
		/^\t"strconv"$/ { n++; next }
		/^func \(c \*Command\) (InitDefaultCompletionCmd|initCompleteCmd)\(/ { print; n++; skip = 1 }
		/^}/ { skip = 0 }
		!skip'

	[ -d "$made" ] || mv "$new" "$made"
fi
case $1 in
blq-job) echo "$made/blq-job.mod" ;;
*) echo "$made/blq.mod" ;;
esac
