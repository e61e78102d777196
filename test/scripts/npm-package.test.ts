/** The npm package of the client module: its files, its types by name, and an import by name. */
import { expect } from "bun:test"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { writeNpmPackage } from "../../scripts/npm-package.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { ROOT } from "../fixtures/imports.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const PROGRAM = `import { type AgentKeys, createKeys } from "bizauth-client"
import { verifyDocument } from "bizauth-client/verifier.mjs"
const keys: AgentKeys = createKeys()
console.log(keys.operational.x.length, typeof verifyDocument)
`

test("a program that imports it by name has types and runs, and the package has only its files", async () => {
  using fresh = freshDirectory()
  const folder = join(fresh.path, "node_modules", "bizauth-client")
  writeNpmPackage(folder)
  expect(readdirSync(folder).toSorted()).toEqual(["client.d.ts", "client.mjs", "package.json", "verifier.mjs"])
  writeFileSync(join(fresh.path, "package.json"), JSON.stringify({ type: "module" }))
  writeFileSync(join(fresh.path, "main.mjs"), PROGRAM.replace("type AgentKeys, ", "").replace(": AgentKeys", ""))
  writeFileSync(
    join(fresh.path, "main.ts"),
    PROGRAM.replace(/import \{ verify.*\n/, "").replace(", typeof verifyDocument", ""),
  )
  const ran = Bun.spawnSync([Bun.which("node") ?? process.execPath, "main.mjs"], { cwd: fresh.path, stderr: "inherit" })
  expect(ran.stdout.toString()).toBe("43 function\n")
  const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--lib", "es2023,dom", "main.ts"]
  const types = Bun.spawnSync([join(ROOT, "node_modules/.bin/tsc"), ...flags], { cwd: fresh.path })
  expect([types.exitCode, types.stdout.toString()]).toEqual([0, ""])
})
