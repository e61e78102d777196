/**
 * Makes `dist/release`: the source archive, an archive for each target, the bill of materials, the provenance and the sums. With `--rebuild FOLDER` it
 * makes a published release again and exits with 1 if a byte differs. docs/release.md describes both.
 */
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { readPublicKey } from "../src/release/minisign.ts"
import { folderOf, makeRelease } from "./release/make-release.ts"
import { rebuild } from "./release/rebuild.ts"
import { sourceOf } from "./release/source.ts"
import { BUN_VERSION, TARGETS } from "./release/targets.ts"

const root = join(import.meta.dir, "..")
const runtimes = join(root, "dist", "runtimes")
const print = (line: string) => console.log(line)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** A folder that does not exist. */
    out: { type: "string", default: join(root, "dist", "release") },
    /** File with the public key of releases. */
    "release-key": { type: "string" },
    /** All of them without this flag. */
    target: { type: "string", multiple: true },
    rebuild: { type: "string" },
  },
})

function exitWith(message: string): never {
  console.error(message)
  process.exit(2)
}

if (Bun.version !== BUN_VERSION) exitWith(`a release is made with Bun ${BUN_VERSION}; this is ${Bun.version}`)

if (values.rebuild !== undefined) {
  const differing = await rebuild({ folder: resolve(values.rebuild), runtimes, print })
  if (differing.length > 0) {
    console.error(`${differing.length} files differ from those of the source`)
    process.exit(1)
  }
} else {
  const [version, ...more] = positionals
  if (version === undefined || more.length > 0) exitWith("usage: bun scripts/release.ts VERSION, or --rebuild FOLDER")
  const out = resolve(values.out)
  if (existsSync(out)) exitWith(`${out} exists; name another folder with --out, or remove it`)
  const names = values.target ?? TARGETS.map(({ name }) => name)
  const unknown = names.find((name) => !TARGETS.some((target) => target.name === name))
  if (unknown !== undefined) exitWith(`unknown target ${unknown}; known: ${TARGETS.map(({ name }) => name).join(", ")}`)
  mkdirSync(dirname(out), { recursive: true })
  const key = values["release-key"]
  const releaseKey = key === undefined ? null : readPublicKey(readFileSync(key, "utf8"))
  const targets = TARGETS.filter(({ name }) => names.includes(name))
  await makeRelease({ version, source: sourceOf(root, folderOf(version)), releaseKey, targets, out, runtimes, print })
  print(`sign it:  bizauth release sign ${join(out, "SHA256SUMS")} --key FILE --comment "bizauth ${version}"`)
}
