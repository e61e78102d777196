/** What the long commands report while they run: their steps, and a count of everything that can be counted. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { migrations } from "../../db/migrations.ts"
import type { ExitCode } from "../../src/base/exit.ts"
import { realMachine } from "../../src/base/machine.ts"
import { command as check } from "../../src/cli/check.ts"
import type { Command } from "../../src/cli/command.ts"
import { command as replay } from "../../src/cli/documents/replay.ts"
import { command as audit } from "../../src/cli/log/audit.ts"
import { command as screen } from "../../src/cli/screening/screen.ts"
import { command as exportSource } from "../../src/cli/sources/export.ts"
import { command as importSource } from "../../src/cli/sources/import.ts"
import { command as status } from "../../src/cli/sources/status.ts"
import { command as verifySource } from "../../src/cli/sources/verify.ts"
import { createDataDirectory, openDataDirectory } from "../../src/data/data-directory.ts"
import { SOURCE_IDS } from "../../src/sources/records/party.ts"
import { deliveredDecision } from "../fixtures/decision.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { makeOlderDirectory } from "../fixtures/older-directory.ts"
import { writeSampleLists } from "../fixtures/sample-lists.ts"
import { runWatched } from "../fixtures/terminal.ts"
import { unfinished, watchedWork } from "../fixtures/watched-work.ts"

const NAMES = 700
const root = freshDirectory()
const at = (...names: string[]) => join(root.path, ...names)
const data = at("data")
const SDN = "US_OFAC_SDN"

beforeAll(async () => {
  await createDataDirectory(data, "test", realMachine)
  const folders = writeSampleLists(at("lists"), { publishedAt: Date.now() })
  for (const id of SOURCE_IDS) {
    const { exit, steps } = await runWatched(importSource, [id, folders[id], "--data", data])
    expect([id, exit, steps.map(({ what }) => what)]).toEqual([
      id,
      0,
      ["reading the files", "comparing with the list in use", "storing the list and building the index of names"],
    ])
  }
  writeFileSync(
    at("names.csv"),
    `id,name,type,country\n${Array.from({ length: NAMES }, (_, index) => `${index},Ann Moss ${index},,\n`).join("")}`,
  )
  mkdirSync(at("bundles"))
  for (const name of ["a", "b", "c"]) writeFileSync(at("bundles", `${name}.json`), deliveredDecision().bundle)
})
afterAll(() => root[Symbol.dispose]())

interface Expected {
  readonly exit: ExitCode
  readonly steps: readonly (readonly [what: string, unit: string | null, done: number | "ALL"])[]
}

const LISTS = ["reading the lists", "lists", SOURCE_IDS.length] as const
const INDEX = ["building the index of names", null, 0] as const

const rows: readonly [name: string, command: Command, args: string[], expected: Expected][] = [
  [
    "screen of a file: every byte of it",
    screen,
    ["--file", at("names.csv"), "--data", data],
    { exit: 0, steps: [LISTS, INDEX, ["screening", "bytes", "ALL"]] },
  ],
  ["screen of one name", screen, ["Ann Moss", "--data", data], { exit: 0, steps: [LISTS, INDEX] }],
  ["sources status", status, ["--data", data], { exit: 0, steps: [LISTS] }],
  [
    "sources export",
    exportSource,
    [SDN, "--data", data, "--out", at("sdn.tar")],
    { exit: 0, steps: [["copying the snapshot", "bytes", "ALL"]] },
  ],
  [
    "sources verify of an archive",
    verifySource,
    [at("sdn.tar")],
    { exit: 0, steps: [["reading the snapshot", null, 0]] },
  ],
  [
    "log audit: every leaf, every map entry, every agent",
    audit,
    ["--data", data],
    {
      exit: 0,
      steps: [
        ["replaying the log", "leaves", 3],
        ["comparing the map", "entries and branches", "ALL"],
        ["comparing the agents", "agents", 3],
      ],
    },
  ],
  ["replay of a folder", replay, [at("bundles")], { exit: 0, steps: [["replaying", "files", 3]] }],
  [
    "check",
    check,
    ["--data", data, "--offline"],
    {
      exit: 0,
      steps: [
        "looking at settings, keys and the log",
        "looking at lists and registers",
        "looking at payments",
        "looking at disk and backups",
        "looking at shared caps",
        "asking nodes, relayer and facilitator",
      ].map((what) => [what, null, 0] as const),
    },
  ],
]

test.each(rows)("%s", async (_name, command, args, expected) => {
  const { exit, out, err, steps } = await runWatched(command, args)
  expect([exit, exit === expected.exit ? "" : out + err]).toEqual([expected.exit, ""])
  expect(steps.map(({ what, unit, done, total }) => [what, unit, done === total ? "ALL" : done])).toEqual(
    expected.steps.map(([what, unit]) => [what, unit, unit === null ? 0 : "ALL"]),
  )
  const stated = expected.steps.flatMap(([what, , done]) => (typeof done === "number" ? [[what, done]] : []))
  expect(stated.map(([what]) => [what, steps.find((step) => step.what === what)?.done])).toEqual(stated)
})

test("an upgrade copies the database and counts its migrations", async () => {
  mkdirSync(at("older"), { mode: 0o700 })
  await makeOlderDirectory(at("older", "data"), Date.now())
  const { work, steps } = watchedWork()
  const onFatal = (error: unknown): never => {
    throw error
  }
  const opened = await openDataDirectory(at("older", "data"), { machine: realMachine, migrate: true, onFatal, work })
  await opened.store.close()
  expect([steps.map(({ what }) => what), unfinished(steps)]).toEqual([
    ["copying the database before the upgrade", "upgrading the database"],
    [],
  ])
  expect(steps[1]?.done).toBe(migrations.length - 5)
  expect(readdirSync(at("older", "data")).some((name) => name.startsWith("bizauth.db.before-"))).toBe(true)
})
