/** The limits of one wallet, and of all wallets together. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { WALLET_LIMITS } from "../../../src/agent-mode/wallet/import-artifact.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { DAY, formatInstant, HOUR, MINUTE } from "../../../src/core/time.ts"
import { importEntry, type WalletLimits } from "../../../src/store/wallet/import-entry.ts"
import { readWalletTotal } from "../../../src/store/wallet/wallet-total.ts"
import type { TestAgent } from "../../fixtures/agent.ts"
import { freeWriter } from "../../fixtures/free-writes.ts"
import * as made from "./artifacts.ts"
import { openWallets, type Wallets } from "./wallets.ts"

let wallets: Wallets
beforeAll(async () => {
  wallets = await openWallets()
})
afterAll(() => wallets.service[Symbol.asyncDispose]())

let serial = 0
interface Added {
  readonly bytes?: number
  readonly at?: number
  readonly until?: number
  readonly digest?: string
}

/** Imports of one agent under `limits`, with ids that count up from 1. */
function importing(agent: TestAgent, limits: WalletLimits) {
  const { store } = wallets.service.service
  const now = wallets.service.clock.now()
  let n = 0
  return (given: Added = {}) => {
    const at = given.at ?? now
    const id = String(++n)
    const artifactDigest = given.digest ?? digestOf(`${agent.agentId} ${id}`)
    const { agentId, operational } = agent
    const signature = {
      agentId,
      keyId: operational.keyId,
      nonce: `nonce-${++serial}`,
      nonceUntil: formatInstant(at),
    }
    const until = formatInstant(given.until ?? now + DAY)
    const verified = {
      walletEntryId: `wal_${agentId}_${id}`,
      agentId,
      environment: "LIVE" as const,
      type: "PROOF_CAPSULE",
      artifactDigest,
      issuer: "svc",
      product: null,
      subjectDigests: "{}",
      signingKeyId: "",
      reference: null,
      decision: null,
      verification: "{}",
      validAsOf: null,
      validUntil: null,
      importedAt: formatInstant(at),
      until,
      documentDigest: artifactDigest,
    }
    const outcome = store.run(() =>
      importEntry({
        signature,
        environment: "LIVE",
        idempotencyKey: `key-${id}`,
        requestDigest: digestOf(id),
        requestExpiresAt: formatInstant(at + 7 * DAY),
        now: formatInstant(at),
        type: "PROOF_CAPSULE",
        artifactDigest,
        documentDigest: artifactDigest,
        verified,
        until,
        document: given.bytes ? new Uint8Array(given.bytes) : null,
        limits,
        writer: freeWriter(at),
        answer: ({ walletEntryId }) => walletEntryId.slice(walletEntryId.lastIndexOf("_") + 1),
      }),
    )
    return outcome.then((told) => ("response" in told ? told.response : "limit" in told ? told.limit : told.kind))
  }
}

test("a wallet is full by entries, by bytes and by imports of the hour; ended entries make room", async () => {
  const agent = await wallets.service.enrol()
  const now = wallets.service.clock.now()
  const add = importing(agent, { ...WALLET_LIMITS, entriesMax: 2, documentBytesMax: 100, importsPerHourMax: 4 })
  const digest = (n: number) => digestOf(`${agent.agentId} ${n}`)
  expect(await add({ bytes: 60 })).toBe("1")
  expect(await add({ bytes: 41 })).toBe("WALLET_DOCUMENT_BYTES")
  expect(await add({ bytes: 40, until: now + MINUTE })).toBe("3")
  expect(await add()).toBe("WALLET_ENTRIES")
  expect(await add({ digest: digest(1) })).toBe("1")
  expect(await add({ at: now + 2 * MINUTE })).toBe("6")
  expect(await add({ at: now + 2 * MINUTE, until: now, digest: digest(6) })).toBe("6")
  expect(await add({ at: now + 2 * MINUTE })).toBe("WALLET_IMPORTS_THIS_HOUR")
  // A known artifact counts as an import too.
  expect(await add({ at: now + 2 * MINUTE, digest: digest(1) })).toBe("WALLET_IMPORTS_THIS_HOUR")
  expect(await add({ at: now + HOUR, bytes: 100 })).toBe("10")
})

test("many agents fill all wallets by entries, by bytes and by kept answers; deletion works and makes room", async () => {
  const [one, two] = [await wallets.service.enrol(), await wallets.service.enrol()]
  const before = await wallets.service.service.store.read(readWalletTotal)
  const limits = {
    ...WALLET_LIMITS,
    allEntriesMax: before.entries + 3,
    allDocumentBytesMax: before.documentBytes + 100,
    allAnswersMax: before.answers + 5,
  }
  const [ofOne, ofTwo] = [importing(one, limits), importing(two, limits)]
  const ofOneDigest = (n: number) => digestOf(`${one.agentId} ${n}`)
  const now = wallets.service.clock.now()
  expect(await ofOne({ bytes: 60 })).toBe("1")
  expect(await ofTwo({ bytes: 41 })).toBe("ALL_WALLETS_DOCUMENT_BYTES")
  expect(await ofTwo({ bytes: 40 })).toBe("2")
  expect(await ofTwo()).toBe("3")
  expect(await ofOne()).toBe("ALL_WALLETS_ENTRIES")
  // A known artifact needs no room for an entry.
  expect(await ofOne({ digest: ofOneDigest(1) })).toBe("1")
  expect(await ofOne({ until: now, digest: ofOneDigest(1) })).toBe("1")
  // Its end made room for the bytes. The limit of answers is reached.
  expect(await ofTwo({ bytes: 60 })).toBe("ALL_WALLETS_ANSWERS")
  // Deletion works all the same, and its answer is kept.
  expect(await ofTwo({ until: now, digest: digestOf(`${two.agentId} 3`) })).toBe("3")
  expect(await wallets.service.service.store.read(readWalletTotal)).toEqual({
    entries: before.entries + 1,
    documentBytes: before.documentBytes + 40,
    answers: before.answers + 6,
  })
  expect(await ofTwo({ at: now + 8 * DAY, until: now + 9 * DAY, bytes: 60 })).toBe("6")
})

test("a full wallet, and full wallets together, answer 429 with what to do", async () => {
  const fourth = await wallets.service.enrol()
  made.elsewhere(wallets.service, "INSERT INTO wallet_usage VALUES (?1, 'LIVE', 1000, 1000, 0, '', 0)", fourth.agentId)
  const told = await wallets.bring("PROOF_CAPSULE", made.decision(), { as: fourth })
  expect(told.refusal).toBe("429 WALLET_FULL WALLET_ENTRIES")
  expect(told.body).toMatchObject({ next_machine_action: "END_ENTRIES", retryable: true })
  expect(told.headers.get("retry-after")).not.toBeNull()
  made.elsewhere(wallets.service, "UPDATE wallet_total SET entries = entries + ?1", WALLET_LIMITS.allEntriesMax)
  try {
    const all = await wallets.bring("PROOF_CAPSULE", made.decision())
    expect(all.refusal).toBe("429 WALLET_FULL ALL_WALLETS_ENTRIES")
    expect(all.body["detail"]).toContain("The wallets of this service together")
    expect(all.headers.get("retry-after")).toBe("3600")
  } finally {
    made.elsewhere(wallets.service, "UPDATE wallet_total SET entries = entries - ?1", WALLET_LIMITS.allEntriesMax)
  }
})
