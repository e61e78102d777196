/** Raw bank data in a draft, which may break every rule of its schema: at most one fault a member, no text of it in a pointer. */
import { expect, test } from "bun:test"
import type { TSchema } from "@sinclair/typebox"
import { DecisionRequest } from "../../../schemas/us/payment-decision.ts"
import { VendorChangeRequest } from "../../../schemas/us/vendor-change.ts"
import { DraftSearch } from "../../../src/core/sensitive/sensitive-draft.ts"

const IBAN = "GB82 WEST 1234 5698 7654 32"
const DIGEST = `sha256:${"4111111111111111".repeat(4)}`

function faults(draft: unknown, schema: TSchema = DecisionRequest) {
  return new DraftSearch({ bankData: true }).faultsOf(schema, draft)
}

test.each([
  ["a text of the request", { economic_purpose: IBAN }, ["/economic_purpose"]],
  ["a text inside", { invoice: { obligation_id: IBAN } }, ["/invoice/obligation_id"]],
  ["a text in place of an object", { invoice: IBAN }, ["/invoice"]],
  ["a list in place of a text", { economic_purpose: [IBAN, "x"] }, ["/economic_purpose/0"]],
  ["an item of a list", { evidence_references: ["x", IBAN] }, ["/evidence_references/1"]],
  [
    "a value that breaks the fixed form of its member",
    { payment_instruction_digest: IBAN },
    ["/payment_instruction_digest"],
  ],
  ["an unknown member", { note: IBAN }, ["/note"]],
  ["deep below an unknown member", { note: { deep: [{ deeper: IBAN }] } }, ["/note/deep/0/deeper"]],
  ["a list below a name that is one", { [IBAN]: [{ deeper: IBAN }] }, [""]],
  ["a name", { [IBAN]: 1 }, [""]],
  ["a name of an unknown object", { note: { [IBAN]: {} } }, ["/note"]],
  ["a sort code and its account in two unknown members", { sort: "20-00-00", account: "55779911" }, [""]],
  ["a number", { note: 4111111111111111 }, ["/note"]],
  ["a name in a map of the request", { supplier: { identifiers: { [IBAN]: "1" } } }, ["/supplier/identifiers"]],
  ["a draft that is a text", IBAN, [""]],
  [
    "two members",
    { economic_purpose: IBAN, invoice: { obligation_id: IBAN } },
    ["/economic_purpose", "/invoice/obligation_id"],
  ],
])("%s", (_, draft, pointers) => {
  expect(faults(draft).map(({ pointer }) => pointer)).toEqual(pointers)
})

test.each([
  ["a digest", { payment_instruction_digest: DIGEST }],
  ["an amount", { amount: "4111111111111111.00" }],
  ["a list of digests", { evidence_references: [DIGEST] }],
  ["null", null],
  ["names of object methods", { toString: 1, constructor: { valueOf: null }, note: { toString: { toString: 1 } } }],
])("%s is none", (_, draft) => {
  expect(faults(draft)).toEqual([])
})

test("a digest that may be null is none, and another text there is", () => {
  const member = "current_payee_fingerprint"
  expect(faults({ [member]: DIGEST }, VendorChangeRequest)).toEqual([])
  expect(faults({ [member]: IBAN }, VendorChangeRequest)).toEqual([{ pointer: `/${member}`, kind: "IBAN" }])
})
