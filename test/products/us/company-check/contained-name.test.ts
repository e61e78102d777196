/** A company check for a name that contains a listed name never gives an APPROVE. */
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test"
import type { UsFacts } from "../../../../schemas/us/operation-facts.ts"
import { AROUND } from "../../../../scripts/bench/screening/around-names.ts"
import { sanctionsParties } from "../../../../scripts/bench/screening/published-parties.ts"
import type { Party } from "../../../../src/sources/records/party.ts"
import { SCORER_VERSION } from "../../../../src/sources/screening/parameters.ts"
import { type AnswerTestServer, answerTestServer } from "../../../fixtures/answer-test-server.ts"
import { buyAnswer, usBody } from "../../../fixtures/answers.ts"
import { howMany, sample } from "../../../fixtures/long.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { listedParty, staticBoard, type TestServer } from "../../../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(120_000)

const LISTS = process.env["BIZAUTH_LISTS"]
const PATH = "/v1/us/company-check"
const INVENTED = (
  "Karvolan Maritime Trading LLC,OOO Promstroy Grupp,Banco Zubrowka Nacional S.A.,Orlavik Petrochem,Bremholt Avionics GmbH," +
  "Tesmar Shipyard JSC,Dovinsk Mineral Export,AB Kelvorn,Yastreb Optics Institute,Pandurang Steel Works Ltd"
).split(",")

let seller: AnswerTestServer
let server: TestServer
let names: readonly string[]

/** Ten organisations spread over the published list, if there is one. */
function tenOf(parties: readonly Party[]): readonly string[] {
  const organisations = parties.filter(({ sourceId, type }) => sourceId === "US_OFAC_SDN" && type === "org")
  const step = Math.floor(organisations.length / 10)
  return Array.from({ length: 10 }, (_, at) => organisations[at * step + 7]!.names[0]!.text)
}

beforeAll(async () => {
  const parties = LISTS
    ? sanctionsParties(LISTS)
    : INVENTED.map((text, at) => listedParty({ entryId: `${at}`, names: [{ text, kind: "primary" }] }))
  names = LISTS ? tenOf(parties) : INVENTED
  seller = await answerTestServer({ board: staticBoard(parties) })
  server = seller.server
})
afterAll(() => seller[Symbol.asyncDispose]())

test.each(Object.keys(AROUND))(
  `%s: a name that contains one of ${howMany(10, 2)} listed organisations is REVIEW or BLOCK`,
  async (form) => {
    for (const [at, name] of sample([...names.entries()], 2)) {
      const ways = AROUND[form]!
      const legal_name = ways[at % ways.length]!(name)
      const body = usBody({ company: { legal_name, identifiers: { uei: "ZQGGHJH74DW7" } } })
      const { status, answer } = await buyAnswer(server, { path: PATH, body })
      expect([legal_name, status, ["REVIEW", "BLOCK"].includes(answer.decision)]).toEqual([legal_name, 200, true])
      const codes = answer.reason_codes.filter((code) => code.startsWith("RESTRICTED_PARTY"))
      expect([legal_name, codes.length]).toEqual([legal_name, 1])
    }
  },
)

test("the stored facts of a sold answer name the scorer and keep hits and tiers, so that a replay does not screen again", async () => {
  const legal_name = AROUND["one ordinary word before"]![0]!(names[0]!)
  const body = usBody({ company: { legal_name, identifiers: { uei: "ZQGGHJH74DW7" } } })
  expect((await buyAnswer(server, { path: PATH, body })).status).toBe(200)
  const rows = await server.database.rows<{ readonly facts_json: string }>("SELECT facts_json FROM delivery")
  const screenings = rows.map(({ facts_json: facts }) => (JSON.parse(facts) as UsFacts).screening)
  const contained = screenings.find(({ hits }) => hits[0]?.explanation.multipliers[0]?.rule === "NAME_CONTAINED")
  expect(contained?.scorer_version).toBe(SCORER_VERSION)
  // A published list has several parties with such a name. A name inside a longer one holds and never blocks.
  expect(new Set(contained?.hits.map(({ tier }) => tier))).toEqual(new Set(["HOLD"]))
})
