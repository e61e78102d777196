import { existsSync } from "node:fs"
import { AnswerAction } from "../../schemas/business-answer.ts"
import { MachineAction } from "../../schemas/us/proof-capsule.ts"
import { ANSWER_RULES } from "../answer-rules.ts"
import { verifyAnswer } from "../answers/verify-answer.ts"
import { parseInstant } from "../core/time.ts"
import type { Stated, VerifyInput, VerifyResult } from "../delivery/check-document.ts"
import type { Conclusion } from "../delivery/report.ts"
import { verifyDelivery } from "../delivery/verify-delivery.ts"
import { type DocumentKind, documentKind } from "../document-kind.ts"
import { realMachine } from "../machine.ts"
import { verifyPassport } from "../products/us/company-check/verify-passport.ts"
import { paymentDecisionRules } from "../products/us/payment-decision/replay-rules.ts"
import { type Command, type Input, JSON_FLAG } from "./command.ts"
import { CommandError, EXIT } from "./exit.ts"
import { EXIT_OF, printReport, readDocumentBytes, readDocumentJson, readIssuerFile } from "./read-document.ts"

/** Offline: nothing this file imports can reach a network, and no data directory is opened. */
export const command: Command = {
  name: "verify",
  summary: "verify a delivery, an answer, an exported bundle or a company passport offline",
  operands: "FILE",
  flags: {
    issuer: { help: "JWK set of the issuer, obtained apart from the delivery", value: "JWKS", required: true },
    capsule: { help: "signed capsule of an answer (default FILE.capsule beside it)", value: "CAPSULE" },
    check: { help: "answer or bundle a passport was made from: exit 3 unless it says the same", value: "ANSWER" },
    at: { help: "judge at this RFC 3339 time instead of now", value: "TIME" },
    request: { help: "the document must answer exactly this request", value: "REQUEST" },
    require: { help: "exit 3 unless machine_action is this, e.g. RELEASE_PAYMENT or CONTINUE", value: "ACTION" },
    reformatted: { help: "accept bytes that are not canonical, such as a pretty-printed copy" },
    ...JSON_FLAG,
  },
  run: async (input) => {
    const now = realMachine.now()
    const at = judgedAt(input, now)
    const require = requiredAction(input)
    const [path = "-"] = input.operands
    const requestPath = input.text("request")
    const result = await verifyDocument(input, path, {
      bytes: await readDocumentBytes(path),
      keys: await readIssuerFile(input.need("issuer")),
      at,
      reformatted: input.on("reformatted"),
      ...(requestPath === undefined ? {} : { request: await readDocumentJson(requestPath) }),
      ...(require === undefined ? {} : { require }),
    })
    const isHistorical = at < now
    input.out(input.on("json") ? jsonAnswer(result, isHistorical) : textAnswer(result, isHistorical))
    return EXIT_OF[result.report.conclusion]
  },
}

async function verifyDocument(input: Input, path: string, given: VerifyInput): Promise<VerifyResult> {
  const kind = documentKind(given.bytes)
  refuseForeignFlags(input, kind)
  const bytesOf = async (file: string | null | undefined) => (file ? await readDocumentBytes(file) : undefined)
  switch (kind) {
    case "ANSWER": {
      const capsule = await bytesOf(input.text("capsule") ?? besideIt(path))
      return verifyAnswer({ ...given, ...(capsule && { capsule }) }, ANSWER_RULES)
    }
    case "PASSPORT": {
      const check = await bytesOf(input.text("check"))
      return verifyPassport({ ...given, ...(check && { check }) })
    }
    case "DECISION":
      return verifyDelivery(given, paymentDecisionRules)
  }
}

/** What each kind of document has no use for; passed over, it would look as if it had been checked. */
const FOREIGN: Readonly<Record<DocumentKind, Readonly<Record<string, string>>>> = {
  DECISION: { capsule: "a decision holds its own capsule", check: "only a passport is made from a check" },
  ANSWER: { check: "only a passport is made from a check" },
  PASSPORT: {
    capsule: "a passport is signed itself",
    request: "a passport answers no request",
    require: "a passport permits nothing",
  },
}

function refuseForeignFlags(input: Input, kind: DocumentKind): void {
  for (const [flag, why] of Object.entries(FOREIGN[kind])) {
    if (input.text(flag) !== undefined) throw new CommandError(EXIT.USAGE, `--${flag}: ${why}`)
  }
}

/** Where `agent pay` writes an answer's capsule; null when there is none. */
function besideIt(path: string): string | null {
  const beside = `${path}.capsule`
  return path !== "-" && existsSync(beside) ? beside : null
}

function judgedAt(input: Input, now: number): number {
  const given = input.text("at")
  if (given === undefined) return now
  const at = parseInstant(given)
  if (at === null) throw new CommandError(EXIT.USAGE, "--at takes an RFC 3339 time, e.g. 2026-11-20T10:00:00Z")
  return at
}

const ACTIONS = [...MachineAction.anyOf, ...AnswerAction.anyOf].map((action) => action.const)

function requiredAction(input: Input): MachineAction | AnswerAction | undefined {
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

/** The only two that a machine may act on without reading anything else. */
const PERMISSIONS: readonly (string | null)[] = ["RELEASE_PAYMENT", "CONTINUE"] satisfies (
  | MachineAction
  | AnswerAction
)[]

function textAnswer({ report, stated }: VerifyResult, isHistorical: boolean): string {
  const historical = isHistorical ? "HISTORICAL: judged at a time in the past; says nothing about now\n" : ""
  const isProven = report.conclusion === "VALID" && stated !== null
  return `${printReport(report)}${historical}${WORD[report.conclusion]}${isProven ? `: ${saidBy(stated)}` : ""}\n`
}

function saidBy({ decision, decisionId, machineAction }: Stated): string {
  if (decision === null) return "a passport: it shows what a company check proved, and permits nothing"
  const said = `decision ${decision}, ${machineAction}`
  if (PERMISSIONS.includes(machineAction)) return said
  return `${said}. A correct delivery, not permission to ${decisionId === null ? "go on" : "pay"}`
}

/** Decision and action are given only for a valid document, so that nothing reads them out of a forged one. */
function jsonAnswer({ report, stated }: VerifyResult, isHistorical: boolean): string {
  const proven = report.conclusion === "VALID" ? stated : null
  return `${JSON.stringify({
    version: 1,
    result: report.conclusion,
    historical: isHistorical,
    product: proven?.product ?? null,
    decision: proven?.decision ?? null,
    machine_action: proven?.machineAction ?? null,
    decision_id: proven?.decisionId ?? null,
    reference: proven?.reference ?? null,
    valid_until: proven?.validUntil ?? null,
    checks: report.lines,
  })}\n`
}
