/** kill -9 at every step of a proposal and of its last approval, and two processes that approve at once. */
import { afterEach, beforeEach, expect, setDefaultTimeout } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { formatInstant } from "../../../src/core/time.ts"
import { composeAct, NO_MEMBERS } from "../../../src/review/acts.ts"
import { purposeOf } from "../../../src/store/review/review-sessions.ts"
import type { GivenRecord } from "../../../src/store/review/take-record.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { newStore, type TestStore } from "../../fixtures/new-store.ts"
import { assertionBy, type Person, reviewedCase, reviewedHit } from "../../fixtures/review-log.ts"
import {
  digestIn,
  entered,
  PARTY,
  propose,
  type ReviewService,
  repeated,
  reviewers,
  reviewService,
  withCases,
} from "../../fixtures/review-service.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { AFTER_COMMIT, WHOLE } from "./approving-process.ts"
import { countsOfRows } from "./case-counts.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(120_000)

let opened: TestStore
let folder: ReturnType<typeof freshDirectory>
let service: ReviewService
let persons: Person[]
beforeEach(async () => {
  opened = await newStore()
  folder = freshDirectory()
  service = reviewService(opened.store)
  await withCases(service.deps, 2)
  persons = await reviewers(service, ["Ann", "Ben", "Cem"], 2)
})
afterEach(async () => {
  await opened.close()
  folder[Symbol.dispose]()
})

/** Writes a signed act for a process. */
async function signedAct(name: string, by: Person, kind: "OTHER_PARTY" | "APPROVE", members: object): Promise<string> {
  const session = await entered(service, by)
  const draft = { ...NO_MEMBERS, kind, reviewer: by.reviewer, key_id: by.enrolment.key_id, text: "seen", ...members }
  const { record, challenge } = await composeAct(service.deps, session, draft)
  const assertion = assertionBy(by, record) ?? expect.unreachable()
  const purpose = await opened.store.read(() => purposeOf(challenge, session))
  const given: Omit<GivenRecord, "isListed"> = {
    ...JSON.parse(purpose ?? "").act,
    signed: { assertion, counter: by.authenticator.counter - 1, challenge, sessionHash: session },
    at: formatInstant(service.at),
    suppressionId: `sup_${name}`,
  }
  const file = join(folder.path, `${name}.json`)
  writeFileSync(file, JSON.stringify(given))
  return file
}

function started(file: string, step: string) {
  const program = join(import.meta.dir, "approving-process.ts")
  return Bun.spawn([process.execPath, program, opened.address, file, step], { stdin: "pipe", stdout: "pipe" })
}

/** Returns whether it died: a step after the last one does not come. */
async function killedAt(file: string, step: string): Promise<boolean> {
  const killed = started(file, step)
  killed.stdin.end()
  await killed.exited
  return killed.signalCode === "SIGKILL"
}

const counts = async () => ({
  records: await opened.count("review_record"),
  judgements: await opened.count("review_judgement"),
  suppressions: await opened.count("suppression"),
  leaves: await opened.count("log_leaf"),
  cases: Object.fromEntries((await countsOfRows(opened)).map(({ state, cases }) => [state, cases])),
})

test("a proposal that is killed at any step is not there, with nothing of it; after the commit it is there once", async () => {
  const [ann] = persons as [Person]
  const until = formatInstant(service.at + 86_400_000)
  const file = await signedAct("proposal", ann, "OTHER_PARTY", {
    ...{ case: reviewedCase(1), hit: reviewedHit(), until, judged: PARTY, shown: '{"shown":1}' },
  })
  const before = await counts()
  let step = 1
  while (await killedAt(file, String(step))) {
    expect([step, await counts()]).toEqual([step, before])
    step++
  }
  expect(step).toBeGreaterThan(12)
  const after = { ...before, records: before.records + 1, leaves: before.leaves + 1, cases: { OPEN: 1, PROPOSED: 1 } }
  expect(await counts()).toEqual(after)
})

test("the last approval that is killed at any step leaves neither its record nor a judgement; after the commit both", async () => {
  const [ann, ben] = persons as [Person, Person]
  const proposal = digestIn(await propose(service, ann, 1))
  const file = await signedAct("approval", ben, "APPROVE", await repeated(service, proposal))
  const before = await counts()
  let step = 1
  while (await killedAt(file, String(step))) {
    expect([step, await counts()]).toEqual([step, before])
    step++
  }
  expect(step).toBeGreaterThan(15)
  const after = {
    ...{ records: before.records + 1, leaves: before.leaves + 1, judgements: 1, suppressions: 1 },
    cases: { OPEN: 1, DECIDED: 1 },
  }
  expect(await counts()).toEqual(after)
})

test("killed after the commit of the last approval, everything is there, and the same act again is refused", async () => {
  const [ann, ben] = persons as [Person, Person]
  const proposal = digestIn(await propose(service, ann, 1))
  const file = await signedAct("approval", ben, "APPROVE", await repeated(service, proposal))
  expect(await killedAt(file, AFTER_COMMIT)).toBe(true)
  const after = await counts()
  expect([after.judgements, after.suppressions]).toEqual([1, 1])
  const again = started(file, WHOLE)
  again.stdin.write("go\n")
  again.stdin.end()
  expect(await new Response(again.stdout).text()).toContain("CHALLENGE_UNKNOWN")
  expect(await counts()).toEqual(after)
})

test("two processes that approve at once make one judgement, and the later one says why", async () => {
  const [ann, ben, cem] = persons as [Person, Person, Person]
  const proposal = digestIn(await propose(service, ann, 1))
  const members = await repeated(service, proposal)
  const files = [await signedAct("ben", ben, "APPROVE", members), await signedAct("cem", cem, "APPROVE", members)]
  const before = await counts()
  const processes = files.map((file) => started(file, WHOLE))
  const readers = processes.map(({ stdout }) => stdout.getReader())
  const decoder = new TextDecoder()
  // Both have opened the database before either begins.
  for (const reader of readers) expect(decoder.decode((await reader.read()).value)).toBe("ready\n")
  for (const { stdin } of processes) {
    stdin.write("go\n")
    stdin.end()
  }
  const said = await Promise.all(readers.map(async (reader) => decoder.decode((await reader.read()).value)))
  await Promise.all(processes.map(({ exited }) => exited))
  const faults = said.map((line) => JSON.parse(line).fault).toSorted()
  expect(faults).toEqual(["STALE", null].toSorted())
  expect(await counts()).toEqual({
    records: before.records + 1,
    leaves: before.leaves + 1,
    judgements: 1,
    suppressions: 1,
    cases: { OPEN: 1, DECIDED: 1 },
  })
})
