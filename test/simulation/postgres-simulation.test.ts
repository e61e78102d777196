/**
 * The paid path over the real store on a real PostgreSQL: cut sessions, refused statements and commits, lost answers to COMMIT, killed processes.
 * The long run is `bun scripts/simulate.ts --engine postgres --purchases 5000 --world 250 --brief`.
 */
import { describe, expect } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { atLength, sample } from "../fixtures/long.ts"
import { HAS_POSTGRES, NOT_RUN } from "../fixtures/postgres.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { SERVER_MUTANTS } from "./database/server-mutants.ts"
import { mutated } from "./mutate.ts"
import { simulate } from "./runs-apart.ts"

const test = slowTests(import.meta.path)

const TIMEOUT_MS = atLength(280_000, 1_800_000)
const PURCHASES = atLength(12, 500)

const given = (purchases: number, size: number, rates: object, arrivalMs: number) =>
  ["--purchases", String(purchases), "--world", String(size), "--rates", JSON.stringify(rates)].concat([
    ...["--arrival", String(arrivalMs), "--processes", "2", "--seed", "m"],
  ])
const CUTS = { server: { cut: 0.01, conflict: 0.01 } }

/** The first of its worlds usually finds it. */
const CAUGHT: readonly { readonly mutant: string; readonly given: readonly string[] }[] = [
  { mutant: "lost_commit_counts", given: given(120, 30, CUTS, 200) },
  { mutant: "outcome_by_inserted_row", given: given(180, 60, { server: { cut: 0.05, conflict: 0 } }, 20) },
  { mutant: "commit_refused_unnoticed", given: given(120, 30, CUTS, 200) },
  { mutant: "capsule_left_out", given: given(30, 10, {}, 20) },
]

const ON_POSTGRES = ["--engine", "postgres", "--brief"]

describe.skipIf(!HAS_POSTGRES)(`the paid path on PostgreSQL${NOT_RUN}`, () => {
  test(
    `heavy faults violate no promise in ${PURCHASES} purchases`,
    async () => {
      const given = ["--purchases", String(PURCHASES), "--world", "250", "--processes", "2", "--seed", "postgres"]
      const { exitCode, text } = await simulate(...ON_POSTGRES, ...given, "--faults", "heavy")
      expect(text).not.toContain("VIOLATION")
      expect(exitCode, text).toBe(0)
      for (const fault of ["sessions cut", "statements refused with 40001", "waits for a lock", "kills"]) {
        expect(text).toContain(fault)
      }
    },
    TIMEOUT_MS,
  )

  test.each(sample(CAUGHT, 1))(
    "the simulation finds $mutant",
    async ({ mutant, given }) => {
      const { exitCode, text } = await simulate(...ON_POSTGRES, "--faults", "none", "--mutant", mutant, ...given)
      expect(text).toContain("VIOLATION")
      expect(exitCode, text).toBe(1)
    },
    TIMEOUT_MS,
  )
})

test("every mutant has a run that finds it", () => {
  expect(CAUGHT.map(({ mutant }) => mutant).toSorted()).toEqual(SERVER_MUTANTS.map(({ name }) => name).toSorted())
})

test.each(SERVER_MUTANTS)("$name changes its file as it is now", (mutant) => {
  expect(mutated(mutant)).not.toBe(readFileSync(join(import.meta.dir, "../..", mutant.file), "utf8"))
})
