/**
 * A data directory on a network file system, as the kernel would list it: the text of `/proc/self/mountinfo` is replaced for one process, in a
 * mount namespace of its own.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { PLAIN_ENVIRONMENT } from "../../../scripts/plain-environment.ts"
import { initialised, programUnderTest, run } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { SCENARIO_MS } from "../../fixtures/test-operator.ts"
import { until } from "../../fixtures/until.ts"

setDefaultTimeout(SCENARIO_MS)

const folder = freshDirectory()
const mounts = join(folder.path, "mounts")
writeFileSync(mounts, `36 27 0:45 / ${folder.path} rw,relatime - nfs4 server:/export rw\n`)
const AS_LISTED = `mount --bind "$0" /proc/$$/mountinfo && exec "$@"`
const inNamespace = (...words: readonly string[]) => ["unshare", "-m", "sh", "-c", AS_LISTED, mounts, ...words]
const canReplace = Bun.spawnSync(inNamespace("true"), { stderr: "ignore" }).exitCode === 0
const NOT_REPLACED = canReplace ? "" : " (NOT RUN: this user may make no mount namespace)"

afterAll(() => folder[Symbol.dispose]())

function spawnThere(...args: readonly string[]) {
  const words = inNamespace(...programUnderTest, ...args)
  return Bun.spawn(words, { env: PLAIN_ENVIRONMENT, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
}

describe.skipIf(!canReplace)(`a database file on nfs4${NOT_REPLACED}`, () => {
  const found = () => `is on ${folder.path}, a file system of type nfs4 that other machines may share`

  test("serve warns at its start, and serves", async () => {
    const child = spawnThere("serve", "--data", await initialised(folder.path), "--listen", "127.0.0.1:0")
    let log = ""
    const reading = (async () => {
      for await (const chunk of child.stderr) log += new TextDecoder().decode(chunk)
    })()
    await until("it has started", () => log.includes('"event":"started"') || child.exitCode !== null)
    child.kill("SIGTERM")
    expect(await child.exited).toBe(0)
    await reading
    const lines = log.split("\n").filter((line) => line.includes('"event":"data_directory"'))
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: "warn", notice: expect.stringContaining(found()) }),
    ])
  })

  test("check says so and names the way out; on a disk it says nothing of it", async () => {
    const data = await initialised(folder.path)
    const child = spawnThere("check", "--data", data, "--offline")
    const out = await new Response(child.stdout).text()
    expect(out).toContain(found())
    expect(out).toContain("mend  move the directory to a disk of this machine, or use PostgreSQL (docs/scale.md)")
    expect((await run(["check", "--data", data, "--offline"])).out).toContain("ok       directory file system: ")
  })
})
