#!/bin/sh
# Prints a go.mod that takes SQLite without what no statement of blq can use: full-text search, R-trees, tables about
# pages, RBU, databases in memory that are not temporary, ANALYZE, and the functions of ALTER TABLE (ADD COLUMN needs none). Without them programs are 0.8 MB smaller, and
# opening a database prepares no full-text search. The library has no option for this. It is generated from C, and
# functions that fill tables keep all of that in a program. So this script copies the library to bin and removes these
# functions. Tests run with the library as it is.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go} module=modernc.org/sqlite
$go mod download $module
library=$($go list -m -f '{{.Dir}}' $module)
id=$(cat script/sqlite.sh go.mod go.sum | cksum | cut -d ' ' -f 1)
made=bin/sqlite-$id
if [ ! -d "$made" ]; then
	new=$made.$$
	mkdir -p "$new/lib"
	trap 'rm -rf "$new"' EXIT
	cp -r "$library/go.mod" "$library"/*.go "$new"
	for dir in lib vtab pcache; do cp -r "$library/$dir" "$new"; done
	chmod -R u+w "$new"
	rm "$new"/*_test.go
	# One file is for all systems of releases. Each table is filled by a function of its own.
	files=$(grep -l '&_sqlite3BuiltinExtensions)' "$new"/lib/*.go)
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
			END {
				if (removed != 22) { print "script/sqlite.sh: SQLite has changed; see what is removed" >"/dev/stderr"; exit 1 }
			}' "$file" >"$new/changed"
		mv "$new/changed" "$file"
	done
	cp go.mod "$new/blq.mod"
	cp go.sum "$new/blq.sum"
	$go mod edit -replace "$module=./$made" "$new/blq.mod"
	[ -d "$made" ] || mv "$new" "$made"
fi
echo "$made/blq.mod"
