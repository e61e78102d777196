/**
 * The changes of `docs/contribute.md`, made in a copy of the tree exactly as the page writes them. The tests that the page names pass after
 * all steps and fail without the last one, and after a new reason, list source or product the whole check passes. BIZAUTH_LONG=1 runs them;
 * without it only the edits are made, and the types of all of them together are checked.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { freshDirectory } from "../fixtures/directories.ts"
import { BRIEF, LONG, REQUESTED } from "../fixtures/long.ts"
import {
  changesOfPage,
  copyTree,
  edited,
  IS_CHANGED_COPY,
  perform,
  run,
  runCheck,
  type Step,
} from "../fixtures/page-changes.ts"

setDefaultTimeout(300_000)

const CHANGES = changesOfPage()
/** A copy with one of these changes passes the whole check. */
const CHECKED = ["a reason", "a list source", "a product"]
const CHECK_MS_MAX = 3_600_000

test("the page describes a price, a reason, a list source and a product", () => {
  expect(CHANGES.map(({ title }) => title)).toEqual(["a price", "a reason", "a list source", "a product"])
})

test("an edit must fit the file: its lines occur once", () => {
  const step = { target: "file", block: " a\n-b\n+c\n" }
  expect(edited("a\nb\nd\n", step)).toBe("a\nc\nd\n")
  expect(() => edited("a\nd\n", step)).toThrow("does not have")
  expect(() => edited("a\nb\na\nb\n", step)).toThrow("more than once")
})

/** A changed copy of the tree has one of these changes, so that the others need not fit it. */
const UNCHANGED = IS_CHANGED_COPY ? [] : CHANGES

describe.each(UNCHANGED.map((change) => [change.title, change] as const))("%s", (title, { steps, check }) => {
  const folder = freshDirectory()
  beforeAll(() => copyTree(folder.path))
  afterAll(() => folder[Symbol.dispose]())

  const make = (some: readonly Step[]) => {
    for (const step of some) if (LONG || step.kind !== "sh") expect(perform(folder.path, step)).toBeNull()
  }

  test("each step but the last fits the tree of today", () => {
    make(steps.slice(0, -1))
  })

  test.skipIf(!LONG)("without the last step the tests fail (BIZAUTH_LONG=1)", () => {
    expect(run(folder.path, `${check} --bail`)).toContain("(fail)")
  })

  test("the last step fits too", () => {
    expect(steps.at(-1)?.kind).not.toBe("sh")
    make(steps.slice(-1))
  })

  test.skipIf(!LONG)("with all steps the tests pass (BIZAUTH_LONG=1)", () => {
    expect(run(folder.path, check)).toBeNull()
  })

  test.skipIf(!REQUESTED || !CHECKED.includes(title))(
    "with all steps the whole check passes (BIZAUTH_LONG=1)",
    () => {
      expect(runCheck(folder.path)).toBeNull()
    },
    CHECK_MS_MAX,
  )
})

test.skipIf(BRIEF || IS_CHANGED_COPY)("all changes together satisfy the type checker (BIZAUTH_LONG=0)", () => {
  using folder = freshDirectory()
  copyTree(folder.path)
  const steps = CHANGES.flatMap((change) => change.steps).filter(({ target }) => target.endsWith(".ts"))
  for (const step of steps) perform(folder.path, step)
  expect(run(folder.path, "bun node_modules/.bin/tsc --noEmit")).toBeNull()
})
