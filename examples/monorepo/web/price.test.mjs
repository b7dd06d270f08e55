import assert from "node:assert/strict";
import test from "node:test";

import { cents } from "./price.mjs";

test("reads an amount", () => assert.equal(cents("19.05"), 1905));
