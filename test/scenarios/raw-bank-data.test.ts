/** Refused bank data is stored nowhere: not in a response, not on disk, not in a log, also not after a crash. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { enrolTestAgent } from "../fixtures/agent.ts"
import { initialised, serve } from "../fixtures/binary.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { bytesUnder } from "../fixtures/kept-bytes.ts"
import { planted, withRoom } from "../fixtures/planted-bodies.ts"
import { expectProblem } from "../fixtures/problems.ts"

const EACH = 12

/** A database contains long runs of zeros by chance. */
const isTelling = (text: string) => new Set(text.replace(/\D/g, "")).size >= 5

/** The sent form, its JSON escapes, and its letters and digits alone, all long enough not to occur by chance. */
function tracesOf(text: string): string[] {
  const bare = text.normalize("NFKC").replace(/[^A-Za-z0-9]/g, "")
  return [text, JSON.stringify(text).slice(1, -1), bare].map((each) => Buffer.from(each).toString("latin1"))
}

test("refused bank data appears in no response, no log line, no database page and no write-ahead log", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const flags = ["--log-level", "debug", "--rate-limits", "off", "--agent-mode-planning", "on"]
  const sent: string[] = []
  const kept: string[] = []
  let agentId = ""
  {
    await using server = await serve(data, flags)
    agentId = (await enrolTestAgent(fetch, server.origin)).agentId
    for (const operation of withRoom) {
      const bodies = fc.sample(
        planted(operation).filter(({ taken, text }) => taken && isTelling(text)),
        EACH,
      )
      for (const { text, spoiled } of bodies) {
        const answer = await fetch(server.origin + operation.path.replace(/\{[A-Za-z]+\}/g, "unknown"), {
          method: "POST",
          headers: { "content-type": "application/json", "user-agent": encodeURIComponent(text) },
          body: JSON.stringify(spoiled),
        })
        const told = JSON.stringify([...answer.headers])
        const problem = await expectProblem(answer, operation.schemaFaultStatus ?? 422, "RAW_BANK_DATA_REJECTED")
        kept.push(told + JSON.stringify(problem))
        sent.push(text)
      }
    }
    await server.kill()
    kept.push(bytesUnder(data), server.out(), server.err())
    expect(server.err()).toContain('"code":"RAW_BANK_DATA_REJECTED"')
  }
  {
    await using server = await serve(data, flags)
    expect(await server.stop()).toBe(0)
    kept.push(bytesUnder(data), server.out(), server.err())
  }
  // Control of the search: it finds stored text, otherwise the lines below would prove nothing.
  expect(bytesUnder(data)).toContain(agentId)
  expect(sent.length).toBe(withRoom.length * EACH)
  const all = kept.join("\n")
  for (const trace of sent.flatMap(tracesOf)) expect([trace, all.includes(trace)]).toEqual([trace, false])
}, 60_000)
