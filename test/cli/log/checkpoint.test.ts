import { expect, test } from "bun:test"
import { command } from "../../../src/cli/log/checkpoint.ts"
import { openCheckpoint } from "../../../src/core/checkpoint.ts"
import { nativeNoteCrypto, verifierKeyOf } from "../../../src/core/sign-checkpoint.ts"
import { createDataDirectory, openDataDirectory } from "../../../src/data/data-directory.ts"
import { listServiceKeys } from "../../../src/store/identity/service-keys.ts"
import { fixedLogOrigin } from "../../../src/store/log/log-origin.ts"
import { readTreeHead } from "../../../src/store/log/transparency-log.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { clockAt } from "../../fixtures/service.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const ORIGIN = "svc.example/agent-id/log/1"
const onFatal = (error: unknown): never => {
  throw error
}

test("the command prints the current checkpoint signed by the log key, and refuses without a log name", async () => {
  using fresh = freshDirectory()
  const path = `${fresh.path}/data`
  const clock = clockAt(Date.now())
  await createDataDirectory(path, "test", clock)
  expect(await runCommand(command, ["--data", path])).toMatchObject({ exit: 5, out: "" })
  const { store } = await openDataDirectory(path, { machine: clock, migrate: false, onFatal })
  await store.run(() => fixedLogOrigin("svc.example"))
  const { size } = await store.read(readTreeHead)
  const [key] = await store.read(() => listServiceKeys("log"))
  await store.close()
  const { exit, out } = await runCommand(command, ["--data", path])
  expect(exit).toBe(0)
  expect(openCheckpoint(out, [verifierKeyOf(ORIGIN, key?.x ?? "")], nativeNoteCrypto)).toMatchObject({
    origin: ORIGIN,
    size,
  })
})

test("an expired log key signs no checkpoint: exit 6", async () => {
  using fresh = freshDirectory()
  const path = `${fresh.path}/data`
  const clock = clockAt(Date.UTC(2001, 0, 1))
  await createDataDirectory(path, "test", clock)
  const { store } = await openDataDirectory(path, { machine: clock, migrate: false, onFatal })
  await store.run(() => fixedLogOrigin("svc.example"))
  await store.close()
  const ran = await runCommand(command, ["--data", path])
  expect([ran.exit, ran.out]).toEqual([6, ""])
  expect(ran.err).toContain("keys rotate --use log")
})
