/** The log checked by its operator and by a stranger: agents enrol over HTTP, then the audit reads every leaf on both sides. */
import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { LogDescriptor } from "../../schemas/agent-id/log.ts"
import { initialised, run, serve } from "../fixtures/binary.ts"
import { freshDirectory } from "../fixtures/directories.ts"

test("the log of agents' events passes an outside audit with a pinned key and the operator's audit, also after kill -9", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  await using first = await serve(data)
  const enrol = async (name: string, server: string) => {
    const keys = join(fresh.path, `${name}.json`)
    expect((await run(["agent", "keygen", "--out", keys])).exit).toBe(0)
    expect((await run(["agent", "enroll", "--keys", keys, "--server", server])).exit).toBe(0)
  }
  await enrol("a", first.origin)
  const descriptor = (await (await fetch(`${first.origin}/v1/agent-id/log`)).json()) as LogDescriptor
  const pinned = ["--log-key", descriptor.verifier_keys[0] ?? ""]
  const kept = join(fresh.path, "checkpoint.txt")
  writeFileSync(kept, await (await fetch(descriptor.checkpoint_uri)).text())
  await enrol("b", first.origin)
  const size = async (args: string[]) => {
    const ran = await run(["log", "audit", "--json", ...args])
    expect([ran.exit, ran.err]).toEqual([0, ""])
    return JSON.parse(ran.out).tree_size as number
  }
  const before = await size(["--server", first.origin, ...pinned, "--since", kept])
  expect(before).toBeGreaterThanOrEqual(2)
  await first.kill()

  expect(await size(["--data", data, "--since", kept])).toBe(before)
  await using second = await serve(data)
  await enrol("c", second.origin)
  expect(await size(["--server", second.origin, ...pinned, "--since", kept])).toBe(before + 1)
  const printed = await run(["log", "checkpoint", "--data", data])
  expect(printed.out).toBe(await (await fetch(`${second.origin}/v1/agent-id/log/checkpoint`)).text())
  expect(await second.stop()).toBe(0)
}, 60_000)
