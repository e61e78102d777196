import { expect, test } from "bun:test"
import { readTables } from "../../../src/sources/boards/list-tables.ts"
import { missedCanaries } from "../../../src/sources/import/canaries.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import type { Party } from "../../../src/sources/records/party.ts"
import { sampleLists } from "../../fixtures/sample-lists.ts"
import { asSourceFiles, PUBLISHED_AT } from "../../fixtures/source-files.ts"

const files = asSourceFiles(sampleLists({ publishedAt: PUBLISHED_AT }).US_OFAC_SDN)
const { parties } = ADAPTERS.US_OFAC_SDN.parse(files)
const NONE = { canaries: [] }

const missed = (adapter: Parameters<typeof missedCanaries>[0], listed: readonly Party[]) =>
  missedCanaries(adapter, listed, readTables({ parties: listed, removed: [] }, 0))

test("every sampled name of a good list is found under its own entry", () => {
  expect(parties.length).toBeGreaterThan(3)
  expect(missed(NONE, parties)).toEqual([])
})

test("an adapter's canary counts only if its entry is on the list", () => {
  const canary = { entryId: "90001", name: "SOMETHING ELSE ENTIRELY" }
  expect(missed({ canaries: [canary] }, parties)).toMatchObject([{ code: "CANARY_MISSED", severity: "hard" }])
  expect(missed({ canaries: [{ ...canary, entryId: "306" }] }, parties)).toEqual([])
})

test("a list that matches a nonsense name is refused", () => {
  const [party] = parties
  const nonsense = { ...party, entryId: "1", names: [{ text: "QWZXV JKHTRP VLMNGW", kind: "primary" }] } as Party
  expect(missed(NONE, [...parties, nonsense]).map(({ detail }) => detail)).toEqual(["a nonsense name is found"])
})

test("sixty parties with one name are not a miss, although a result lists only fifty", () => {
  const [party] = parties
  const twins = Array.from({ length: 60 }, (_, at) => ({ ...party, entryId: String(at) }) as Party)
  expect(missed(NONE, twins)).toEqual([])
})
