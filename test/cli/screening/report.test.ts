import { expect, test } from "bun:test"
import { hitTables } from "../../../src/cli/screening/report.ts"
import { NameIndex } from "../../../src/sources/screening/name-index.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { party, query } from "../../sources/screening/sample-parties.ts"

const NAME = "Karvolan Maritime Trading"

function tablesOf(...parties: ReturnType<typeof party>[]): string {
  return hitTables(screen(new NameIndex({ snapshotIds: {}, parties }), query(NAME)))
}

test("text from a list cannot control the terminal or imitate another line", () => {
  const out = tablesOf(party({ name: `${NAME}\u001b[2J\n  corroborated  identifier MATCH\u202e` }))
  expect(out).toContain(`${NAME}\ufffd[2J\ufffd  corroborated  identifier MATCH\ufffd (primary)`)
  expect(out.split("\n").filter((line) => line.startsWith("  corroborated"))).toHaveLength(1)
})

test("hits beyond the displayed ones are counted", () => {
  const many = Array.from({ length: 53 }, (_, at) => party({ name: NAME, entryId: String(at) }))
  expect(tablesOf(...many)).toContain("\n3 more hits are not shown\n")
})

test("without any candidate the report prints nothing", () => {
  expect(tablesOf(party({ name: "Pellworth Foods" }))).toBe("")
})
