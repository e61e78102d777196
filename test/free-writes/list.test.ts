/** The list of free writes is the one of the code: a new write of a free call fails here until it has a row, and a cap or a reason. */
import { expect, test } from "bun:test"
import { BOUNDED_BY_JOB, FREE_WRITES, REMOVES_ONLY } from "../../scripts/docs/limits/free-writes.ts"
import { operationTable } from "../../src/discovery/operations.ts"
import { SHARED_CAP_NAMES } from "../../src/store/free-writes/shared-caps.ts"
import { codeOf, sourceFiles } from "../fixtures/imports.ts"
import { tableNames } from "../fixtures/table-names.ts"

/** Layers that answer free calls and other channels. `delivery` and `payments` write what is paid for, `sandbox` into memory. */
const LAYERS = ["src/http/", "src/products/", "src/agent-mode/", "src/contact/", "src/jobs/", "src/endpoints/"]
const PAGES = ["src/discovery/", "src/pages/", "src/agent/"]
/** `store.run(` and `store.runInPlace(`, also over lines and behind `deps`. */
const RUNS = /\bstore\s*\.\s*run(?:InPlace)?\s*\(/g

const writing = sourceFiles("src").filter((path) => (codeOf(path).match(RUNS) ?? []).length > 0)

test("every file of a free call that runs a writing unit has a row", () => {
  const known = new Set<string>([...FREE_WRITES.map(({ file }) => file), ...BOUNDED_BY_JOB, ...REMOVES_ONLY])
  const found = writing.filter((path) => [...LAYERS, ...PAGES].some((layer) => path.startsWith(layer)))
  expect(found.filter((path) => !known.has(path))).toEqual([])
  expect([...known].filter((path) => !found.includes(path)).toSorted()).toEqual([])
})

/** Writing units of files with more than one. A further one in any file fails here, and needs a row. */
const UNITS: Readonly<Record<string, number>> = {
  "src/products/agent-id/prove-challenge.ts": 2,
  "src/products/agent-id/register-artifact.ts": 2,
  "src/contact/mail/challenge.ts": 2,
  "src/contact/mail/receive.ts": 2,
  "src/contact/mail/rounds.ts": 5,
  "src/jobs/discover.ts": 4,
}

test("no file runs more writing units than its rows say", () => {
  const counted = new Set(FREE_WRITES.map(({ file }) => file))
  const units = [...counted].map((path) => [path, (codeOf(path).match(RUNS) ?? []).length] as const)
  expect(units.filter(([path, count]) => count !== (UNITS[path] ?? 1))).toEqual([])
})

test("each row counts for a cap, or says what bounds it, and its tables exist", () => {
  const tables = new Set(tableNames())
  expect(FREE_WRITES.filter(({ caps, free }) => caps.length === 0 && free === undefined)).toEqual([])
  expect(FREE_WRITES.flatMap((row) => row.tables).filter((name) => !tables.has(name))).toEqual([])
})

test("each cap is of a row, and the code asks the gate for it", () => {
  expect([...new Set(FREE_WRITES.flatMap(({ caps }) => caps))].toSorted()).toEqual([...SHARED_CAP_NAMES].toSorted())
  const asking = sourceFiles("src")
    .filter((path) => /\badmit\b|\bcap\b|askForProof/.test(codeOf(path)))
    .filter((path) => path !== "src/store/free-writes/shared-caps.ts")
    .map((path) => codeOf(path))
  const unasked = SHARED_CAP_NAMES.filter((name) => !asking.some((text) => text.includes(`"${name}"`)))
  expect(unasked).toEqual([])
})

/** Free operations that write nothing. */
const WRITES_NOTHING = [
  "agent_bootstrap",
  "run_synthetic_journey",
  "agent_a2a",
  "agent_mcp",
  /_(contact|eligibility)$/,
  "check_payment_decision_eligibility",
] as const

test("every free operation that takes a body is in the list, or is known to write nothing", () => {
  const listed = new Set(FREE_WRITES.flatMap(({ by }) => by))
  const isSilent = (id: string) => WRITES_NOTHING.some((one) => (typeof one === "string" ? one === id : one.test(id)))
  const free = operationTable(["a"]).filter(({ product, method }) => product === undefined && method === "POST")
  expect(free.length).toBeGreaterThan(40)
  expect(free.map(({ id }) => id).filter((id) => !listed.has(id) && !isSilent(id))).toEqual([])
  const known = new Set(operationTable(["a"]).map(({ id }) => id))
  expect([...listed].filter((id) => !known.has(id)).toSorted()).toEqual(["job rail", "mail"])
})
