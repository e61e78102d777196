import type { MachineAction } from "../../schemas/us/proof-capsule.ts"
import { parseInstant } from "../core/time.ts"
import type { Conclusion } from "../delivery/report.ts"
import { type VerifyResult, verifyDelivery } from "../delivery/verify-delivery.ts"
import { realMachine } from "../machine.ts"
import { paymentDecisionRules } from "../products/us/payment-decision/replay-rules.ts"
import { type Command, type Input, JSON_FLAG } from "./command.ts"
import { CommandError, EXIT } from "./exit.ts"
import { EXIT_OF, printReport, readDocumentBytes, readDocumentJson, readIssuerFile } from "./read-document.ts"

/** Offline: nothing this file imports can reach a network, and no data directory is opened. */
export const command: Command = {
  name: "verify",
  summary: "verify a delivery or an exported bundle offline",
  operands: "FILE",
  flags: {
    issuer: { help: "JWK set of the issuer, obtained apart from the delivery", value: "JWKS", required: true },
    at: { help: "judge at this RFC 3339 time instead of now", value: "TIME" },
    request: { help: "the delivery must answer exactly this request", value: "FILE" },
    require: { help: "exit 3 unless machine_action is this, e.g. RELEASE_PAYMENT", value: "ACTION" },
    reformatted: { help: "accept bytes that are not canonical, such as a pretty-printed copy" },
    ...JSON_FLAG,
  },
  run: async (input) => {
    const now = realMachine.now()
    const at = judgedAt(input, now)
    const require = requiredAction(input)
    const [path = "-"] = input.operands
    const requestPath = input.text("request")
    const result = verifyDelivery(
      {
        bytes: await readDocumentBytes(path),
        keys: await readIssuerFile(input.need("issuer")),
        at,
        reformatted: input.on("reformatted"),
        ...(requestPath === undefined ? {} : { request: await readDocumentJson(requestPath) }),
        ...(require === undefined ? {} : { require }),
      },
      paymentDecisionRules,
    )
    const isHistorical = at < now
    input.out(input.on("json") ? jsonAnswer(result, isHistorical) : textAnswer(result, isHistorical))
    return EXIT_OF[result.report.conclusion]
  },
}

function judgedAt(input: Input, now: number): number {
  const given = input.text("at")
  if (given === undefined) return now
  const at = parseInstant(given)
  if (at === null) throw new CommandError(EXIT.USAGE, "--at takes an RFC 3339 time, e.g. 2026-11-20T10:00:00Z")
  return at
}

const ACTIONS: readonly MachineAction[] = ["RELEASE_PAYMENT", "HOLD_PAYMENT", "BLOCK_PAYMENT"]

function requiredAction(input: Input): MachineAction | undefined {
  const given = input.text("require")
  const action = ACTIONS.find((known) => known === given)
  if (given !== undefined && !action) throw new CommandError(EXIT.USAGE, `--require takes one of ${ACTIONS.join(", ")}`)
  return action
}

const WORD: Readonly<Record<Conclusion, string>> = {
  VALID: "valid",
  INVALID: "INVALID",
  NOT_CHECKED: "COULD NOT CHECK",
}

function textAnswer({ report, delivery }: VerifyResult, isHistorical: boolean): string {
  const historical = isHistorical ? "HISTORICAL: judged at a time in the past; says nothing about now\n" : ""
  const permits = delivery?.machine_action === "RELEASE_PAYMENT"
  const about =
    report.conclusion === "VALID" && delivery
      ? `: decision ${delivery.decision}, ${delivery.machine_action}${permits ? "" : ". A correct delivery, not permission to pay"}`
      : ""
  return `${printReport(report)}${historical}${WORD[report.conclusion]}${about}\n`
}

/** Decision and action are given only for a valid delivery, so that nothing reads them out of a forged one. */
function jsonAnswer({ report, delivery }: VerifyResult, isHistorical: boolean): string {
  const proven = report.conclusion === "VALID" ? delivery : null
  return `${JSON.stringify({
    version: 1,
    result: report.conclusion,
    historical: isHistorical,
    decision: proven?.decision ?? null,
    machine_action: proven?.machine_action ?? null,
    decision_id: proven?.decision_id ?? null,
    valid_until: proven?.valid_until ?? null,
    checks: report.lines,
  })}\n`
}
