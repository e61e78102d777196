/** The record of a capsule whose leaf comes after its delivery. */
import { describe, expect } from "bun:test"
import { onceLogged } from "../../../src/agent-mode/wallet/once-logged.ts"
import { openAnswerCapsule, openCapsule } from "../../../src/agent-mode/wallet/open-capsule.ts"
import { NOT_KEPT, type OpenedArtifact } from "../../../src/agent-mode/wallet/opened-artifact.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { sequencePending } from "../../../src/store/log/sequenced-log.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { type PostgresBench, postgresBench } from "../../store/engine/postgres/postgres-bench.ts"
import { sell } from "../../store/log/delivered-capsules.ts"
import { AT } from "../../store/money-rows.ts"
import * as made from "./artifacts.ts"

const test = slowTests(import.meta.path)

const verifier = {
  verifyPassport: () => {
    throw new Error("nothing is verified here")
  },
}
const decision = made.decision()
const answer = made.gbPayment().capsule
const passport = made.passport()

/** One of each kind, with what its sale stores. */
const KINDS = [
  [
    "a decision",
    openCapsule(decision, "svc:agent:caller", verifier),
    { answerId: decision.payload.decision_id, capsuleDigest: decision.capsule_digest },
  ],
  [
    "an answer",
    openAnswerCapsule(answer),
    { deliveryReference: answer.payload.delivery_id, capsuleDigest: answer.capsule_digest },
  ],
  [
    "a passport",
    openCapsule(passport, "svc:agent:caller", verifier),
    { attachmentId: passport.payload.passport_id, attachmentJson: JSON.stringify(passport) },
  ],
] as const

const settled = async ({ store }: PostgresBench, opened: OpenedArtifact) => {
  const started = performance.now()
  const record = await onceLogged({ store, machine: realMachine }, opened, await store.read(opened.record))
  return { record, took: performance.now() - started }
}

describe.skipIf(!HAS_POSTGRES)(`a capsule that was delivered just now${NOT_RUN}`, () => {
  test.each(KINDS)("%s is waited for until it has its leaf", (_kind, opened, sold) =>
    postgresBench(async (bench) => {
      const { store } = bench
      await sell(store, "a", sold)
      expect(await store.read(opened.record)).toMatchObject({ matches: true, loggedAt: null })
      const waited = settled(bench, opened)
      await Bun.sleep(50)
      await sequencePending(store)
      const { record, took } = await waited
      expect(record).toEqual({ matches: true, loggedAt: AT })
      expect(took).toBeLessThan(900)
      expect((await settled(bench, opened)).record).toEqual(record)
    })(),
  )

  const [[, opened, sold]] = KINDS

  test(
    "counts as not logged after a second",
    postgresBench(async (bench) => {
      await sell(bench.store, "a", sold)
      const { record, took } = await settled(bench, opened)
      expect(record).toMatchObject({ matches: true, loggedAt: null })
      expect(took).toBeGreaterThanOrEqual(990)
    }),
  )

  test(
    "is not confused with an answer that never gets a leaf, also while others wait",
    postgresBench(async (bench) => {
      const { store, admin } = bench
      await sell(store, "a", sold)
      await admin`delete from log_pending`
      expect((await settled(bench, opened)).record).toEqual({ matches: true, loggedAt: null })
      await sell(store, "b")
      const waited = settled(bench, opened)
      await Bun.sleep(50)
      await sequencePending(store)
      await sell(store, "c")
      const { record, took } = await waited
      expect(record).toMatchObject({ matches: true, loggedAt: null })
      expect(took).toBeLessThan(900)
    }),
  )

  test(
    "is not waited for if the record is of another document",
    postgresBench(async (bench) => {
      await sell(bench.store, "a", { ...sold, capsuleDigest: `sha256:${"0".repeat(64)}` })
      const { record, took } = await settled(bench, opened)
      expect(record).toEqual(NOT_KEPT)
      expect(took).toBeLessThan(500)
    }),
  )
})
