/** On an engine whose units run side by side, capsules wait for their leaf. One of a key that is revoked must have it before the revocation. */
import { describe, expect } from "bun:test"
import { mkdirSync } from "node:fs"
import { readPrivateKey } from "../../src/keys/key-file.ts"
import { activeKeyOf, enrolOwnIdentities, type OwnDeps } from "../../src/keys/own-identity.ts"
import { keptRecoveryKey, replaceOwnKey } from "../../src/keys/own-rotation.ts"
import { keysOfUses } from "../../src/store/identity/service-identities.ts"
import { waitingCapsules } from "../../src/store/log/sequenced-log.ts"
import { mapPath, readTreeHead } from "../../src/store/log/transparency-log.ts"
import { findDelivery } from "../../src/store/sales/deliveries.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { HAS_POSTGRES, NOT_RUN } from "../fixtures/postgres.ts"
import { clockAt } from "../fixtures/service.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { postgresBench } from "../store/engine/postgres/postgres-bench.ts"
import { sell } from "../store/log/delivered-capsules.ts"

const test = slowTests(import.meta.path)

describe.skipIf(!HAS_POSTGRES)(`a key that signs is revoked with an event${NOT_RUN}`, () => {
  test(
    "and the capsules that wait come before the event in the log",
    postgresBench(async ({ store }) => {
      using directory = freshDirectory()
      const keysDirectory = `${directory.path}/keys`
      mkdirSync(keysDirectory)
      const own: OwnDeps = { store, keysDirectory, issuerId: "svc", machine: clockAt(Date.UTC(2026, 0, 1)) }
      await enrolOwnIdentities(own)
      const sold = ["a", "b", "c"]
      for (const name of sold) await sell(store, name)
      const known = await store.read(keysOfUses)
      const { keyId } = activeKeyOf(own, known, "statement")
      const recoveryKey = readPrivateKey(await keptRecoveryKey(own, "statement"))
      const revokes = { keyId, since: "2026-01-01T00:00:00.000Z" }
      const outcome = await replaceOwnKey(own, "statement", { mode: "RECOVERY", recoveryKey, revokes })
      expect(outcome.kind).toBe("REPLACED")
      const agentId = known.find(({ use }) => use === "statement")?.agentId ?? ""
      const event = (await store.read(() => mapPath(agentId)))?.logIndex
      const places = await Promise.all(
        sold.map(async (name) => (await store.read(() => findDelivery(`drq_${name}`)))?.logIndex),
      )
      const { size } = await store.read(readTreeHead)
      expect([...places, event]).toEqual([size - 4, size - 3, size - 2, size - 1])
      expect(await store.read(waitingCapsules)).toBeNull()
    }),
  )
})
