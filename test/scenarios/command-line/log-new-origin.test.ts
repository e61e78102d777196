/** `init` sets and prints the name of the log, and only one command changes it. Each start logs a note when the host differs. */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { LogDescriptor } from "../../../schemas/agent-id/log.ts"
import { openCheckpoint, readVerifierKey } from "../../../src/core/checkpoint.ts"
import { sha256 } from "../../../src/core/sha256.ts"
import { nativeNoteCrypto } from "../../../src/core/sign-checkpoint.ts"
import { run, serve } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"

async function initialised(folder: string, ...flags: string[]): Promise<{ data: string; out: string }> {
  const data = join(folder, "data")
  const { exit, out, err } = await run(["init", "--data", data, ...flags])
  expect([exit, err]).toEqual([0, ""])
  return { data, out }
}

const LIVE = ["--environment", "live", "--base-url", "https://decisions.example"]

describe("init", () => {
  test("of a live directory names the log after the base URL, prints the name and keeps the URL as a setting", async () => {
    using fresh = freshDirectory()
    const { data, out } = await initialised(fresh.path, ...LIVE)
    expect(out).toMatch(/^log {10}decisions\.example\/agent-id\/log\/1$/m)
    expect(readFileSync(join(data, "bizauth.toml"), "utf8")).toMatch(/^base_url = "https:\/\/decisions\.example"$/m)
    expect((await run(["log", "checkpoint", "--data", data])).out).toStartWith("decisions.example/agent-id/log/1\n")
    expect((await run(["keys", "export", "--use", "log", "--data", data])).out).toStartWith(
      "decisions.example/agent-id/log/1+",
    )
  })

  test("of a test directory without a base URL names the log after the default address", async () => {
    using fresh = freshDirectory()
    const { out } = await initialised(fresh.path, "--environment", "test")
    expect(out).toMatch(/^log {10}127\.0\.0\.1:8402\/agent-id\/log\/1$/m)
  })
})

const differs = (err: string) => err.split("\n").filter((line) => line.includes('"event":"log_origin_differs"'))

test("serve logs a note when the base URL has another host than the log, and no note for the same host", async () => {
  using fresh = freshDirectory()
  const { data } = await initialised(fresh.path, ...LIVE)
  for (const [flags, said] of [
    [["--base-url", "https://other.example"], 1],
    [["--base-url", "https://other.example"], 1],
    [[], 0],
  ] as const) {
    await using server = await serve(data, flags)
    await server.stop()
    expect(differs(server.err())).toHaveLength(said)
    if (said === 1) expect(differs(server.err())[0]).toContain("decisions.example/agent-id/log/1")
  }
})

describe("log new-origin", () => {
  test("without --why, without a base URL, or with an invalid reason, changes nothing", async () => {
    using fresh = freshDirectory()
    const { data } = await initialised(fresh.path, "--environment", "test")
    const change = (...flags: string[]) => run(["log", "new-origin", "--data", data, ...flags])
    const url = ["--base-url", "https://new.example"]
    expect((await change(...url)).exit).toBe(2)
    expect((await change("--why", "moved")).err).toContain("--base-url is needed")
    for (const why of ["", " ", "a\u0007b", "x".repeat(501)]) {
      expect((await change(...url, "--why", why)).err).toContain("--why takes 1 to 500 characters")
    }
    expect((await run(["log", "checkpoint", "--data", data])).out).toStartWith("127.0.0.1:8402/agent-id/log/1\n")
  })

  test("starts the next name over the same leaves, prints its key and the last checkpoint of the old name, and publishes the reason", async () => {
    using fresh = freshDirectory()
    const { data } = await initialised(fresh.path, ...LIVE)
    const pinned = (await run(["keys", "export", "--use", "log", "--data", data])).out.trim()
    const flags = ["--base-url", "https://new.example", "--why", "moved to a new host", "--json"]
    const { exit, out } = await run(["log", "new-origin", "--data", data, ...flags])
    expect(exit).toBe(0)
    const changed = JSON.parse(out) as { origin: string; verifier_key: string; last_checkpoint: string }
    expect(changed.origin).toBe("new.example/agent-id/log/2")
    const oldKey = readVerifierKey(sha256, pinned)
    const last = oldKey && openCheckpoint(changed.last_checkpoint, [oldKey], nativeNoteCrypto)
    expect(last).toMatchObject({ origin: "decisions.example/agent-id/log/1", size: 3 })

    await using server = await serve(data, ["--base-url", "https://new.example"])
    expect(differs(server.err())).toEqual([])
    const descriptor = (await (await fetch(`${server.origin}/v1/agent-id/log`)).json()) as LogDescriptor
    expect(descriptor).toMatchObject({
      origin: "new.example/agent-id/log/2",
      verifier_keys: [changed.verifier_key],
      earlier_origins: [{ origin: "decisions.example/agent-id/log/1", tree_size: 3, why: "moved to a new host" }],
    })
    const audit = await run(["log", "audit", "--server", server.origin, "--log-key", changed.verifier_key])
    expect(audit.exit).toBe(0)
    expect((await run(["log", "audit", "--server", server.origin, "--log-key", pinned])).exit).toBe(4)
  })
})
