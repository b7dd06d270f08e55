package code

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shown returns a scan as text. The text has a line for each symbol, import and note.
func shown(s Scan) string {
	var b strings.Builder
	for _, y := range s.Symbols {
		name := y.Name
		if y.Parent != "" {
			name = y.Parent + " / " + name
		}
		fmt.Fprintf(&b, "%d-%d %s %s\n", y.Line, y.End, y.Kind, name)
	}
	for _, i := range s.Imports {
		fmt.Fprintf(&b, "%d import %s", i.Line, i.Path)
		if len(i.Names) > 0 {
			fmt.Fprintf(&b, " %v", i.Names)
		}
		b.WriteString("\n")
	}
	for _, n := range s.Notes {
		fmt.Fprintf(&b, "%d %s=%s\n", n.Line, n.Key, n.Node)
	}
	return b.String()
}

func TestScan(t *testing.T) {
	for _, c := range scans {
		t.Run(c.name, func(t *testing.T) {
			s, ok := ScanFile(c.file, []byte(strings.TrimPrefix(c.src, "\n")))
			if !ok {
				t.Fatalf("%s is not read", c.file)
			}
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), shown(s)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// scanCase is a source with the expected lines of its scan.
type scanCase struct{ name, file, src, want string }

var scans = append(moreScans, []scanCase{
	{"go", "a.go", `
package a // beadloom:domain=core

import (
	"fmt"
	x "example.com/x" // a comment
)

const (
	one = iota + len("}")
	two, three
)

var v = func() int { return 1 }()

type (
	Box[T any] struct{ f func() }
	Alias = Box[int]
	List [3]int
)

type Doer interface{ Do() }

func (b *Box[T]) Get(v interface{ X() }) (r struct{ a int }) {
	type local struct{}
	return
}

func plain() {}
`, `
9-9 const one
10-10 const two
10-10 const three
13-13 var v
16-16 struct Box
17-17 type Alias
18-18 type List
21-21 interface Doer
23-26 method Box / Get
28-28 function plain
4 import fmt
5 import example.com/x
1 domain=core
`},
	{"python", "a.py", `
"""import no
def no(): pass
"""
# beadloom:feature=login
from __future__ import annotations
import os.path as p, sys
from . import (a,
    b as c)
from ..pkg.mod import *
try:
    import json
except ImportError: import simplejson as json

class A(B,
        metaclass=M):
    @property
    def x(self):
        def inner(): pass
        import late
        return """
class No: pass
"""
    class Inner: pass
    async def y(self): return f"{'def'}"

def z(a=lambda: 0): \
    pass
if True:
    def w(): pass
`, `
14-24 class A
17-22 method A / x
23-23 class A / Inner
24-24 method A / y
26-27 function z
29-29 function w
5 import __future__ [annotations]
6 import os.path
6 import sys
7 import . [a b]
9 import ..pkg.mod [*]
11 import json
12 import simplejson
19 import late
4 feature=login
`},
	{"typescript", "a.tsx", `
import React, { useState } from 'react'
import type { X } from "./x"
export * from './y'; export type * as T from './t'
export { z } from '../z'
import fs = require("fs")
/** class No {} */
@Injectable({ a: '}' })
export class A<T extends {}> extends Base<T> implements I {
  private x: Map<string, { a: number }> = new Map()
  #y = () => { return 1 }
  constructor(private readonly a: string) { super() }
  get value(): string { return ` + "`${this.a ? `}` : '{'}`" + ` }
  static async *gen<T>(a: T): AsyncGenerator<T> {}
  abstract z(): void
  handler = async () => {
    await import('./lazy')
  }
}
export interface I { m(): void }
type U = | { a: 1 }
  | { b: 2 }
export const enum E { A, B }
declare module 'mod' { export function inMod(): void }
export const f = async <T,>(a: T): Promise<void> => { }, re = /[/'"]\/}/g
const el = <div a={() => { return <b>it's {1 < 2} // no</b> }}>don't {'}'}</div>
let a1, { b1, c1 } = o, d1 = 5 / 2 / 1
export default function () { return require('./inner') }
function over(a: string): void
function over(a: any) { }
namespace N.M { export class InN {} }
`, `
8-18 class A
11-11 method A / constructor
12-12 method A / value
13-13 method A / gen
14-14 method A / z
19-19 interface I
20-21 type U
22-22 enum E
23-23 module mod
23-23 function mod / inMod
24-24 function f
24-24 const re
25-25 const el
26-26 var a1
26-26 var d1
27-27 function default
28-28 function over
29-29 function over
30-30 module N.M
30-30 class N.M / InN
1 import react
2 import ./x
3 import ./y
3 import ./t
4 import ../z
5 import fs
16 import ./lazy
27 import ./inner
`},
	{"java", "A.java", `
package com.acme.app;
import java.util.*;
import static com.acme.Util.help;
@Path("/x")
public class A<T> extends B<T> {
  private final Map<String, List<T>> m = new HashMap<>() {{ put("}", null); }};
  static { init(); }
  public A(int x) throws E { }
  @Override public <R> List<R> get(Function<T, R> f) { Runnable r = () -> { }; return null; }
  enum Color { RED { void x() {} }, GREEN; int code() { return 1; } }
  interface In { default void d() { } int[] arr(); }
  record P(int a, String b) { P { } }
  @interface Ann { String value() default "x"; }
  String text = """
     class No { }
     """;
}
`, `
5-17 class A
8-8 method A / A
9-9 method A / get
10-10 enum A / Color
10-10 method A.Color / code
11-11 interface A / In
11-11 method A.In / d
11-11 method A.In / arr
12-12 class A / P
12-12 method A.P / P
13-13 interface A / Ann
13-13 method A.Ann / value
2 import java.util.*
3 import com.acme.Util.help [static]
`},
	{"kotlin", "a.kt", `
@file:JvmName("A")
package com.acme
import a.b.C as D
import x.y.*
data class P(val a: Int = run { 1 }, val b: String) : Base(), I by lazy
sealed interface S {
  object One : S
  fun two(): List<Int>
  val t: Int get() = 3
}
enum class E(val x: Int) { A(1) { override fun f() = 1 }, B(2); fun g() {} ; companion object { fun h() = 1 } }
fun <T> List<T>.ext(f: (T) -> Unit): Map<String, T> where T : Any {
  val x = object : Runnable { override fun run() {} }
}
fun expr(a: Int) =
  "${if (a > 1) "}" else "{"}"
typealias F = (Int) -> Unit
internal val top = A::class
`, `
5-5 class P
6-10 interface S
7-7 object S / One
8-8 method S / two
11-11 enum E
11-11 method E / g
11-11 object E / Companion
11-11 method E.Companion / h
12-14 function ext
15-16 function expr
17-17 type F
3 import a.b.C
4 import x.y.*
`},
	{"rust", "a.rs", `
use std::{fmt, io::{self, Read as R}};
pub use crate::a::*;
#[derive(Debug)]
pub struct S<'a> { x: &'a str, c: char }
const C: char = '\''; static mut V: [u8; 2] = [1, 2];
impl<'a, T: Into<String>> Tr for S<'a> where T: Copy {
    const N: usize = 1;
    pub(crate) async unsafe fn m(&self) -> Vec<u8> { let s = r#"fn no() {"#; b'{'; }
}
trait Tr { type Out; fn m(&self); }
mod child;
mod tests { use super::*; fn t() { use inner::X; } }
macro_rules! mac { ($x:expr) => { fn no() {} }; }
extern "C" { fn c_fn(a: i32); }
extern crate alloc;
pub enum E { A { x: i32 }, B(u8) }
/* /* nested */ fn no() {} */
`, `
4-4 struct S
5-5 const C
5-5 var V
7-7 const S / N
8-8 method S / m
10-10 trait Tr
10-10 type Tr / Out
10-10 method Tr / m
11-11 module child
12-12 module tests
12-12 function tests / t
13-13 macro mac
14-14 function c_fn
16-16 enum E
1 import std::fmt
1 import std::io
1 import std::io::Read
2 import crate::a::*
12 import super::* [1]
12 import inner::X [1]
15 import alloc
`},
	{"paths of rust", "a.rs", `
impl crate::m::Tr for crate::m::T<crate::g::A> { fn f(x: &crate::b::B) -> super::c::C {
    crate::d::run::<crate::e::E>(|| crate::d::run(1)); other::g(); self::h(); crate::mod_::i![1];
    let v = [crate::b::B { x: 1 }]; if v.is_empty() { return super::super::j() } } }
pub(crate) static X: crate::k::K = crate::k::K::new();
pub(in crate::no) fn g() {}
mod tests { fn t() { super::g(); crate::l::l(); super::super::n::n() } }
macro_rules! mac { () => { $crate::no::f() }; }
type Y = crate::{no};
fn z() {} // crate::no::f()
`, `
1-3 method T / f
4-4 var X
5-5 function g
6-6 module tests
6-6 function tests / t
7-7 macro mac
8-8 type Y
9-9 function z
1 import crate::m::Tr
1 import crate::m::T
1 import crate::g::A
1 import crate::b::B
1 import super::c::C
2 import crate::d::run
2 import crate::e::E
2 import crate::mod_::i
3 import super::super::j
4 import crate::k::K
4 import crate::k::K::new
6 import crate::l::l [1]
6 import super::super::n::n [1]
`},
}...)
