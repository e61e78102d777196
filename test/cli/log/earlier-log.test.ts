/** An audit of a log that had another name: what was published under it is part of the log, or the audit says what is missing. */
import { expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { writeVerifierKey } from "../../../src/core/checkpoint.ts"
import { sha256 } from "../../../src/core/sha256.ts"
import { checkpointNote, verifierKeyOf } from "../../../src/core/sign-checkpoint.ts"
import { router } from "../../../src/http/router.ts"
import { Checkpoints } from "../../../src/products/agent-id/log-checkpoint.ts"
import { transparencyLog } from "../../../src/products/agent-id/log-routes.ts"
import { changeLogOrigin, earlierOrigins } from "../../../src/store/log/log-origin.ts"
import { readTreeHead } from "../../../src/store/log/transparency-log.ts"
import { testShell } from "../../fixtures/shell.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { auditData, auditedDirectory, auditServed, logKey, ORIGIN, SERVER } from "../audited-directory.ts"

const test = slowTests(import.meta.path)

const SECOND_NAME = "new.example/agent-id/log/2"
const NEW_KEY = writeVerifierKey(sha256, verifierKeyOf(SECOND_NAME, logKey.x))
const CHANGE = { why: "restored from a backup of 2026-01-01T00:00:00Z", at: "2026-01-02T00:00:00Z" }

/** A log of 12 leaves under the first name and 8 more under the second, and a server of it. */
async function renamedLog() {
  const at = await auditedDirectory()
  await at.grow(0, 12)
  const oldNote = await at.note()
  await at.store.run(() => changeLogOrigin("new.example", CHANGE))
  await at.grow(12, 20)
  const { shell } = testShell()
  const checkpoints = new Checkpoints(SECOND_NAME, () => logKey)
  const app = router(
    shell,
    transparencyLog({
      shell,
      store: at.store,
      baseUrl: () => SERVER,
      origin: SECOND_NAME,
      earlierOrigins: await at.store.read(earlierOrigins),
      checkpoints,
      publicKeys: () => [logKey.x],
    }),
  )
  const file = join(at.path, "..", "kept.txt")
  const audits = async (note: string) => {
    writeFileSync(file, note)
    return [
      await auditData(at.path, "--since", file, "--log-key", NEW_KEY),
      await auditServed(async (request) => app.handle(request), "--log-key", NEW_KEY, "--since", file),
    ]
  }
  /** A checkpoint under the first name. The log key signed it, as before the change. */
  const kept = async (size: number, rootHash?: Uint8Array) => {
    const head = await at.store.read(readTreeHead)
    return checkpointNote({ origin: ORIGIN, size, rootHash: rootHash ?? head.rootHash }, logKey)
  }
  return { ...at, oldNote, audits, kept }
}

test("a checkpoint of the earlier name is the beginning of the log, and the audit names both", async () => {
  await using at = await renamedLog()
  for (const { exit, out } of await at.audits(at.oldNote)) {
    expect(exit).toBe(0)
    expect(out).toContain(`log      ${SECOND_NAME}`)
    expect(out).toContain(`its 12 leaves are the first of this log; replaced at ${CHANGE.at}: ${CHANGE.why}`)
    expect(out).toContain(`the earlier checkpoint's 12 leaves of ${ORIGIN} are the first of this log`)
  }
})

test("a checkpoint of the earlier name with more leaves proves a split, and the audit says how many leaves are missing and why", async () => {
  await using at = await renamedLog()
  for (const { exit, out } of await at.audits(await at.kept(17))) {
    expect(exit).toBe(3)
    expect(out).toContain(
      `${ORIGIN} had 17 leaves, and ${SECOND_NAME} goes on after its first 12: 5 leaves were left out`,
    )
    expect(out).toContain(CHANGE.why)
    expect(out).toContain("first at leaf 12")
  }
})

test("a checkpoint of the earlier name with other leaves is a fork", async () => {
  await using at = await renamedLog()
  for (const { exit, out } of await at.audits(await at.kept(12, new Uint8Array(32)))) {
    expect(exit).toBe(3)
    expect(out).toContain(
      `the first 12 leaves differ from those of the earlier checkpoint of ${ORIGIN}: the log has forked`,
    )
  }
})

test("a checkpoint of a name that the log never had is of another log", async () => {
  await using at = await renamedLog()
  const { rootHash } = await at.store.read(readTreeHead)
  const note = checkpointNote({ origin: "other.example/agent-id/log/1", size: 12, rootHash }, logKey)
  for (const { exit } of await at.audits(note)) expect(exit).toBe(4)
})

test("an earlier name whose last checkpoint does not fit the leaves is a fork, without any kept checkpoint", async () => {
  await using at = await renamedLog()
  const [earlier] = await at.store.read(earlierOrigins)
  const forged = { ...earlier, root_hash: Buffer.alloc(32).toString("base64") }
  at.database.query("UPDATE meta SET value = ?1 WHERE name = 'log_origin_1'").run(JSON.stringify(forged))
  const { exit, out } = await auditData(at.path)
  expect(exit).toBe(3)
  expect(out).toContain(`the first 12 leaves are not those of ${ORIGIN}: the log has forked`)
})
