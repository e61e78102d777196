/** Every reason for which the service is not ready has its section in the runbook, and no section is about another. */
import { expect, test } from "bun:test"
import { codeOf, sourceFiles, sourceText } from "./fixtures/imports.ts"

/** The parts of the code that a store adds: `StoreUnavailable`. */
const DATABASE_STATES = ["BUSY", "FULL", "IO"]

function codesOfReadiness(): readonly string[] {
  const files = sourceFiles("src").filter((path) => {
    const code = codeOf(path)
    return path === "src/readiness.ts" || /import[^"]*\bReason\b[^"]*from "[./]*\/readiness\.ts"/.test(code)
  })
  const written = files.flatMap((path) =>
    [...codeOf(path).matchAll(/\bcode: (["`])([A-Z_]+)/g)].map((match) => match[2] ?? ""),
  )
  return written.flatMap((code) =>
    code === "DATABASE_" ? DATABASE_STATES.map((state) => `DATABASE_${state}`) : [code.replace(/_$/, "")],
  )
}

test("each code of readiness has a section in the runbook", () => {
  const codes = [...new Set(codesOfReadiness())].sort()
  expect(codes.length).toBeGreaterThan(15)
  const sections = [...sourceText("docs/runbook.md").matchAll(/^## ([A-Z_]+)$/gm)].map(([, code = ""]) => code)
  expect([...sections].sort()).toEqual(codes)
  expect(sections).toEqual(codes)
})

test("each section says what to do in at least two sentences", () => {
  const [, ...sections] = sourceText("docs/runbook.md").split(/^## /m)
  const short = sections.filter((text) => (text.match(/[.:](\s|$)/g) ?? []).length < 2)
  expect(short.map((text) => text.slice(0, 30))).toEqual([])
})
