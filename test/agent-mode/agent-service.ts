/** A whole service in this process with enrolled agents that sign their calls. The test moves its clock. */
import type { Static, TSchema } from "@sinclair/typebox"
import type { Operation } from "../../schemas/operation.ts"
import type { SettingName } from "../../src/base/config.ts"
import { HOUR } from "../../src/core/time.ts"
import { compile } from "../../src/http/read-body.ts"
import { routes } from "../../src/server/app.ts"
import { enrolTestAgent, type TestAgent } from "../fixtures/agent.ts"
import { DECIDED_AT } from "../fixtures/decision.ts"
import { BASE_URL, clockAt, testService } from "../fixtures/service.ts"
import { asRequest, type SigningChanges, signedCall } from "./signed-calls.ts"

/** An hour before the decisions of the fixtures. */
export const START = DECIDED_AT - HOUR + 250

export interface Told {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
  /** Status, code and reason codes of a problem. */
  readonly refusal: string
}

export async function agentService(settings: Partial<Record<SettingName, string>> = {}) {
  const clock = clockAt(START)
  const running = await testService(clock, { rate_limits: "off", ...settings })
  const app = routes(running.service)
  const send = async (request: Request) => app.handle(request)
  const told = async (response: Response): Promise<Told> => {
    const body = (await response.json()) as Record<string, unknown>
    const reasons = (body["reason_codes"] as string[] | undefined) ?? []
    return {
      status: response.status,
      headers: response.headers,
      body,
      refusal: [response.status, body["code"], ...reasons].join(" "),
    }
  }
  return {
    ...running,
    clock,
    send,
    told,
    enrol: (): Promise<TestAgent> => enrolTestAgent(send, BASE_URL),
    /** Signs and sends; checks a 200 against the schema of its row. */
    async call(agent: TestAgent, row: Operation, body: unknown, changes: SigningChanges = {}): Promise<Told> {
      const signed = await signedCall(agent, { url: BASE_URL + row.path, body, at: clock.now() }, changes)
      const answer = await told(await send(asRequest(signed)))
      const schema = row.responses[answer.status]?.schema
      if (answer.status === 200 && schema && !compile(schema).Check(answer.body)) {
        const fault = compile(schema).Errors(answer.body).First()
        throw new Error(`not the answer of ${row.id}: ${fault?.path} ${fault?.message} ${JSON.stringify(answer.body)}`)
      }
      return answer
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

export type AgentService = Awaited<ReturnType<typeof agentService>>
export type AnswerOf<S extends TSchema> = Static<S>
