/** The packages of npm, installed from their files. Their program is a small one. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { packed } from "../../../scripts/release/archive.ts"
import { clientPackage, launcherPackage, machinePackage, type NpmPackage } from "../../../scripts/release/npm.ts"
import { TARGETS } from "../../../scripts/release/targets.ts"
import { compiledBinary } from "../../fixtures/binary.ts"
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
const LEGAL = ["LICENSE", "NOTICES.txt"]
const DOCUMENTS = [...LEGAL, "README.md"].map((name) => ({ name, content: `${name}\n` }))
const HERE = TARGETS.find(({ name }) => name === `${process.platform}-${process.arch}`)
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
  const target = HERE
  const ofMachine = machinePackage({ target: target?.name ?? "", program, documents: DOCUMENTS }, DESCRIBED)
  if (target === undefined || ofMachine === null) throw new Error("there is no package for this machine")
  const launcher = await launcherPackage([target], DOCUMENTS, DESCRIBED)
  const packages = [ofMachine, launcher, clientPackage(DOCUMENTS, DESCRIBED)].map(written)
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

test("a signal reaches the program, which ends in its own way, however busy the machine is", async () => {
  const ended = async () => {
    const child = Bun.spawn([bin(), "wait"], { env: environment, stdout: "pipe" })
    let text = ""
    const reading = (async () => {
      for await (const piece of child.stdout) text += new TextDecoder().decode(piece)
    })()
    await until("it waits", () => text.includes("waits"))
    child.kill("SIGTERM")
    const exit = await child.exited
    // A program that goes on keeps its output open.
    if (exit === 3) await reading
    return [exit, text]
  }
  // Side by side they are as slow as one beside other work: the program may wait before its launcher goes on.
  const ends = await Promise.all(Array.from({ length: 12 }, ended))
  expect(ends).toEqual(ends.map(() => [3, "waits\nended\n"]))
})

test("every package has the licence and the licences of what it bundles", () => {
  for (const name of ["bizauth", `@bizauth/${HERE?.name}`, "bizauth-client"]) {
    const found = readdirSync(at("node_modules", name)).filter((file) => LEGAL.includes(file))
    expect([name, ...found.toSorted()]).toEqual([name, ...LEGAL])
  }
})

test.skipIf(compiledBinary === null)(
  `\`npx bizauth version\` starts the compiled file${compiledBinary === null ? " (NOT RUN: there is no compiled file)" : ""}`,
  async () => {
    const folder = at("compiled")
    mkdirSync(folder)
    writeFileSync(join(folder, "package.json"), "{}")
    if (HERE === undefined) throw new Error("there is no package for this machine")
    const program = { name: "bizauth", content: readFileSync(compiledBinary ?? ""), isProgram: true }
    const ofMachine = machinePackage({ target: HERE.name, program, documents: DOCUMENTS }, DESCRIBED)
    // As released: npm finds no package for other machines.
    const launcher = await launcherPackage(TARGETS, DOCUMENTS, DESCRIBED)
    const files = [launcher, ...(ofMachine === null ? [] : [ofMachine])].map((one) => {
      const path = join(folder, one.name)
      // As a release packs it, but for the level of compression, which costs ten seconds.
      writeFileSync(path, packed("package", one.files, 1_790_000_000, 1))
      return path
    })
    const run = (...words: string[]) =>
      Bun.spawnSync(words, { cwd: folder, env: environment, stdout: "pipe", stderr: "pipe" })
    const installed = run("npm", "install", "--offline", "--no-audit", "--no-fund", ...files)
    expect([installed.exitCode, installed.stderr.toString()]).toEqual([0, ""])
    const ran = run("npx", "bizauth", "version")
    expect([ran.exitCode, ran.stdout.toString()]).toEqual([0, expect.stringMatching(/^bizauth \d/)])
  },
)

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
  const packageFor = (target: string) => machinePackage({ target, program, documents: DOCUMENTS }, DESCRIBED)
  const names = TARGETS.map(({ name }) => name).filter((name) => packageFor(name) !== null)
  expect(names).toEqual(TARGETS.map(({ name }) => name).filter((name) => !name.endsWith("baseline")))
  const { files } = await launcherPackage(TARGETS, DOCUMENTS, DESCRIBED)
  const described = JSON.parse(String(files.find(({ name }) => name === "package.json")?.content))
  expect(Object.keys(described.optionalDependencies)).toEqual(names.map((name) => `@bizauth/${name}`))
})
