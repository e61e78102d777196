/** A requirement with a secret is refused with its place, and no byte of the secret is stored, logged or said to the hub. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { AcpOfferingRequirement } from "../../schemas/acp/requirement.ts"
import { USE } from "../../schemas/hints.ts"
import { readRequirement } from "../../src/jobs/read-requirement.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { signedRequest } from "../fixtures/decision.ts"
import { Draw } from "../fixtures/draw.ts"
import { draftOf, finalOf } from "../fixtures/job-buyer.ts"
import { type JobRail, openJobRail } from "../fixtures/job-rail.ts"
import { OFFERING, PROVIDER } from "../fixtures/job-worker.ts"

import { atLength, sample } from "../fixtures/long.ts"
import { type Place, places } from "../fixtures/planted-bodies.ts"
import { bareKeys, secretsAnywhere } from "../fixtures/secrets.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { storedText } from "../fixtures/stored-text.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(60_000)

const draw = new Draw("secrets in jobs")
const anywhere = secretsAnywhere(draw)
const bare = bareKeys(draw)
const client = DEV_ACCOUNTS.payer
const request = signedRequest({ request: { decision_fee_payer: client.address } })
const offering = { ...OFFERING, implementations: [] }
const FORMS = [
  ["a draft", draftOf(request)],
  ["a final requirement", finalOf({ jobId: "7", client, request })],
] as const

const USES_WITHOUT_DIGESTS: readonly unknown[] = ["PROSE", "TRACE"]

function expectSecret({ put, pointer }: Place, { name, text, core }: (typeof anywhere)[number]): void {
  const reading = readRequirement(JSON.stringify(put(text)), offering)
  if (reading.kind !== "faulty") throw new Error(`${name} in ${pointer} was read as ${reading.kind}`)
  expect([name, pointer, reading.code]).toEqual([name, pointer, "SECRET"])
  expect(reading.pointers.some((found) => found === pointer || pointer.startsWith(found))).toBe(true)
  expect(JSON.stringify(reading)).not.toContain(core)
}

describe.each(FORMS)("%s with a secret is faulty", (_, form) => {
  const all = places(AcpOfferingRequirement, form)

  test("in every member", () => {
    expect(all.length).toBeGreaterThan(30)
    for (const place of all) for (const secret of anywhere) expectSecret(place, secret)
  })

  test("in prose and ids of logs also as a bare key", () => {
    const without = all.filter(({ schema }) => USES_WITHOUT_DIGESTS.includes(schema[USE as never]))
    expect(without.length).toBeGreaterThan(1)
    for (const place of without) for (const secret of bare) expectSecret(place, secret)
  })
})

describe("over the hub", () => {
  let rail: JobRail
  beforeAll(async () => {
    rail = await openJobRail()
  })
  afterAll(() => rail.close())

  test("what a job keeps of such a message is its verdict", async () => {
    const sent = sample(anywhere, atLength(12, anywhere.length))
    let said = ""
    for (const { text } of sent) {
      const job = await rail.newJob()
      const form = draftOf(job.request)
      for (const message of [
        text,
        JSON.stringify({ note: text }),
        `{"note":${JSON.stringify(text)}`,
        JSON.stringify({ ...form, [text]: 1 }),
        JSON.stringify({ ...form, offering: { ...form.offering, name: text } }),
        JSON.stringify({ ...form, request: { ...job.request, economic_purpose: text } }),
        JSON.stringify({ ...form, note: text.padEnd(70_000) }),
      ]) {
        rail.send(job, message)
      }
      rail.hub.post(job.jobId, job.client.address, text, "text")
      rail.hub.post(job.jobId, job.client.address, "x", text)
      rail.hub.system(job.jobId, text)
      await rail.until(job.jobId, "AWAITING_REQUIREMENT")
      expect(rail.told(job.jobId)).toContain("SECRET")
      said += rail.hub.said(job.jobId, PROVIDER.address).join("\n")
      await rail.leaveJobs()
    }
    const kept = (await storedText(rail.database)) + JSON.stringify(rail.server.lines) + said
    // Control of the search: the verdict is stored and said.
    expect(kept).toContain("REQUIREMENT_TOO_LARGE")
    for (const { name, core } of sent) expect([name, kept.includes(core)]).toEqual([name, false])
  })
})
