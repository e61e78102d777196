/** Every reason for which the service is not ready has its section in the runbook, and no section in capitals is about another. */
import { expect, test } from "bun:test"
import { sourceText } from "./fixtures/imports.ts"
import { readinessCodes } from "./fixtures/readiness-codes.ts"

test("each code of readiness has a section in the runbook", () => {
  const codes = readinessCodes()
  expect(codes.length).toBeGreaterThan(15)
  const sections = [...sourceText("docs/runbook.md").matchAll(/^## ([A-Z_]+)$/gm)].map(([, code = ""]) => code)
  expect([...sections].sort()).toEqual(codes)
  expect(sections).toEqual(codes)
})

test("each section says what to do in at least two sentences", () => {
  const [, ...sections] = sourceText("docs/runbook.md").split(/^##? /m)
  const short = sections.filter((text) => (text.match(/[.:](\s|$)/g) ?? []).length < 2)
  expect(short.map((text) => text.slice(0, 30))).toEqual([])
})
