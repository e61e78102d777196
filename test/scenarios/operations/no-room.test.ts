/** A disk that is full in the middle of a file: one sentence that names the file, and no stack trace. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { initialised, programUnderTest, type Ran, run } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"

let folder: ReturnType<typeof freshDirectory>
let data: string
const at = (name: string) => join(folder.path, name)
beforeAll(async () => {
  folder = freshDirectory()
  data = await initialised(folder.path)
  expect((await run(["backup", at("whole.tar.zst"), "--data", data])).exit).toBe(0)
})
afterAll(() => folder[Symbol.dispose]())

/** Root may write anywhere, so a limit of the file size replaces a full disk. */
async function withFilesUpTo(kib: number, args: readonly string[]): Promise<Ran> {
  const limited = ["bash", "-c", `ulimit -f ${kib}; exec "$@"`, "bash", ...programUnderTest, ...args]
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" }
  const child = Bun.spawn(limited, { env, stdout: "pipe", stderr: "pipe" })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exit: await child.exited, out, err }
}

describe.each([8, 64, 512, 1024])("with files of at most %d KiB", (kib) => {
  test.each([
    ["init", () => ["init", "--data", at(`new-${kib}`), "--environment", "test"], () => `new-${kib}`],
    ["restore", () => ["restore", at("whole.tar.zst"), "--data", at(`restored-${kib}`)], () => `restored-${kib}`],
    ["backup", () => ["backup", at(`b-${kib}.tar.zst`), "--data", data], () => (kib === 8 ? "data" : `b-${kib}`)],
  ])("%s names the file that has no room", async (_, args, named) => {
    const ran = await withFilesUpTo(kib, args())
    expect([ran.exit, ran.out]).toEqual([7, ""])
    const said = ran.err.split("\n").filter((line) => line.startsWith("bizauth: "))
    expect(said).toEqual([expect.stringContaining(at(named()))])
    expect(ran.err).not.toContain("    at ")
    expect(existsSync(at(`restored-${kib}`))).toBe(false)
  })

  test("init can be run again in the same directory", async () => {
    const again = ["init", "--data", at(`again-${kib}`), "--environment", "test"]
    expect((await withFilesUpTo(kib, again)).exit).toBe(7)
    expect((await run(again)).exit).toBe(0)
  })
})
