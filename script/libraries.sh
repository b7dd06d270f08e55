#!/bin/sh
# Prints a go.mod that takes two libraries without what blq cannot use. The libraries have no options for this, and
# functions that fill tables or choose among types keep all of it in a program. So this script copies the libraries to
# bin and changes the copies. Tests run with the libraries as they are.
#
# SQLite is taken without full-text search, R-trees, tables about pages, RBU, databases in memory that are not
# temporary, ANALYZE, extensions, checks of integrity, and the functions of ALTER TABLE (ADD COLUMN needs none).
# Without them programs are 0.8 MB smaller, and opening a database prepares no full-text search.
#
# The library for zstd is taken with its fastest level of compression alone, which is used for every level, and without
# Snappy. Programs are 80 KB smaller, and start 0.2 ms faster.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go} sqlite=modernc.org/sqlite compress=github.com/klauspost/compress
$go mod download $sqlite $compress
id=$(cat script/libraries.sh go.mod go.sum | cksum | cut -d ' ' -f 1)
made=bin/libraries-$id

# stop ends the script, because a new version of a library may have other parts.
stop() {
	echo "script/libraries.sh: $1 has changed; see what is removed" >&2
	exit 1
}

if [ ! -d "$made" ]; then
	new=$made.$$
	mkdir -p "$new/sqlite/lib" "$new/compress"
	trap 'rm -rf "$new"' EXIT
	library=$($go list -m -f '{{.Dir}}' $sqlite)
	cp -r "$library/go.mod" "$library"/*.go "$new/sqlite"
	for dir in lib vtab pcache; do cp -r "$library/$dir" "$new/sqlite"; done
	library=$($go list -m -f '{{.Dir}}' $compress)
	cp -r "$library/go.mod" "$library"/*.go "$new/compress"
	for dir in fse huff0 zstd internal; do cp -r "$library/$dir" "$new/compress"; done
	chmod -R u+w "$new"
	rm "$new"/sqlite/*_test.go "$new/compress/zstd/snappy.go"
	# One file is for all systems of releases. Each table is filled by a function of its own.
	files=$(grep -l '&_sqlite3BuiltinExtensions)' "$new"/sqlite/lib/*.go)
	for file in $files; do
		awk '
			/^func init\(\)/ {
				first = $0
				getline
				if (/&_(sFts5Api|fts5Mod|fts5Vocab|rtreeModule|geopolyModule|aAgg|aFunc|aAlterTableFuncs|sqlite3Apis|memdb_vfs)\)/ ||
					/&_(dbstat_module|dbpage_module|rbuvfs_io_methods1?|memdb_io_methods|stat(Push|Init|Get)Funcdef)\)/) { skip = 1; removed++; next }
				print first
			}
			skip { skip = !/^}/; next }
			{
				removed += gsub(/\(_sqlite3(Fts5Init|RtreeInit|DbpageRegister|DbstatRegister)\)/, "(_sqlite3TestExtInit)")
				print
			}
			END { exit removed != 22 }' "$file" >"$new/changed" || stop SQLite
		mv "$new/changed" "$file"
	done
	# These functions return an error, if anything, and do nothing. Each of the three is in a file for each system.
	for name in sqlite3LoadExtension sqlite3BtreeIntegrityCheck analyzeOneTable; do
		files=$(grep -l "^func _$name(" "$new"/sqlite/lib/*.go) || stop SQLite
		for file in $files; do
			awk -v head="^func _$name[(]" '
				skip { skip = !/^}/; next }
				{ print }
				$0 ~ head { print (/[(]r int32[)] [{]$/ ? "\treturn 1\n}" : "}"); skip = 1 }' "$file" >"$new/changed"
			mv "$new/changed" "$file"
		done
	done
	# The function encoder returns a compressor for a level. Now it returns the one of the fastest level.
	file=$new/compress/zstd/encoder_options.go
	awk '
		/^func \(o encoderOptions\) encoder\(\)/ { inside = 1; print; next }
		inside && /^\t\treturn &fastEncoder{/ { kept++ }
		inside && /^}/ { inside = 0 }
		!inside || /^\t\treturn &fastEncoder{/ { print }
		END { exit kept != 1 }' "$file" >"$new/changed" || stop zstd
	mv "$new/changed" "$file"
	cp go.mod "$new/blq.mod"
	cp go.sum "$new/blq.sum"
	$go mod edit -replace "$sqlite=./$made/sqlite" -replace "$compress=./$made/compress" "$new/blq.mod"
	[ -d "$made" ] || mv "$new" "$made"
fi
echo "$made/blq.mod"
