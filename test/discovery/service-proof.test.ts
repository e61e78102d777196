/** What the service proof does when a part of it cannot be read. */
import { expect, test } from "bun:test"
import type { Digest } from "../../src/core/digest.ts"
import { ServiceProofs } from "../../src/discovery/service-proof.ts"
import { BASE_URL, clockAt, testService } from "../fixtures/service.ts"

const START = Date.UTC(2026, 0, 1)

test("a program that could not be read once is read again for the next proof, and then never again", async () => {
  await using running = await testService(clockAt(START))
  const { documents, keys, logOrigin } = running.service
  let reads = 0
  const proofs = new ServiceProofs({
    generations: documents,
    baseUrl: () => BASE_URL,
    signer: () => keys.current(),
    signingKeys: () => keys.signingKeys(),
    serviceAgentId: async () => "svc:agent:x",
    logOrigin,
    checkpoint: async () => "checkpoint",
    programDigest: async () => {
      reads++
      if (reads === 1) throw new Error("EMFILE")
      return `sha256:${"a".repeat(64)}` as Digest
    },
  })
  expect(proofs.reply(START)).rejects.toThrow("EMFILE")
  await Bun.sleep(0)
  const { body } = await proofs.reply(START)
  expect(JSON.parse(String(body)).payload.build.binary_digest).toBe(`sha256:${"a".repeat(64)}`)
  await proofs.reply(START + 31_000)
  expect(reads).toBe(2)
})
