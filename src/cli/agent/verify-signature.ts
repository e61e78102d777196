import type { AgentSignatureVerification } from "../../../schemas/agent-id/signature-outcomes.ts"
import { type Send, sendOverNetwork, serverOrigin } from "../../agent/service-call.ts"
import { askVerification } from "../../agent/verify-signature.ts"
import { EXIT, type ExitCode } from "../../base/exit.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { readDocumentJson } from "../documents/read-document.ts"

export const command: Command = {
  name: "agent verify-signature",
  summary: "ask a service for the five outcomes of a signed statement; exit 0 only when all of them are good",
  operands: "FILE",
  flags: { server: { help: "origin of the service", value: "URL", required: true }, ...JSON_FLAG },
  examples: ["agent verify-signature ./signed.json --server http://127.0.0.1:8402"],
  run: (input) => runVerifySignature(input, sendOverNetwork),
}

export async function runVerifySignature(input: Input, send: Send): Promise<ExitCode> {
  const server = serverOrigin(input.need("server"))
  const document = await readDocumentJson(input.operands[0] ?? "-")
  const result = await askVerification(document, server, send)
  input.out(input.on("json") ? `${JSON.stringify({ version: 1, ...result })}\n` : printed(result))
  return result.next_machine_action === "ACCEPT_AS_KEY_CONTROL_EVIDENCE_ONLY" ? EXIT.DONE : EXIT.INVALID
}

function printed({ outcomes, next_machine_action, valid_until }: AgentSignatureVerification): string {
  const { lifecycle } = outcomes
  const line = (name: string, ...words: readonly (string | null)[]) =>
    `${name.padEnd(14)} ${words.filter((word) => word !== null).join(" ")}\n`
  const anchored = { true: "anchored before the change", false: "not anchored before the change", null: null }
  return [
    line("cryptographic", outcomes.cryptographic.outcome, ...outcomes.cryptographic.reason_codes),
    line(
      "lifecycle",
      lifecycle.outcome,
      lifecycle.claimed_time_relation,
      anchored[`${lifecycle.anchored_before_change}`],
      ...lifecycle.reason_codes,
    ),
    line("replay", outcomes.replay.outcome, outcomes.replay.mode, ...outcomes.replay.reason_codes),
    line("temporal", outcomes.temporal.outcome, ...outcomes.temporal.reason_codes),
    line("distribution", outcomes.distribution.outcome, ...outcomes.distribution.reason_codes),
    line("valid until", valid_until),
    line("next", next_machine_action),
  ].join("")
}
