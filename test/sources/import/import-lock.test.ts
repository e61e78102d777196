import { expect, test } from "bun:test"
import { ImportBusy, withImportLock } from "../../../src/sources/import/import-lock.ts"
import { freshDirectory } from "../../fixtures/directories.ts"

test("a second import is refused at once, and the lock is free again after a failure", async () => {
  using fresh = freshDirectory()
  let finish = () => {}
  const first = withImportLock(
    fresh.path,
    () =>
      new Promise<string>((_, reject) => {
        finish = () => reject(new Error("failed"))
      }),
  )
  await expect(withImportLock(fresh.path, async () => "second")).rejects.toThrow(ImportBusy)
  finish()
  await expect(first).rejects.toThrow("failed")
  expect(await withImportLock(fresh.path, async () => "third")).toBe("third")
})

test("a killed process releases the lock", async () => {
  using fresh = freshDirectory()
  const module = JSON.stringify(new URL("../../../src/sources/import/import-lock.ts", import.meta.url).pathname)
  const code = `const { withImportLock } = await import(${module})
    await withImportLock(${JSON.stringify(fresh.path)}, async () => { console.log("held"); await Bun.sleep(60_000) })`
  const child = Bun.spawn([process.execPath, "-e", code], { stdout: "pipe", stderr: "inherit" })
  await child.stdout.getReader().read()
  await expect(withImportLock(fresh.path, async () => "mine")).rejects.toThrow(ImportBusy)
  child.kill("SIGKILL")
  await child.exited
  expect(await withImportLock(fresh.path, async () => "mine")).toBe("mine")
})
