/** Writes the deliveries of one build, each file as its buyer received it, and their list with digests. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { version } from "../../package.json"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { digestBytes } from "../../src/core/digest.ts"
import { formatInstant } from "../../src/core/time.ts"
import { SNAPSHOTS_FOLDER } from "../../src/sources/import/snapshot-files.ts"
import {
  type BuildList,
  fileOf,
  ISSUER,
  KINDS,
  type Kind,
  LIST,
  type StoredCase,
} from "../../test/corpus/build-list.ts"
import type { Sold, SoldCase } from "./sell-all.ts"

/** What the program is made of. */
const PROGRAM = ["src", "schemas", "db", "package.json", "bun.lock"]

/** Returns the last commit that changed the program. Throws if files differ from the checkout, because then no commit identifies the program. */
function sourceCommit(): string {
  const git = (...words: string[]) => {
    const { stdout, exitCode } = Bun.spawnSync(["git", ...words], { cwd: join(import.meta.dir, "../..") })
    if (exitCode !== 0) throw new Error(`git ${words.join(" ")} fails`)
    return stdout.toString().trim()
  }
  if (git("status", "--porcelain") !== "") throw new Error("commit every change first: the list names the commit")
  return git("log", "-1", "--format=%H", "--", ...PROGRAM)
}

/** `folder` must not exist. Returns the number of written files and their total bytes. */
export function writeBuild(folder: string, build: string, sold: Sold): { files: number; bytes: number } {
  const source_commit = sourceCommit()
  const [first] = sold.cases
  if (!first) throw new Error("nothing was sold")
  let files = 0
  let bytes = 0
  const write = (name: string, content: string | Uint8Array) => {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content, { flag: "wx" })
    files++
    bytes += Buffer.byteLength(content)
  }

  const jwks = `${JSON.stringify(first.issuerJwks, null, 2)}\n`
  write(ISSUER, jwks)
  const cases = sold.cases.map((one): StoredCase => {
    const stored = { product: one.product, case: one.name, shows: one.shows, decision: one.decision }
    const documents: Record<Kind, string | Uint8Array | null> = {
      "bundle.json": one.bundle,
      "answer.json": one.answer,
      "answer.json.capsule": one.capsule,
      "passport.json": one.passport,
    }
    const given = KINDS.flatMap((kind) => (documents[kind] === null ? [] : [[kind, documents[kind]] as const]))
    const digests = Object.fromEntries(given.map(([kind, content]) => [kind, digestBytes(content)]))
    const kept = given.filter(([kind]) => !kind.startsWith("answer") || !isRepeated(one))
    for (const [kind, content] of kept) write(fileOf(stored, kind), content)
    return { ...stored, files: kept.map(([kind]) => kind), digests }
  })
  for (const { path, bytes } of sold.snapshotFiles) write(join(SNAPSHOTS_FOLDER, path), bytes)
  const list: BuildList = {
    build,
    program_version: version,
    source_commit,
    made_at: formatInstant(Date.now()),
    issuer_jwks: digestBytes(jwks),
    snapshots: Object.fromEntries(sold.snapshotFiles.map(({ path, bytes }) => [path, digestBytes(bytes)])),
    cases,
  }
  write(LIST, printed(list))
  return { files, bytes }
}

/** Returns whether the bundle contains the answer byte for byte. */
function isRepeated({ bundle, answer }: SoldCase): boolean {
  const { answer: one, delivery } = JSON.parse(new TextDecoder().decode(bundle))
  return canonicalize(one ?? delivery) === answer
}

/** Prints one case and one file on each line, so that a reader can find it. */
function printed({ cases, ...head }: BuildList): string {
  const lines = Object.entries(head).map(([name, value]) => `  ${JSON.stringify(name)}: ${indented(value)},\n`)
  const rows = cases.map((one) => `    ${JSON.stringify(one)}`).join(",\n")
  return `{\n${lines.join("")}  "cases": [\n${rows}\n  ]\n}\n`
}

function indented(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", "\n  ")
}
