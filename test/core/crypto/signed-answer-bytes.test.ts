import { expect, test } from "bun:test"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { signedAnswerBytes, signedAnswerBytesAside } from "../../../src/core/crypto/signed-answer-bytes.ts"
import { keyFromSeed } from "../../../src/core/ed25519.ts"
import { keyIdOf } from "../../../src/core/jwk.ts"
import { signedAnswer } from "../../../src/core/signer.ts"

const { privateKey, x } = keyFromSeed(new Uint8Array(32).fill(11))

test.each(["svc", "Prüfstelle"])("the bytes of a signed answer of %s are its canonical form", async (issuer) => {
  const signer = { issuer, keyId: keyIdOf(x), privateKey }
  for (const payload of [{}, { z: 1, a: ["é", null] }, { text: "0".repeat(20_000) }, { "€": "𝄞" }, { end: "é" }]) {
    const whole = Buffer.from(canonicalize(signedAnswer(signer, payload)))
    for (const texts of [[canonicalize(payload)], [...canonicalize(payload)], ["", ...halves(payload), ""]]) {
      expect(signedAnswerBytes(signer, texts)).toEqual(whole)
      expect(await signedAnswerBytesAside(signer, texts)).toEqual(whole)
    }
  }
})

test("answers that are signed at the same time share no bytes", async () => {
  const signer = { issuer: "svc", keyId: keyIdOf(x), privateKey }
  const payloads = Array.from({ length: 50 }, (_, n) => ({ n, text: "x".repeat(n) }))
  const answers = await Promise.all(payloads.map((payload) => signedAnswerBytesAside(signer, [canonicalize(payload)])))
  expect(answers.map((bytes) => Buffer.from(bytes).toString())).toEqual(
    payloads.map((payload) => canonicalize(signedAnswer(signer, payload))),
  )
})

function halves(payload: object): readonly string[] {
  const text = canonicalize(payload)
  const middle = text.length >> 1
  return [text.slice(0, middle), text.slice(middle)]
}
