/** Whatever is wrong with a draft, its rehearsal ends in an answer or a refusal, and no bank data in it is repeated. */
import { expect } from "bun:test"
import { ServiceError } from "../../../src/base/errors.ts"
import type { JsonValue } from "../../../src/core/strict-json.ts"
import { PRODUCTS } from "../../../src/products/products.ts"
import type { ObjectSchema } from "../../../src/sandbox/rehearsal/fill-required.ts"
import { rehearse } from "../../../src/sandbox/rehearsal/rehearse.ts"
import { syntheticBoards } from "../../../src/sandbox/synthetic-boards.ts"
import { syntheticKey } from "../../../src/sandbox/synthetic-keys.ts"
import { routes } from "../../../src/server/app.ts"
import { GB_NAME, GB_NUMBER } from "../../fixtures/gb.ts"
import { howMany, sample } from "../../fixtures/long.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const IBAN = "GB33BUKB20201555555555"
const CLOCK = Date.UTC(2026, 0, 15, 12)
const COMPANY = { legal_name: "Harbor Light Instruments LLC", identifiers: { uei: "ZQGGHJH74DW7" } }
const VALUES: readonly JsonValue[] = [
  IBAN,
  { iban: IBAN },
  [IBAN],
  5,
  null,
  { type: IBAN, value: IBAN },
  { type: "WALLET", value: 5 },
  { legal_name: { of: IBAN }, identifiers: { uei: IBAN } },
  { payload: IBAN, max_age_seconds: IBAN, evaluated_at: IBAN },
]

function least(productId: string): Record<string, JsonValue> {
  if (productId.startsWith("gb.")) return { company_number: GB_NUMBER, invoice: { invoice_company_name: GB_NAME } }
  return productId.startsWith("us.") ? { company: COMPANY } : { supplier: COMPANY }
}

const drafts = PRODUCTS.flatMap(({ id, paid }) =>
  Object.keys((paid.body as ObjectSchema).properties ?? {}).flatMap((name) =>
    VALUES.map((value) => ({ productId: id, draft: { ...least(id), [name]: value } })),
  ),
)
const RUN = 20
/** All drafts take a minute on two cores that do nothing else. */
const TEST_MS_MAX = 240_000

test(
  `${howMany(drafts.length, RUN)} drafts with one wrong member`,
  async () => {
    const { keyId, privateKey } = syntheticKey(1, "AGENT")
    const signer = { issuer: "svc:sandbox", keyId, privateKey }
    const boards = syntheticBoards(CLOCK)
    for (const { productId, draft } of sample(drafts, RUN)) {
      const about = [productId, JSON.stringify(draft)]
      try {
        const result = await rehearse(boards, { signer, routes }, { draft, productId, seed: 1, clock: CLOCK })
        expect([...about, [200, 422].includes(result.status)]).toEqual([...about, true])
        expect([...about, JSON.stringify(result).includes(IBAN)]).toEqual([...about, false])
      } catch (error) {
        if (!(error instanceof ServiceError)) throw new Error(about.join(" "), { cause: error })
        expect(["RAW_BANK_DATA_REJECTED", "SCHEMA_INVALID"]).toContain(error.code)
        expect(JSON.stringify([error.message, error.context])).not.toContain(IBAN)
      }
    }
  },
  TEST_MS_MAX,
)
