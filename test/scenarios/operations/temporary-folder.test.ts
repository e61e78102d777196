/** Commands that unpack a backup, where the folder for temporary files cannot be written. */
import { afterAll, expect, test } from "bun:test"
import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../../src/base/exit.ts"
import { initialised, run } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"

const fresh = freshDirectory()
afterAll(() => fresh[Symbol.dispose]())
const missing = join(fresh.path, "missing")
const environment = { TMPDIR: missing }

test("the backup is unpacked beside itself, and nothing stays there", async () => {
  const data = await initialised(fresh.path)
  const folder = join(fresh.path, "backups")
  mkdirSync(folder)
  const file = join(folder, "first.tar.zst")
  expect((await run(["backup", file, "--data", data])).exit).toBe(EXIT.DONE)
  for (const words of [
    ["backup", "verify"],
    ["upgrade", "check"],
  ])
    expect(await run([...words, file], { environment })).toMatchObject({ exit: EXIT.DONE })
  expect(readdirSync(folder)).toEqual(["first.tar.zst"])
  rmSync(data, { recursive: true })
})

test("a refusal names both places and the variable that names another one", async () => {
  const file = join(missing, "first.tar.zst")
  const ran = await run(["backup", "verify", file], { environment })
  expect(ran.exit).toBe(EXIT.DATA)
  expect(ran.err).toContain(`no temporary folder can be made in ${missing} (ENOENT) or ${missing} (ENOENT)`)
  expect(ran.err).toContain("name a folder that this user may write with TMPDIR")
})
