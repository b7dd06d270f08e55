#!/bin/sh
# Measures how well facts/code reads source files. It fetches real projects, and compares the results of facts/code with
# those of the languages' own parsers. evalcode.sh DIR keeps the projects in DIR. It needs Go, Node.js, Python, Ruby, and
# apt-get with its lists. It installs nothing. docs/code.md has the results.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && cd "$1" && dir=$PWD
(cd "$here/.." && go build -o "$dir/evalcode" ./script/evalcode)

# package NAME fetches a package of npm into npm/NAME, or into the given directory.
package() {
	to=${2:-npm/$(echo "$1" | tr '/@' '__')}
	[ ! -d "$to" ] || return 0
	mkdir -p "$to"
	tar xzf "$(npm pack --silent "$1" | tail -1)" -C "$to" --strip-components 1
	rm -f ./*.tgz
}
package typescript@5.9.2 node_modules/typescript
package tree-sitter-wasms@0.1.13 node_modules/tree-sitter-wasms
package web-tree-sitter@0.20.8 node_modules/web-tree-sitter
for p in rxjs zod effect @tanstack/query-core @tanstack/react-query @tanstack/router-core @blueprintjs/core \
	@reduxjs/toolkit mobx three lodash express @mui/material react-native expo-modules-core expo-camera expo-image \
	expo-file-system @capacitor/ios react-native-vision-camera react-native-screens react-native-reanimated; do
	package $p
done
mkdir -p deb && cd deb
for p in librust-serde-dev librust-syn-dev librust-regex-dev librust-tokio-dev librust-clap-dev php-symfony-console \
	php-symfony-http-kernel php-twig phpunit php-monolog ruby-activerecord ruby-activesupport ruby-actionpack; do
	[ -d $p ] || { apt-get download -qq $p && dpkg-deb -x ${p}_*.deb $p && rm ${p}_*.deb; }
done
for p in curl redis keepass2 scala; do # the lists of apt need deb-src
	[ -d $p ] || { mkdir $p && (cd $p && apt-get source -qq --download-only $p && tar xf ./*.orig.tar.*); } || true
done
cd ..
export NODE_PATH="$dir/node_modules"

# files NAME lists at most 2,500 files.
files() { find npm deb -name "$1" ! -name '*.d.ts' ! -name '*.min.js' ! -path '*react-native*/*.js' | sort | head -2500; }

echo go
find "$(go env GOMODCACHE)/github.com" -name '*.go' ! -path '*/testdata/*' | sort | head -2500 | ./evalcode
echo python
find "$(python3 -c 'import os; print(os.path.dirname(os.__file__))')" -name '*.py' | sort | head -2500 |
	python3 -W ignore "$here/evalcode/python.py" >facts && ./evalcode facts
for ending in ts tsx js; do
	echo $ending
	files "*.$ending" | node "$here/evalcode/typescript.cjs" >facts && ./evalcode facts
done
echo ruby
files '*.rb' | ruby -W0 "$here/evalcode/ruby.rb" >facts && ./evalcode facts
for pair in java:java kotlin:kt swift:swift rust:rs php:php csharp:cs c:c cpp:cpp scala:scala; do
	echo "${pair%:*}"
	files "*.${pair#*:}" | node "$here/evalcode/treesitter.cjs" "${pair%:*}" >facts && ./evalcode -lenient facts
done
