/** What the sources say of any identifier of a supplier counts, whichever of them a request names (rulings 89). */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { changingSources } from "../../../../fixtures/changing-sources.ts"
import { slowTests } from "../../../../fixtures/slow-tests.ts"
import { listedParty } from "../../../../fixtures/test-server.ts"
import { type Answered, type IdentityBook, openIdentityBook, type SupplierPayment } from "./identity-book.ts"

const test = slowTests(import.meta.path)

const LEI = "5493001KJTIIGC8Y1R12"
const UEI = "XAMPLE222222"
const CAGE = "7AAA1"
const NAME = "Alder Bridge Tools LLC"
const ALL = { lei: LEI, uei: UEI, cage: CAGE }
const payment = (identifiers: SupplierPayment["identifiers"], name: string | undefined = NAME): SupplierPayment => ({
  identifiers,
  name,
  entity: "supplier:alder",
  to: `0x${"aa".repeat(20)}`,
})

const sources = changingSources()
let book: IdentityBook
beforeAll(async () => {
  book = await openIdentityBook(sources.registers, null, sources.board)
})
afterAll(() => book.close())

const brief = (answer: Answered) =>
  "code" in answer ? [answer.code] : [answer.core.decision, answer.core.reason_codes[0]]

/** Pays the supplier under all its identifiers, and then changes the sources. */
async function paid(change: () => void, known: SupplierPayment["identifiers"] = ALL) {
  await book.begin("HIGH")
  sources.reset()
  sources.register(LEI, NAME)
  expect(brief(await book.deliver(payment(known)))[0]).toBe("ALLOW")
  change()
}

const SUBSETS = [{ uei: UEI }, { cage: CAGE }, { uei: UEI, cage: CAGE }]

describe("after a payment to a supplier with three identifiers, a request that leaves out", () => {
  test("the LEI is held when the register gives the LEI another name", async () => {
    await paid(() => sources.register(LEI, "Quarry Seven Pumps Inc"))
    for (const identifiers of [ALL, ...SUBSETS]) {
      expect(brief(await book.decide(payment(identifiers)))).toEqual(["HOLD", "SUPPLIER_NAME_MISMATCH"])
    }
  })

  test("the LEI has a condition when the register has the LEI no longer", async () => {
    await paid(() => sources.strike(LEI))
    for (const identifiers of [ALL, ...SUBSETS]) {
      expect(brief(await book.decide(payment(identifiers)))).toEqual([
        "ALLOW_WITH_CONDITIONS",
        "REGISTRATION_NOT_FOUND",
      ])
    }
  })

  test.each(Object.entries(ALL))("the %s is blocked when a list has it", async (scheme, value) => {
    await paid(() => sources.list(listedParty({ identifiers: [{ scheme, value }] })))
    const others = Object.fromEntries(Object.entries(ALL).filter(([other]) => other !== scheme))
    for (const identifiers of [ALL, others, ...Object.entries(others).map((one) => Object.fromEntries([one]))]) {
      expect(brief(await book.decide(payment(identifiers)))).toEqual(["BLOCK", "RESTRICTED_PARTY_MATCH"])
    }
  })

  test("an identifier that joined later is blocked too when a list has it", async () => {
    await paid(() => {}, { lei: LEI, uei: UEI })
    expect(brief(await book.deliver(payment(ALL)))[0]).toBe("ALLOW")
    sources.list(listedParty({ identifiers: [{ scheme: "cage", value: CAGE }] }))
    expect(brief(await book.decide(payment({ uei: UEI })))).toEqual(["BLOCK", "RESTRICTED_PARTY_MATCH"])
  })
})

test("while the sources agree, one identifier is answered as all of them, with a name and without", async () => {
  await paid(() => {})
  for (const identifiers of [ALL, ...SUBSETS]) {
    expect(brief(await book.decide(payment(identifiers)))[0]).toBe("ALLOW")
  }
  expect(brief(await book.decide(payment({ lei: LEI }, undefined)))[0]).toBe("ALLOW")
})
