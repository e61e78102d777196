import { ANSWER_PRODUCTS } from "../../../schemas/products.ts"
import type { MachineAction } from "../../../schemas/us/proof-capsule.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { NATIVE_CRYPTO } from "../../core/crypto/native-crypto.ts"
import { jobTerms } from "../../offline/given/job-terms.ts"
import { judgedAt, requiredTerms } from "../../offline/given/verify-terms.ts"
import { documentKind } from "../../offline/kinds/document-kinds.ts"
import { verifyJobDeliverable } from "../../offline/kinds/job-deliverable.ts"
import { recogniseFile } from "../../offline/kinds/recognise-file.ts"
import { EXIT_OF_VERDICT } from "../../offline/words/exit-codes.ts"
import type { Verdict } from "../../offline/words/judge-report.ts"
import { isPermission, type Judged, judged, textReport } from "../../offline/words/verdict-text.ts"
import { paymentDecisionRules } from "../../products/us/payment-decision/replay-rules.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { DELIVERABLE_FLAGS, jobInputs } from "../documents/deliverable-flags.ts"
import { readDocumentBytes, readIssuerFile } from "../documents/read-document.ts"
import { textWidth } from "../documents/text-width.ts"
import { AT_FLAG, REQUIRE_FLAG } from "../documents/verify-flags.ts"
import { jsonMembers } from "../documents/verify-report.ts"

const required = true

/** Offline: no import of this file can use a network, and no data directory is opened. */
export const command: Command = {
  name: "agent job verify",
  summary:
    "check the delivery of an ACP job on the buyer's machine: the response, its key, the requirement, the job and the hash",
  operands: "DELIVERABLE.json",
  flags: {
    requirement: { ...DELIVERABLE_FLAGS.requirement, required },
    job: { ...DELIVERABLE_FLAGS.job, required },
    submitted: DELIVERABLE_FLAGS.submitted,
    issuer: { help: "JWK set of the issuer, obtained separately from the delivery", value: "JWKS", required },
    ...AT_FLAG,
    ...REQUIRE_FLAG,
    ...JSON_FLAG,
  },
  examples: [
    "agent job verify ./job/deliverable.json --requirement ./job/final.json --job ./job/job.json --issuer ./job/issuer.jwks.json --at 2026-11-20T10:10:00Z",
  ],
  run: runJobVerify,
}

async function runJobVerify(input: Input): Promise<ExitCode> {
  const now = realMachine.now()
  const at = judgedAt(input.text("at"), now)
  const terms = requiredTerms((flag) => input.text(flag))
  const [path = "-"] = input.operands
  const keys = await readIssuerFile(input.need("issuer"))
  const given = {
    bytes: await requireDeliverable(path),
    keys,
    crypto: NATIVE_CRYPTO,
    at,
    reformatted: true,
    ...terms,
    ...(await jobTerms(jobInputs(input), { answers: ANSWER_PRODUCTS })),
  }
  const result = judged(verifyJobDeliverable(given, paymentDecisionRules), terms, { at, now })
  const wasSubmitted = given.submitted !== undefined
  const width = textWidth(input.environment)
  input.out(input.on("json") ? jsonResult(result, wasSubmitted) : textResult(result, { wasSubmitted, width }))
  return EXIT_OF_VERDICT[result.judgement.verdict]
}

/** Returns the bytes of the file. Throws CommandError (4) if it is recognised as another kind of document. */
async function requireDeliverable(path: string): Promise<Uint8Array> {
  const bytes = await readDocumentBytes(path)
  const found = recogniseFile(bytes, ANSWER_PRODUCTS)
  if (found === null || documentKind(bytes) === "DELIVERABLE") return bytes
  throw new CommandError(EXIT.NOT_CHECKED, `${path}: this is ${found.what}, not the deliverable of an ACP job`)
}

const DELIVERY: Readonly<Record<Verdict, "CORRECT" | "NOT_CORRECT" | "NOT_CHECKED">> = {
  REFUSED: "NOT_CORRECT",
  OPEN: "NOT_CHECKED",
  NOT_NOW: "CORRECT",
  GOOD: "CORRECT",
}

interface TextTerms {
  readonly wasSubmitted: boolean
  readonly width: number
}

function textResult(result: Judged, { wasSubmitted, width }: TextTerms): string {
  return `${textReport(result, { width, unmet: unmetBy(result) })}
delivery   ${deliveryLine(result, wasSubmitted)}
pay        ${payLine(result)}
`
}

function deliveryLine({ judgement: { verdict, because } }: Judged, wasSubmitted: boolean): string {
  const delivery = DELIVERY[verdict]
  if (delivery !== "CORRECT") return `${delivery}: ${because?.check}: ${because?.detail}`
  const hash = wasSubmitted ? "with the submitted hash" : "not compared with the submitted hash (--submitted)"
  return `CORRECT: of this requirement and this job, ${hash}`
}

function payLine(result: Judged): string {
  const { stated, judgement } = result
  if (DELIVERY[judgement.verdict] !== "CORRECT" || stated === null) return "NO: the delivery is not proven"
  const { decision, machineAction, validUntil, environment } = stated
  if (isPermission(result) && result.isHistorical) return "NOT JUDGED: --at is in the past"
  if (mayPay(result)) return `YES: ${machineAction}, decision ${decision}, until ${validUntil}`
  if (isPermission(result)) return `NO: ${machineAction} of the environment ${environment} is about no real money`
  if (machineAction === PERMISSION) return `NO: the decision ${decision} is ${judgement.current}`
  return `NO: ${decision} is a correct delivery, not permission to pay the supplier`
}

/** A buyer pays with real money, so only a live decision permits it, or one of the environment that the buyer named. */
function mayPay(result: Judged): boolean {
  return isPermission(result) && (result.requiredEnvironment !== null || result.stated?.environment === "live")
}

/** Why a decision that permits a payment permits none here. Undefined for any other: its headline is that of `verify`. */
function unmetBy(result: Judged): string | undefined {
  if (!isPermission(result) || mayPay(result)) return undefined
  return `a decision of the environment ${result.stated?.environment} is about no real money`
}

const PERMISSION: MachineAction = "RELEASE_PAYMENT"

function jsonResult(result: Judged, wasSubmitted: boolean): string {
  const members = {
    version: 1,
    delivery: DELIVERY[result.judgement.verdict],
    submitted_hash_compared: wasSubmitted,
    permits_payment: mayPay(result) && !result.isHistorical,
    verify: jsonMembers(result, unmetBy(result)),
  }
  return `${JSON.stringify(members)}\n`
}
