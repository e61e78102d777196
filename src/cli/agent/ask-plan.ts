/** What the five planning commands share: they differ in the route and in the lines that they print. */
import { Value } from "@sinclair/typebox/value"
import type { PlanningResult } from "../../../schemas/agent-mode/planning.ts"
import { planningOperations, planningResults } from "../../../schemas/agent-mode/planning-operations.ts"
import { planningIntent } from "../../agent/plan-request.ts"
import { postJson, refused, type Send, sendOverNetwork, serverOrigin } from "../../agent/service-call.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { type Machine, realMachine } from "../../base/machine.ts"
import { digestOf } from "../../core/digest.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { readDocumentJson } from "../documents/read-document.ts"
import { ISSUER_FLAG, requireSignedByService } from "./signed-by-service.ts"

export type PlanName = keyof typeof planningOperations

const required = true

/** Exit 0: SUPPORTED. 9: another outcome. 3: refused. 4: no answer. */
export function planCommand(name: string, route: PlanName, summary: string): Command {
  return {
    name,
    summary: `${summary} (0 supported, 9 not now, 3 refused, 4 no answer)`,
    operands: "",
    flags: {
      server: { help: "origin of the service", value: "URL", required },
      intent: { help: "name of the intent, as in svc-intents.json", value: "NAME", required },
      request: { help: "draft of the body; only pointers and digests of it are sent", value: "DRAFT", required },
      product: { help: "product, if several operations meet the intent", value: "ID" },
      agent: { help: "agent id; without it the one in the draft", value: "ID" },
      delegation: { help: "id of the delegation that covers the request", value: "ID" },
      budget: { help: "most that the call may cost, in millionths of a USDC", value: "ATOMIC" },
      evidence: { help: "DIGEST or DIGEST/WALLET_ENTRY_ID, separated by commas", value: "LIST", repeats: true },
      ...ISSUER_FLAG,
      ...JSON_FLAG,
    },
    examples: [`${name} --server http://127.0.0.1:8402 --intent CHECK_US_COMPANY --request ./check.json`],
    run: (input) => runPlan(input, route, sendOverNetwork, realMachine),
  }
}

export async function runPlan(input: Input, route: PlanName, send: Send, machine: Machine): Promise<ExitCode> {
  const server = serverOrigin(input.need("server"))
  const body = planningIntent(
    {
      intent: input.need("intent"),
      draft: await readDocumentJson(input.need("request")),
      productId: input.text("product") ?? null,
      agentId: input.text("agent") ?? null,
      delegationId: input.text("delegation") ?? null,
      budget: input.text("budget") ?? null,
      evidence: input.list("evidence"),
    },
    machine,
  )
  const row = planningOperations[route]
  const reply = await postJson(send, server + row.path, body)
  if (reply.status !== 200) throw refused("plan", reply)
  const answer: unknown = reply.body
  if (!Value.Check(planningResults[route], answer)) {
    throw new CommandError(EXIT.NOT_CHECKED, "the service answered something that is no plan")
  }
  const payload: PlanningResult = answer.payload
  if (payload.request_digest !== digestOf(body) || payload.operation !== row.id) {
    throw new CommandError(EXIT.INVALID, "the plan is of another request")
  }
  await requireSignedByService({ input, server, send, machine }, [answer])
  input.out(input.on("json") ? `${JSON.stringify(answer)}\n` : printed(payload))
  return payload.outcome === "SUPPORTED" ? EXIT.DONE : EXIT.NOT_PERMITTED
}

function printed(payload: PlanningResult): string {
  const { maximum_price: price, missing_inputs: missing } = payload
  const own = Object.entries(payload).filter(([name]) => OWN.includes(name))
  return [
    `outcome ${payload.outcome}`,
    ...payload.reason_codes.map((code) => `because ${code}`),
    ...missing.map(({ pointer, supplied_by }) => `missing ${pointer} (${supplied_by})`),
    price ? `price   at most ${price.amount} ${price.asset}; nothing was charged` : "price   none",
    ...own.map(([name, value]) => `${name} ${JSON.stringify(value)}`),
    `until   ${payload.valid_until}`,
    `next    ${payload.next_machine_action}`,
    "",
  ].join("\n")
}

/** Members that only one of the routes answers. */
const OWN = ["readiness", "quote", "selected_route", "reusable", "rejected", "acquisition_delta"]
