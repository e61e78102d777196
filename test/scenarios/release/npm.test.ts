/** The packages of npm, installed from their files. Their program is a small one. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { packed } from "../../../scripts/release/archive.ts"
import { clientPackage, launcherPackage, machinePackage, type NpmPackage } from "../../../scripts/release/npm.ts"
import { TARGETS } from "../../../scripts/release/targets.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { until } from "../../fixtures/until.ts"

setDefaultTimeout(60_000)

const DESCRIBED = { version: "1.0.0", license: "Apache-2.0" }
const PROGRAM = `#!/bin/sh
if [ "$1" = fail ]; then exit 7; fi
if [ "$1" = die ]; then kill -KILL $$; fi
if [ "$1" = wait ]; then trap 'echo ended; exit 3' TERM; echo waits; while :; do sleep 0.05; done; fi
echo "$@"
`
const fresh = freshDirectory()
afterAll(() => fresh[Symbol.dispose]())
const at = (...names: string[]) => join(fresh.path, ...names)
const environment = { PATH: process.env["PATH"] ?? "", HOME: fresh.path }

function written({ name, files }: NpmPackage): string {
  writeFileSync(at(name), packed("package", files, 1_790_000_000))
  return at(name)
}
const bin = () => at("node_modules/.bin/bizauth")
function bizauth(...words: string[]) {
  const ran = Bun.spawnSync([bin(), ...words], { env: environment, stdout: "pipe", stderr: "pipe" })
  return { exit: ran.exitCode, signal: ran.signalCode, out: ran.stdout.toString(), err: ran.stderr.toString() }
}

beforeAll(async () => {
  const program = { name: "bizauth", content: PROGRAM, isProgram: true }
  const isHere = ({ name }: { readonly name: string }) => name === `${process.platform}-${process.arch}`
  const target = TARGETS.find(isHere)
  const ofMachine = machinePackage(target?.name ?? "", program, DESCRIBED)
  if (target === undefined || ofMachine === null) throw new Error("there is no package for this machine")
  const packages = [ofMachine, await launcherPackage([target], DESCRIBED), clientPackage(DESCRIBED)].map(written)
  writeFileSync(at("package.json"), "{}")
  const install = ["npm", "install", "--offline", "--no-audit", "--no-fund", ...packages]
  const ran = Bun.spawnSync(install, { cwd: fresh.path, env: environment, stdout: "pipe", stderr: "pipe" })
  if (ran.exitCode !== 0) throw new Error(ran.stderr.toString())
})

test("the command starts the program of this machine with its words, and ends as it ends", () => {
  expect(bizauth("version", "--json")).toMatchObject({ exit: 0, out: "version --json\n" })
  expect(bizauth("fail").exit).toBe(7)
  expect(bizauth("die").signal).toBe("SIGKILL")
})

test("a signal reaches the program, which ends in its own way", async () => {
  const child = Bun.spawn([bin(), "wait"], { env: environment, stdout: "pipe" })
  let text = ""
  const reading = (async () => {
    for await (const piece of child.stdout) text += new TextDecoder().decode(piece)
  })()
  await until("it waits", () => text.includes("waits"))
  child.kill("SIGTERM")
  expect(await child.exited).toBe(3)
  await reading
  expect(text).toBe("waits\nended\n")
})

test("the client module can be imported by its name", () => {
  const program = `import * as client from "bizauth-client"; console.log(Object.keys(client).length > 3)`
  writeFileSync(at("import.mjs"), program)
  const ran = Bun.spawnSync(["node", at("import.mjs")], { env: environment, stdout: "pipe", stderr: "pipe" })
  expect([ran.stdout.toString(), ran.stderr.toString()]).toEqual(["true\n", ""])
})

test("without the package of the machine the command says what to do", () => {
  rmSync(at("node_modules/@bizauth"), { recursive: true })
  expect(bizauth("version")).toMatchObject({ exit: 1, err: expect.stringContaining("is not installed") })
})

test("every target but those without AVX2 has a package, and the launcher names exactly these", async () => {
  const program = { name: "bizauth", content: PROGRAM, isProgram: true }
  const names = TARGETS.filter(({ name }) => machinePackage(name, program, DESCRIBED) !== null).map(({ name }) => name)
  expect(names).toEqual(TARGETS.map(({ name }) => name).filter((name) => !name.endsWith("baseline")))
  const { files } = await launcherPackage(TARGETS, DESCRIBED)
  const described = JSON.parse(String(files.find(({ name }) => name === "package.json")?.content))
  expect(Object.keys(described.optionalDependencies)).toEqual(names.map((name) => `@bizauth/${name}`))
})
