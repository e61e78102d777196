import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { closed } from "../../../schemas/common.ts"
import { text, textMap } from "../../../schemas/text.ts"
import { type BodyInputs, bodyInputs, providersOf } from "../../../src/agent-mode/planning/body-inputs.ts"

const inner = closed({ name: text(1, 9), identifiers: textMap(4, 9), note: Type.Optional(text(1, 9)) })
const body = closed({
  version: Type.Literal("1"),
  company: inner,
  list: Type.Array(closed({ a: text(1, 9) })),
  perhaps: Type.Union([text(1, 9), Type.Null()]),
  "a/b": text(1, 9),
})
const inputs: BodyInputs = bodyInputs({ body, path: "/x" })

test("the leaves are what only the caller knows; a constant asks for nothing", () => {
  expect(inputs.leaves).toEqual(["/company/name", "/company/identifiers", "/list", "/perhaps", "/a~1b"])
})

test("a pointer is admitted if a body can have it", () => {
  const good = ["", "/version", "/company/note", "/company/identifiers/lei", "/list/0/a", "/a~1b"]
  const bad = ["/none", "/company/none", "/list/x", "/list/0/b", "/perhaps/a", "/__proto__", "/list/01"]
  expect(good.filter((pointer) => !inputs.admits(pointer))).toEqual([])
  expect(bad.filter((pointer) => inputs.admits(pointer))).toEqual([])
})

test("a leaf is provided by itself, by what contains it, and identifiers by a known one", () => {
  expect(providersOf("/company/name").sort()).toEqual(["", "/company", "/company/name"])
  const known = ["lei", "uei", "cage", "cik"].map((name) => `/company/identifiers/${name}`)
  expect(providersOf("/company/identifiers").sort()).toEqual(["", "/company", "/company/identifiers", ...known].sort())
})

test("a union of objects is the variant that the row names; a GET has its path parameters", () => {
  const union = Type.Union([
    closed({ purpose: Type.Literal("A"), one: text(1, 9) }),
    closed({ purpose: Type.Literal("B"), two: text(1, 9) }),
  ])
  expect(bodyInputs({ body: union, path: "/x" }, { purpose: "B" }).leaves).toEqual(["/two"])
  const read = bodyInputs({ body: undefined, path: "/x/{agentId}" })
  expect([read.leaves, read.admits("/agentId"), read.admits("/other")]).toEqual([["/agentId"], true, false])
})
