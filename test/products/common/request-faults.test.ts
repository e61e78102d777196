import { expect, test } from "bun:test"
import { digestRefusal } from "../../../src/products/common/request-faults.ts"

test("a wrong digest is refused with its form, and the refusal is about the form of the first one", () => {
  const refusal = digestRefusal(["/buyer_mandate/mandate_digest", "/buyer_mandate/payload/request_digest"])
  expect([refusal.code, refusal.form]).toEqual(["DIGEST_MISMATCH", "MANDATE_DIGEST"])
  expect(refusal.context.errors).toEqual([
    {
      pointer: "/buyer_mandate/mandate_digest",
      code: "DIGEST_MISMATCH",
      expected: "MANDATE_DIGEST of the signed forms",
    },
    {
      pointer: "/buyer_mandate/payload/request_digest",
      code: "DIGEST_MISMATCH",
      expected: "REQUEST_DIGEST of the signed forms",
    },
  ])
  expect(digestRefusal(["/payee/fingerprint"]).form).toBe("DESTINATION_FINGERPRINT")
})
