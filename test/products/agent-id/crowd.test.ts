import { afterEach, beforeEach, expect, test } from "bun:test"
import { CROWD_FROM, Crowd } from "../../../src/products/agent-id/crowd.ts"
import { evaluateSignature } from "../../../src/products/agent-id/evaluate-signature.ts"
import { KeptSigners } from "../../../src/products/agent-id/kept-signers.ts"
import { subjectOf } from "../../../src/products/agent-id/signature-subject.ts"
import { StoreClosed } from "../../../src/store/engine/store-error.ts"
import type { Store } from "../../../src/store/engine/unit.ts"
import type { TestAgent } from "../../fixtures/agent.ts"
import { freeWriter } from "../../fixtures/free-writes.ts"
import { signedStatement } from "../../fixtures/signed-statement.ts"
import { openWithAgent, type Service } from "./service.ts"

const OBSERVE = { mode: "OBSERVE", verifierNonce: null } as const

let service: Service
let agent: TestAgent
beforeEach(async () => {
  ;({ service, agent } = await openWithAgent())
})
afterEach(() => service.close())

/** Records the size of the crowd at each query. */
class WatchedCrowd extends Crowd {
  readonly answers: boolean[] = []
  override get isLarge(): boolean {
    const answer = super.isLarge
    this.answers.push(answer)
    return answer
  }
}

const call = () => ({ at: service.clock.at, writer: () => freeWriter(service.clock.at) })

/** No engine but SQLite gives reads of one turn their rows at the same time. So each read waits here for the last of `count`. */
function readingAtOnce(store: Store, count: number): Store {
  const all = Promise.withResolvers<void>()
  let ended = 0
  return {
    ...{ run: (unit, order) => store.run(unit, order), runInPlace: (unit, order) => store.runInPlace(unit, order) },
    ...{ read: (unit) => store.read(unit), version: () => store.version(), close: () => store.close() },
    readTogether: async (unit) => {
      const found = await store.readTogether(unit)
      if (++ended === count) all.resolve()
      await all.promise
      return found
    },
  }
}

/** Every third signature belongs to another statement. */
async function evaluateAtOnce(crowd: Crowd, count: number) {
  const store = readingAtOnce(service.store, count)
  const deps = { store, signers: new KeptSigners(store), crowd }
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const body = signedStatement(agent, service.clock.at)
      const forged = n % 3 === 2
      if (forged) body.signature = signedStatement(agent, service.clock.at).signature
      const { cryptographic } = await evaluateSignature(deps, subjectOf(body), OBSERVE, call())
      return { forged, outcome: cryptographic.outcome }
    }),
  )
}

test.each([1, 2])("with %d processors each of many concurrent signatures gets its own verdict", async (processors) => {
  const crowd = new WatchedCrowd(processors)
  const seen = await evaluateAtOnce(crowd, 100)
  expect(seen.filter(({ forged }) => forged).length).toBe(33)
  expect(seen.every(({ forged, outcome }) => outcome === (forged ? "INVALID" : "VALID"))).toBe(true)
  expect(new Set(crowd.answers)).toEqual(new Set([processors > 1]))
})

test("few signatures are verified without other threads, and the crowd is empty afterwards", async () => {
  const crowd = new WatchedCrowd(8)
  await evaluateAtOnce(crowd, 50)
  crowd.answers.length = 0
  await evaluateAtOnce(crowd, CROWD_FROM - 1)
  expect(crowd.answers).toEqual(Array(CROWD_FROM - 1).fill(false))
})

test("an evaluation that fails also leaves the crowd", async () => {
  const crowd = new Crowd(8)
  const closed = { readTogether: () => Promise.reject(new StoreClosed()) } as unknown as Store
  const deps = { store: closed, signers: new KeptSigners(closed), crowd }
  const subject = subjectOf(signedStatement(agent, service.clock.at))
  for (let n = 0; n < 2 * CROWD_FROM; n++) {
    await expect(evaluateSignature(deps, subject, OBSERVE, call())).rejects.toBeInstanceOf(StoreClosed)
  }
  expect(crowd.isLarge).toBe(false)
})
