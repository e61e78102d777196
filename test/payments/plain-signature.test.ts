import { describe, expect, test } from "bun:test"
import { type Hex, recoverAddress, toHex } from "viem"
import { plainSignature } from "../../src/payments/plain-signature.ts"
import { PLAIN_FORMS } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"

const { payer } = DEV_ACCOUNTS
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Both parities occur many times. */
const signatures = await Promise.all(
  Array.from({ length: 64 }, (_, number) => toHex(number, { size: 32 })).map(async (hash) => ({
    hash,
    signature: await payer.sign({ hash }),
  })),
)

describe("plainSignature", () => {
  test.each(PLAIN_FORMS)("reads %s as the one form that USDC accepts", async (_, write) => {
    for (const { hash, signature } of signatures) {
      const plain = plainSignature(write(signature))
      expect(plain).toBe(signature)
      expect(await recoverAddress({ hash, signature: plain as Hex })).toBe(payer.address)
    }
  })

  test("reads no other form", () => {
    const [{ signature } = { signature: "0x" as Hex }] = signatures
    const rs = signature.slice(2, 130)
    const high = toHex(ORDER - BigInt(`0x${signature.slice(66, 130)}`), { size: 32 }).slice(2)
    const forms: Hex[] = [
      ...[2, 3, 26, 29, 31, 255].map((v): Hex => `0x${rs}${v.toString(16).padStart(2, "0")}`),
      ...[0, 1, 27, 28].map((v): Hex => `0x${signature.slice(2, 66)}${high}${v.toString(16).padStart(2, "0")}`),
      `0x${signature.slice(2, 66)}${"7f".padEnd(64, "f")}`,
      `0x${"ff".repeat(64)}`,
      `${signature}00`,
      `0x${rs.slice(2)}`,
      "0x00",
    ]
    for (const form of forms) expect([form, plainSignature(form)]).toEqual([form, null])
  })
})
