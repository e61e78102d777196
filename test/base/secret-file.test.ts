import { expect, test } from "bun:test"
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeSecretFile, readSecretFile, SecretFileError, writeSecretFile } from "../../src/base/secret-file.ts"
import { freshDirectory } from "../fixtures/directories.ts"

test("a secret is written once, readable by its owner only, and never replaced", () => {
  using fresh = freshDirectory()
  const path = join(fresh.path, "secret")
  writeSecretFile(path, "first")
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(() => writeSecretFile(path, "second")).toThrow(/EEXIST/)
  expect(readFileSync(path, "utf8")).toBe("first")
})

test.each([0o640, 0o604, 0o660, 0o777])("mode %o is rejected with the command that fixes it", (mode) => {
  using fresh = freshDirectory()
  const path = join(fresh.path, "secret")
  writeSecretFile(path, "x")
  Bun.spawnSync(["chmod", mode.toString(8), path])
  expect(() => readSecretFile(path)).toThrow(`chmod 600 ${path}`)
})

test("a link to a secret is judged by its target file, because system credentials are links", () => {
  using fresh = freshDirectory()
  writeSecretFile(join(fresh.path, "secret"), "x")
  symlinkSync(join(fresh.path, "secret"), join(fresh.path, "link"))
  expect(readSecretFile(join(fresh.path, "link")).toString()).toBe("x")
})

test("a missing file, a directory and a file over the size limit are rejected as a secret", () => {
  using fresh = freshDirectory()
  const long = join(fresh.path, "long")
  writeFileSync(long, "x".repeat(4097), { mode: 0o600 })
  for (const path of [join(fresh.path, "none"), fresh.path, long]) {
    expect(() => readSecretFile(path)).toThrow(SecretFileError)
  }
})

test("a missing secret that is created stays the same, and leaves no other copy", () => {
  using fresh = freshDirectory()
  const path = join(fresh.path, "secret")
  writeFileSync(`${path}.partial-1`, "cut short", { mode: 0o600 })
  makeSecretFile(path, Buffer.from("first"))
  makeSecretFile(path, Buffer.from("second"))
  expect(readFileSync(path, "utf8")).toBe("first")
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(fresh.path)).toEqual(["secret"])
})

test("many processes that create one secret all read the same complete value", async () => {
  using fresh = freshDirectory()
  const path = join(fresh.path, "secret")
  const module = join(import.meta.dir, "..", "..", "src", "base", "secret-file.ts")
  const program = `const { makeSecretFile, readSecretFile } = await import(${JSON.stringify(module)})
    makeSecretFile(${JSON.stringify(path)}, crypto.getRandomValues(new Uint8Array(32)))
    process.stdout.write(readSecretFile(${JSON.stringify(path)}).toString("hex"))`
  const read = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" })
      const text = await new Response(child.stdout).text()
      expect(await child.exited).toBe(0)
      return text
    }),
  )
  expect(new Set(read).size).toBe(1)
  expect(read[0]).toMatch(/^[0-9a-f]{64}$/)
  expect(readdirSync(fresh.path)).toEqual(["secret"])
})
