import { afterAll, beforeAll, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { type PlanName, planCommand, runPlan } from "../../../src/cli/agent/ask-plan.ts"
import { readInput } from "../../../src/cli/command.ts"
import { findCommand } from "../../../src/cli/commands.ts"
import { type AgentService, agentService } from "../../agent-mode/agent-service.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { BASE_URL } from "../../fixtures/service.ts"

const folder = freshDirectory()
const draft = join(folder.path, "draft.json")
let service: AgentService
let printed = ""
let sent = ""
const terminal = {
  out: (text: string) => {
    printed += text
  },
  err: () => {},
  environment: {},
}

beforeAll(async () => {
  service = await agentService({ agent_mode_planning: "on" })
  writeFileSync(
    draft,
    JSON.stringify({ company: { legal_name: "SECRET NAME LTD", identifiers: { lei: "SECRETLEI" } } }),
  )
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

async function ask(route: PlanName, intent: string, ...more: string[]) {
  printed = ""
  const args = ["--server", BASE_URL, "--intent", intent, "--request", draft, ...more]
  const input = readInput(planCommand("agent plan", route, ""), args, terminal)
  const send = async (request: Request) => {
    // Planning is asked first, then for the keys that signed the plan.
    if (request.method === "POST") sent = await request.clone().text()
    return service.send(request)
  }
  return await runPlan(input, route, send, { ...realMachine, now: service.clock.now })
}

test("the parser finds the five commands", async () => {
  for (const name of ["plan", "readiness", "price", "routes", "reuse"]) {
    expect((await findCommand(["agent", name])?.load())?.command.name).toBe(`agent ${name}`)
  }
})

test("a plan is printed, and no value of the draft is sent", async () => {
  expect(await ask("preflight", "CHECK_US_COMPANY")).toBe(EXIT.NOT_PERMITTED)
  expect(printed).toContain("outcome SOURCE_UNAVAILABLE")
  expect(printed).toContain("because PAYMENTS_OFF")
  expect(sent).not.toContain("SECRET")
  expect(sent).toContain("/company/legal_name")
  // That operation has no such inputs.
  await expect(ask("readiness", "READ_US_SOURCE_HEALTH")).rejects.toMatchObject({ exit: EXIT.INVALID })
})

test("SUPPORTED is 0, a refusal 3, no answer 4", async () => {
  writeFileSync(draft, "{}")
  expect(await ask("preflight", "READ_US_SOURCE_HEALTH")).toBe(EXIT.DONE)
  expect(printed).toContain("next    CALL_OPERATION")
  await expect(ask("preflight", "NO_SUCH_NEED")).rejects.toMatchObject({ exit: EXIT.INVALID })
  await using off = await agentService()
  const args = ["--server", BASE_URL, "--intent", "CHECK_US_COMPANY", "--request", draft]
  const input = readInput(planCommand("agent plan", "preflight", ""), args, terminal)
  await expect(runPlan(input, "preflight", off.send, { ...realMachine, now: off.clock.now })).rejects.toMatchObject({
    exit: EXIT.NOT_CHECKED,
  })
})
