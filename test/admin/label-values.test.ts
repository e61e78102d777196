/** The closed tables of label values agree with the code and the schema that they are about. */
import { expect, test } from "bun:test"
import { DELIVERED_PAIRS, LABELS, READINESS_CODES, UNCHARGED_PAIRS } from "../../src/admin/label-values.ts"
import { METRICS } from "../../src/admin/metric-table.ts"
import { BOARDS, SOURCE_IDS } from "../../src/sources/records/party.ts"
import { databaseOf } from "../fixtures/database-of.ts"
import { readinessCodes } from "../fixtures/readiness-codes.ts"
import { testService } from "../fixtures/service.ts"

const sorted = (values: Iterable<string>) => [...new Set(values)].toSorted()

test("the codes of readiness are those that the code has", () => {
  expect(sorted(READINESS_CODES)).toEqual(readinessCodes())
})

test("the products are those that the service sells, each with its decisions", async () => {
  await using running = await testService()
  const { slices } = running.service
  expect(sorted(LABELS.product.values)).toEqual(sorted(slices.map(({ paid }) => paid.id)))
  expect(sorted(DELIVERED_PAIRS.map(([product]) => product))).toEqual(sorted(LABELS.product.values))
  expect(sorted(UNCHARGED_PAIRS.map(([product]) => product))).toEqual(
    sorted(slices.flatMap(({ product }) => (product.uncharged ? product.id : []))),
  )
  const decisions = [...DELIVERED_PAIRS, ...UNCHARGED_PAIRS].map(([, decision]) => decision)
  expect(sorted(decisions)).toEqual(sorted(LABELS.decision.values))
})

test("the sources are those that the service reads, and the keys those that it has", async () => {
  await using running = await testService()
  const { sources, gbSources, registers, keys, machine } = running.service
  const states = [...sources.states(0), ...gbSources.states(0), ...registers.states(machine.now())]
  const required: readonly string[] = Object.values(BOARDS).flat()
  const onlyScreened = SOURCE_IDS.filter((id) => !required.includes(id))
  expect(sorted(LABELS.source.values)).toEqual(sorted([...states.map(({ sourceId }) => sourceId), ...onlyScreened]))
  expect(sorted(LABELS.use.values)).toEqual(sorted(keys.current() ? ["statement", "log", "sandbox"] : []))
})

test("the states are those of attempts in the database, and those of cases that wait", async () => {
  await using running = await testService()
  const database = databaseOf(running.service.dataDirectory)
  const states = database.query<{ state: string }, []>("SELECT state FROM attempt_count").all()
  const waiting = ["OPEN", "PROPOSED"]
  expect(sorted(LABELS.state.values)).toEqual(sorted([...states.map(({ state }) => state), ...waiting]))
})

test("every label has a metric, and every metric only labels of the table", () => {
  const used = Object.values(METRICS).flatMap(({ labels }) => [...labels])
  expect(sorted(used)).toEqual(sorted(Object.keys(LABELS)))
})

test("names and types follow the conventions of Prometheus", () => {
  for (const [name, { type, help }] of Object.entries(METRICS)) {
    expect(name).toMatch(/^(bizauth|process)_[a-z_]+$/)
    expect(name.endsWith("_total")).toBe(type === "counter")
    expect(help).toMatch(/^[A-Z1].*\.$/)
  }
})
