package code

import (
	"strings"
	"testing"

	godiff "github.com/google/go-cmp/cmp"
)

// targets returns the targets of a file's imports: path -> targets.
func targets(f *File) string {
	var b strings.Builder
	for _, i := range f.Imports {
		b.WriteString(i.Path)
		for _, t := range i.Targets {
			b.WriteString(" > " + t)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestImportsLeadToFiles(t *testing.T) {
	for _, c := range resolved {
		t.Run(c.name, func(t *testing.T) {
			texts := map[string]string{}
			for part := range strings.SplitSeq(strings.TrimPrefix(c.files, "\n"), "-- ") {
				if path, text, ok := strings.Cut(part, "\n"); ok {
					texts[path] = text
				}
			}
			x := build(t, newFiles(texts), nil)
			if diff := godiff.Diff(strings.TrimPrefix(c.want, "\n"), targets(x.File(c.of))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

var resolved = []struct{ name, of, files, want string }{
	{"go", "app/main.go", `
-- go.mod
module example.com/root
replace example.com/other => ./third
-- app/main.go
package main
import (
	"fmt"
	"example.com/root/lib/x"
	"example.com/root/none"
	"example.com/nested/y"
	other "example.com/other"
)
-- lib/x/x.go
package x
-- nested/go.mod
module example.com/nested
-- nested/y/y.go
package y
-- third/t.go
package other
`, `
fmt
example.com/root/lib/x > lib/x/
example.com/root/none
example.com/nested/y > nested/y/
example.com/other > third/
`},
	{"python", "src/pkg/sub/a.py", `
-- pyproject.toml
-- src/pkg/__init__.py
-- src/pkg/sub/__init__.py
-- src/pkg/sub/a.py
import json
import pkg.util
from pkg import util, sub, NAME
from . import b
from .b import f
from .. import util as u
from ...x import y
from tools.run import main
-- src/pkg/sub/b.py
-- src/pkg/sub/json.py
-- src/pkg/util.py
-- tools/run.py
`, `
json
pkg.util > src/pkg/util.py
pkg > src/pkg/util.py > src/pkg/sub/__init__.py > src/pkg/__init__.py
. > src/pkg/sub/b.py
.b > src/pkg/sub/b.py
.. > src/pkg/util.py
...x
tools.run > tools/run.py
`},
	{"typescript", "web/src/a.ts", `
-- web/tsconfig.json
{ // comment
  "extends": "./base.json", "compilerOptions": {
  "baseUrl": ".", "paths": { "@/*": ["src/*"], "@lib": ["../lib/index"], }, },
}
-- web/package.json
{"name": "web", "imports": {"#in/*": {"default": "./src/*.ts"}}}
-- lib/package.json
{"name": "@acme/lib", "main": "dist/index.js"}
-- lib/index.ts
-- lib/src/deep.tsx
-- web/src/a.ts
import './b'
import './b.js'
import './dir'
import '@/b'
import '@lib'
import '@acme/lib'
import '@acme/lib/deep'
import 'src/b'
import '#in/b'
import 'react'
import '../../../out'
-- web/src/b.ts
-- web/src/dir/index.tsx
`, `
./b > web/src/b.ts
./b.js > web/src/b.ts
./dir > web/src/dir/index.tsx
@/b > web/src/b.ts
@lib > lib/index.ts
@acme/lib > lib/index.ts
@acme/lib/deep > lib/src/deep.tsx
src/b > web/src/b.ts
#in/b > web/src/b.ts
react
../../../out
`},
	{"rust", "a/src/m/mod.rs", `
-- a/Cargo.toml
[package]
name = "crate-a"
-- b/Cargo.toml
[package]
name = "crate-b"
-- a/src/lib.rs
-- a/src/x.rs
-- a/src/m/mod.rs
use crate::x::Thing;
use super::x;
use self::child::deep::Y;
use crate_b::z::W;
use std::fmt;
use child::Z;
mod tests { use super::*; use super::super::x::Q; }
fn f() { crate::x::f(); super::x::g() }
fn g(a: crate_b::z::A) -> Vec<crate_b::B> { child::deep(a); std::mem::swap(); fmt::x(); u8::no(); other::no(); x::no() }
impl crate_b::z::Tr for S { fn t() { let _ = <S as crate_b::z::Tr>::child::no(); crate_b::z::A::new(); } }
mod more { fn t() { crate_b::z::q(); child::no() } }
-- a/src/m/child.rs
-- b/src/lib.rs
-- b/src/z/mod.rs
`, `
crate::x::Thing > a/src/x.rs
super::x > a/src/x.rs
self::child::deep::Y > a/src/m/child.rs
crate_b::z::W > b/src/z/mod.rs
std::fmt
child::Z > a/src/m/child.rs
super::*
super::super::x::Q > a/src/x.rs
crate::x::f > a/src/x.rs
super::x::g > a/src/x.rs
crate_b::z::A > b/src/z/mod.rs
crate_b::B > b/src/lib.rs
child::deep > a/src/m/child.rs
crate_b::z::Tr > b/src/z/mod.rs
crate_b::z::A::new > b/src/z/mod.rs
crate_b::z::q > b/src/z/mod.rs
`},
	{"java and kotlin", "app/src/main/java/com/acme/A.java", `
-- app/src/main/java/com/acme/A.java
package com.acme;
import com.acme.lib.Lib;
import com.acme.lib.Lib.Inner;
import static com.acme.lib.Lib.help;
import com.acme.lib.*;
import java.util.List;
import com.acme.kt.top;
-- lib/src/main/java/com/acme/lib/Lib.java
package com.acme.lib;
class Lib {}
-- lib/src/main/kotlin/com/acme/kt/K.kt
package com.acme.kt
fun top() {}
`, `
com.acme.lib.Lib > lib/src/main/java/com/acme/lib/Lib.java
com.acme.lib.Lib.Inner > lib/src/main/java/com/acme/lib/Lib.java
com.acme.lib.Lib.help > lib/src/main/java/com/acme/lib/Lib.java
com.acme.lib.* > lib/src/main/java/com/acme/lib/
java.util.List
com.acme.kt.top > lib/src/main/kotlin/com/acme/kt/K.kt
`},
	{"scala", "a.scala", `
-- a.scala
package com.acme.app
import com.acme.lib.{Lib, Other}
import lib.Lib
import scala.util.Try
-- lib.scala
package com.acme.lib
object Lib
`, `
com.acme.lib.Lib > lib.scala
com.acme.lib.Other
lib.Lib > lib.scala
scala.util.Try
`},
	{"c", "src/net/a.c", `
-- src/net/a.c
#include "b.h"
#include "util/c.h"
#include <acme/d.h>
#include <stdio.h>
#include <b.h>
-- src/net/b.h
-- src/util/c.h
-- include/acme/d.h
-- compat/stdio.h
`, `
b.h > src/net/b.h
util/c.h > src/util/c.h
acme/d.h > include/acme/d.h
stdio.h
b.h
`},
	{"c#", "App/A.cs", `
-- App/A.cs
using Acme.Lib;
using static Acme.Lib.Math;
using System;
-- Lib/B.cs
namespace Acme.Lib { class B {} }
-- Lib/Sub/M.cs
namespace Acme.Lib;
static class Math {}
`, `
Acme.Lib > Lib/ > Lib/Sub/
Acme.Lib.Math > Lib/Sub/M.cs
System
`},
	{"ruby", "app/a.rb", `
-- app/a.rb
require_relative "../lib/acme/x"
require "acme/x"
require "json"
-- lib/acme/x.rb
`, `
../lib/acme/x > lib/acme/x.rb
acme/x > lib/acme/x.rb
json
`},
	{"php", "src/Http/A.php", `
-- composer.json
{"autoload": {"psr-4": {"App\\": "src/", "App\\Models\\": ["models"]}}}
-- src/Http/A.php
<?php
namespace App\Http;
use App\Models\User;
use App\Util\Str;
use Other\Thing;
use function App\Util\help;
require __DIR__ . '/boot.php';
require_once(dirname(__FILE__) . '/boot.php');
require dirname(__DIR__) . '/boot.php';
include dirname( __DIR__, 2 ).'/boot.php';
include dirname(dirname(dirname(__FILE__))) . '/src/boot.php';
include dirname(__FILE__, 2) . '/boot.php';
-- models/User.php
<?php namespace App\Models; class User {}
-- src/Util/Str.php
<?php namespace App\Util; class Str {} function help() {}
-- src/Http/boot.php
-- src/boot.php
-- boot.php
`, `
App\Models\User > models/User.php
App\Util\Str > src/Util/Str.php
Other\Thing
App\Util\help > src/Util/Str.php
./boot.php > src/Http/boot.php
./boot.php > src/Http/boot.php
../boot.php > src/boot.php
../../boot.php > boot.php
../../src/boot.php > src/boot.php
../boot.php > src/boot.php
`},
	{"swift", "Sources/App/a.swift", `
-- Package.swift
let package = Package(name: "P", targets: [
  .target(name: "App"), .target(name: "Core"), .target(name: "Odd", path: "elsewhere/odd"),
])
-- Sources/App/a.swift
import Core
import Odd
import App
import Foundation
-- Sources/Core/c.swift
-- elsewhere/odd/o.swift
`, `
Core > Sources/Core/
Odd > elsewhere/odd/
App
Foundation
`},
}
