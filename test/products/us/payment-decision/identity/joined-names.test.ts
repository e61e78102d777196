/** Which names and identifiers a delivered decision joins to its supplier, and which stay where they are (rulings 89). */
import { afterAll, beforeAll, beforeEach, describe, expect } from "bun:test"
import { changingSources } from "../../../../fixtures/changing-sources.ts"
import { slowTests } from "../../../../fixtures/slow-tests.ts"
import { listedParty } from "../../../../fixtures/test-server.ts"
import { type Answered, type IdentityBook, openIdentityBook, type SupplierPayment } from "./identity-book.ts"

const test = slowTests(import.meta.path)

const [LEI, OTHER_LEI] = ["5493001KJTIIGC8Y1R12", "529900T8BM49AURSDO55"]
const [UEI, CAGE] = ["XAMPLE222222", "7AAA1"]
const [BEFORE, AFTER] = ["Alder Bridge Tools LLC", "Violet Marsh Foods Corp"]
const [X, Y] = ["aa", "bb"].map((byte) => `0x${byte.repeat(20)}`) as [string, string]

const sources = changingSources()
let book: IdentityBook
beforeAll(async () => {
  book = await openIdentityBook(sources.registers, null, sources.board)
})
beforeEach(async () => {
  sources.reset()
  sources.register(LEI, BEFORE)
  await book.begin("HIGH")
})
afterAll(() => book.close())

const payment = (identifiers: SupplierPayment["identifiers"], changes: Partial<SupplierPayment> = {}) => ({
  identifiers,
  name: BEFORE,
  entity: "supplier:alder",
  to: X,
  ...changes,
})
const limitations = (answer: Answered) => ("core" in answer ? answer.core.coverage.limitations : [])
const brief = (answer: Answered) => ("code" in answer ? answer.code : answer.core.decision)
const column = async (sql: string, ...values: string[]) =>
  (await book.database.rows<object>(sql, ...values)).flatMap((row) => Object.values(row))
const names = () => column("SELECT name_key FROM supplier_name ORDER BY name_key")

describe("a supplier that the register renamed", () => {
  test("is released under its new name with a limitation, which joins the name", async () => {
    expect(brief(await book.deliver(payment({ lei: LEI, uei: UEI })))).toBe("ALLOW")
    sources.register(LEI, AFTER)
    const renamed = await book.deliver(payment({ lei: LEI, uei: UEI }, { name: AFTER }))
    expect(brief(renamed)).toBe("ALLOW")
    expect(limitations(renamed)).toContain("SUPPLIER_NAME_CHANGED")
    expect(await names()).toEqual(["alderbridgetoolsllc", "violetmarshfoodscorp"])
    const again = await book.decide(payment({ lei: LEI }, { name: AFTER }))
    expect(brief(again)).toBe("ALLOW")
    expect(limitations(again)).not.toContain("SUPPLIER_NAME_CHANGED")
    // The register contradicts the old name now, and money to another destination is held under both.
    expect(brief(await book.decide(payment({ lei: LEI })))).toBe("HOLD")
    expect(brief(await book.decide(payment({ uei: UEI }, { name: AFTER, to: Y })))).toBe("HOLD")
  })

  test("is blocked under its new name, and without a name, when a list has its old one", async () => {
    await book.deliver(payment({ lei: LEI, uei: UEI }))
    sources.register(LEI, AFTER)
    expect(brief(await book.deliver(payment({ lei: LEI }, { name: AFTER })))).toBe("ALLOW")
    sources.list(listedParty({ names: [{ text: BEFORE.toUpperCase(), kind: "primary" }] }))
    for (const name of [BEFORE, AFTER, undefined]) {
      const answer = await book.decide(payment({ lei: LEI }, { name }))
      expect([name, brief(answer)]).toEqual([name, "BLOCK"])
      expect(JSON.stringify(answer)).not.toContain(`"legal_name"`)
    }
  })

  test("is refused under its new name if the request does not name the identifier that has it", async () => {
    await book.deliver(payment({ lei: LEI, uei: UEI }))
    sources.register(LEI, AFTER)
    expect(brief(await book.decide(payment({ uei: UEI }, { name: AFTER })))).toBe("IDENTITY_COLLISION")
    expect(await names()).toEqual(["alderbridgetoolsllc"])
  })

  test("is refused under a name that the register gives an identifier which is no anchor", async () => {
    await book.deliver(payment({ uei: UEI }))
    expect(brief(await book.deliver(payment({ uei: UEI, lei: OTHER_LEI })))).toBe("ALLOW_WITH_CONDITIONS")
    sources.register(OTHER_LEI, AFTER)
    const renamed = payment({ uei: UEI, lei: OTHER_LEI }, { name: AFTER })
    expect(brief(await book.decide(renamed))).toBe("IDENTITY_COLLISION")
  })
})

describe("a payment whose money moved after its holds were dropped", () => {
  const supplierOf = async (id: string) =>
    (await column("SELECT supplier_id FROM authorization_record WHERE request_id = ?1", id)).join()
  const keys = (supplier: string) =>
    column("SELECT key FROM supplier_identifier WHERE supplier_id = ?1 ORDER BY key", supplier)

  test("is delivered, and an identifier that belongs to another set meanwhile stays there", async () => {
    await book.deliver(payment({ uei: UEI }))
    const known = (await column("SELECT supplier_id FROM supplier")).join()
    // The register gives the new identifier the supplier's name, so it would become an anchor.
    const { answer, paid } = await book.begun(payment({ uei: UEI, lei: LEI }), [], "NAME")
    expect(brief(answer)).toBe("ALLOW")
    sources.register(LEI, AFTER)
    const stranger = payment({ lei: LEI }, { name: AFTER, entity: "supplier:violet", to: Y })
    // While the first one runs, it holds the identifier.
    expect(brief(await book.deliver(stranger))).toBe("DECISION_IN_PROGRESS")
    await paid?.drop()
    expect(brief(await book.deliver(stranger))).toBe("ALLOW")
    const other = (await column("SELECT supplier_id FROM supplier_identifier WHERE key = ?1", `lei:${LEI}`)).join()

    await paid?.keep()
    expect(await supplierOf(paid?.id ?? "")).toBe(known)
    expect([await keys(known), await keys(other)]).toEqual([[`uei:${UEI}`], [`lei:${LEI}`]])
    expect(await column("SELECT key FROM record_anchor WHERE request_id = ?1", paid?.id ?? "")).toEqual([`uei:${UEI}`])
    // Each supplier has its own last destination, and a request that names both is refused.
    expect(brief(await book.decide(payment({ uei: UEI })))).toBe("ALLOW")
    expect(brief(await book.decide(stranger))).toBe("ALLOW")
    expect(brief(await book.decide(payment({ uei: UEI, lei: LEI })))).toBe("IDENTITY_COLLISION")
  })

  test("is decided although it names two suppliers, and held", async () => {
    await book.deliver(payment({ uei: UEI }))
    await book.deliver(payment({ cage: CAGE }, { name: AFTER, entity: "supplier:violet", to: Y }))
    const { answer, paid } = await book.begun(payment({ uei: UEI, cage: CAGE }), [], "DECIDE")
    expect(brief(answer)).toBe("HOLD")
    await paid?.keep()
    expect(await column("SELECT supplier_id FROM authorization_record WHERE request_id = ?1", paid?.id ?? "")).toEqual([
      null,
    ])
    expect(await column("SELECT count(DISTINCT supplier_id) FROM supplier_identifier")).toEqual([2])
  })
})
