package code

var moreScans = []scanCase{
	{"c", "a.c", `
#include <stdio.h>
#include "sub/b.h" /* x */
#define MAX(a, b) \
  ((a) > (b))
#define GUARD
#if 0
int no(void) { }
#endif
struct point { int x; };
typedef struct node { struct node *next; } node_t, *node_p;
typedef int (*callback)(int, char *);
enum color { RED, GREEN };
static struct point *make(int a, char *b)
{
#ifdef A
  if (a) {
#else
  if (b) {
#endif
    return "}";
  }
}
extern int proto(int);
int table[] = { 1, 2 };
MODULE("x")
static inline void last(void) { }
`, `
3-4 macro MAX
9-9 struct point
10-10 struct node
10-10 type node_t
10-10 type node_p
11-11 type callback
12-12 enum color
13-22 function make
26-26 function last
1 import stdio.h
2 import sub/b.h [quoted]
`},
	{"c++", "a.cpp", `
#include "a.hpp"
namespace a::b {
template <typename T, int N = (1 > 0)>
class Box final : public Base<T>, private Other {
 public:
  explicit Box(int x) : a(x), b{1} { }
  ~Box() = default;
  virtual int size() const noexcept override { return 1'000; }
  bool operator==(const Box& o) const;
  static void s();
  int field{3};
  std::function<void(int)> f;
  enum class Kind : int { A };
  struct Inner { void deep(); };
};
template <class T> auto Box<T>::size() const -> int { return R"x(} )" )x"[0]; }
using Alias = Box<int>;
}  // namespace a::b
a::b::Box::~Box() { }
std::vector<int> free_fn(int a) { return {}; }
extern "C" { void c_api() { } }
`, `
2-18 module a::b
3-15 class a.b / Box
6-6 method a.b.Box / Box
7-7 method a.b.Box / ~Box
8-8 method a.b.Box / size
9-9 method a.b.Box / operator==
10-10 method a.b.Box / s
13-13 enum a.b.Box / Kind
14-14 struct a.b.Box / Inner
14-14 method a.b.Box.Inner / deep
16-16 method Box / size
17-17 type a.b / Alias
19-19 method a.b.Box / ~Box
20-20 function free_fn
21-21 function c_api
1 import a.hpp [quoted]
`},
	{"c#", "A.cs", `
using System;
using static System.Math;
using Alias = Acme.Lib.Thing<int>;
global using Acme.Core;
namespace Acme.App
{
#if DEBUG
  [Attr("}")]
  public sealed class A<T> : B, IC where T : new()
  {
    public int X { get; set; } = 1;
    public A(int x) : base(x) { var s = $"{x:D} {{ {(x > 1 ? "}" : "{")}"; }
    public override string ToString() => @"c:\""{";
    public async Task<List<T>> Get<R>((int, string) t) { using (x) { } }
    public static A<T> operator +(A<T> a, A<T> b) { return a; }
    event Action E; delegate void D(int x);
    enum Color { Red }
  }
#endif
  record struct P(int X);
  interface I { void M(); }
}
`, `
5-22 module Acme.App
9-18 class Acme.App / A
12-12 method Acme.App.A / A
13-13 method Acme.App.A / ToString
14-14 method Acme.App.A / Get
15-15 method Acme.App.A / operator +
16-16 type Acme.App.A / D
17-17 enum Acme.App.A / Color
20-20 class Acme.App / P
21-21 interface Acme.App / I
21-21 method Acme.App.I / M
1 import System
2 import System.Math
3 import Acme.Lib.Thing
4 import Acme.Core
`},
	{"ruby", "a.rb", `
require 'json'
require_relative "lib/x"
autoload :Y, "y"
module A
  class B::C < D
    TEXT = <<~EOS
      class No
      end
    EOS
    def self.build(x) = new(x)
    def [](i); @a[i]; end
    def name=(v)
      x =~ /def "/ ? 1 : 2
      %w[end class]
    end
    class << self
      private def hidden
        if x then y end
      end
    end
    "#{"end"}"
  end
end
=begin
class No2; end
=end
def top?; end
__END__
class No3
`, `
4-23 module A
5-22 class A / B::C
10-10 method A.B.C / build
11-11 method A.B.C / []
12-15 method A.B.C / name=
17-19 method A.B.C / hidden
27-27 function top?
1 import json
2 import lib/x [relative]
3 import y
`},
	{"php", "a.php", `
<html>class No {}</html>
<?php
namespace App\Http;
use App\Models\{User, Post as P};
use function strlen;
require_once __DIR__ . '/boot.php';
#[Attr]
final class A extends B implements C {
    use SomeTrait { x as y; }
    public const ONE = 1;
    public function __construct(private int $x) { $f = function () use ($x) { return "{$x["k"]}}"; }; }
    abstract protected static function st(): ?array;
    // function no() {}
}
interface I { public function m(); }
if (!function_exists('helper')) { function helper() { $t = <<<EOT
  } class No {
  EOT; } }
$c = new class { public function no() {} };
enum Suit: string { case H = 'h'; public function label(): string { return A::class; } }
`, `
8-14 class A
10-10 const A / ONE
11-11 method A / __construct
12-12 method A / st
15-15 interface I
15-15 method I / m
16-18 function helper
20-20 enum Suit
20-20 method Suit / label
4 import App\Models\User
4 import App\Models\Post
5 import strlen [function]
6 import ./boot.php [file]
`},
	{"swift", "a.swift", `
import Foundation
@testable import struct App.Model
@available(iOS 13, *)
public final class A<T>: B, C where T: D {
  var x: Int { get { 1 } set { } }
  let s = "\(y.map { "}" }) {"
  init?(x: Int) { }
  deinit { }
  class func make() -> A { A() }
  subscript(i: Int) -> Int { 1 }
}
protocol P { associatedtype X; func m() throws -> Int
  var v: Int { get } }
extension A.Inner: P { func m() async throws -> Int { #"}"#; return 1 } }
enum E { case a(Int), b; static func == (l: E, r: E) -> Bool { true } }
func free<T>(_ x: T)
  -> [T] where T: P { }
typealias F = (Int) -> Void
`, `
4-11 class A
7-7 method A / init
8-8 method A / deinit
9-9 method A / make
10-10 method A / subscript
12-13 interface P
12-12 method P / m
14-14 extension A.Inner
14-14 method A.Inner / m
15-15 enum E
15-15 method E / ==
16-17 function free
18-18 type F
1 import Foundation
2 import App.Model
`},
	{"scala", "a.scala", `
package com.acme
package app
import a.b.{C, D => E, _}, x.y
@deprecated
sealed abstract class A[T](x: Int)
  extends B
  with C {
  def f(x: Int) = {
    def inner = 1
    s"${if (x > 1) "}" else "{"}"
  }
  val v = new R { def no = 1 }
  def +(o: A): A = o
  type X = Int
  object O { def g = 1 }
}
case class P(a: Int)
trait T:
  def h: Int
  def i =
    val x = 1
    x
object P extends App
enum Color { case Red }
`, `
5-16 class A
8-11 method A / f
13-13 method A / +
14-14 type A / X
15-15 object A / O
15-15 method A.O / g
17-17 class P
18-22 trait T
19-19 method T / h
20-22 method T / i
23-23 object P
24-24 enum Color
3 import a.b.C
3 import a.b.D
3 import a.b._
3 import x.y
`},
}
