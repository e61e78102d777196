/** Plain `bun test` in this directory, with the settings of `bunfig.toml`. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { freshDirectory } from "../fixtures/directories.ts"

const ROOT = join(import.meta.dir, "..", "..")

/** Runs test files in one process, and returns what it printed. */
async function bunTest(files: Readonly<Record<string, string>>, environment: Record<string, string> = {}) {
  using folder = freshDirectory()
  const paths = Object.keys(files).map((name) => join(folder.path, name))
  for (const [name, text] of Object.entries(files)) await Bun.write(join(folder.path, name), text)
  const { BIZAUTH_TEST_MS: _, ...env } = process.env
  const child = Bun.spawn([process.execPath, "test", ...paths], {
    cwd: ROOT,
    env: { ...env, ...environment },
    stdout: "ignore",
    stderr: "pipe",
  })
  const printed = await new Response(child.stderr).text()
  await child.exited
  return printed
}

const sleeping = (ms: number) => `import { test } from "bun:test"
test("sleeps", () => Bun.sleep(${ms}))
`

test.concurrent("gives the tests of every file more than the five seconds of Bun", async () => {
  const printed = await bunTest({ "one.test.ts": sleeping(1), "other.test.ts": sleeping(5_100) })
  expect(printed).toContain(" 2 pass\n 0 fail\n")
})

test.concurrent("ends a test that hangs, and keeps the numbers of the lines", async () => {
  const hanging = sleeping(60_000)
  const failing = `import { expect, test } from "bun:test"
test("fails", () => {
  expect(1).toBe(2)
})
`
  const files = { "one.test.ts": sleeping(1), "other.test.ts": hanging, "third.test.ts": failing }
  const printed = await bunTest(files, { BIZAUTH_TEST_MS: "1000" })
  expect(printed).toContain("this test timed out after 1000ms")
  expect(printed).toMatch(/third\.test\.ts:3:\d+\)/)
  expect(printed).toContain(" 1 pass\n 2 fail\n")
})
