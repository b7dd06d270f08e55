import assert from "node:assert/strict";
import test from "node:test";

import { slug } from "./slug.js";

test("joins words", () => assert.equal(slug("Hello, World!"), "hello-world"));

test("trims the ends", () => assert.equal(slug("  (draft) "), "draft"));
