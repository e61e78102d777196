/** The verdict on a document in words: every check, then three separate results: genuine, current, permitted. Command and page print it. */
import type { AnswerAction } from "../../../schemas/business-answer.ts"
import type { Case } from "../../../schemas/case.ts"
import type { MachineAction } from "../../../schemas/us/proof-capsule.ts"
import { environmentWarnings } from "../../case/words/case-words.ts"
import { type Headline, headlineOf, refusedHeadline } from "../../case/words/headline.ts"
import { caseBlocks } from "../../case/words/print-case.ts"
import { plainText } from "../../core/text/plain-text.ts"
import { wrapped } from "../../core/text/wrapped.ts"
import type { Report } from "../report.ts"
import { requiredEnvironment } from "../steps/terms.ts"
import type { Environment, Requirements, Stated, VerifyResult } from "../verify-input.ts"
import { isRequiredMet, type Judgement, judgeReport } from "./judge-report.ts"

export interface Judged extends VerifyResult {
  readonly judgement: Judgement
  /** The time for which it is judged, in milliseconds. */
  readonly at: number
  /** The reader gave no other time. */
  readonly isNow: boolean
  /** Judged at a time in the past. */
  readonly isHistorical: boolean
  /** Value of `--require`. */
  readonly required: MachineAction | AnswerAction | null
  /** The environment that the document must be of; null if any will do. */
  readonly requiredEnvironment: Environment | null
}

export function judged(
  result: VerifyResult,
  terms: Requirements,
  { at, now }: { readonly at: number; readonly now: number },
): Judged {
  return {
    ...result,
    at,
    isNow: at === now,
    isHistorical: at < now,
    required: terms.require ?? null,
    requiredEnvironment: requiredEnvironment(terms),
    judgement: judgeReport(result.report),
  }
}

/** Returns the document's statements only if it is genuine and the expected one, so that no decision is read from a forged document. */
export function proven({ judgement, stated }: Judged): Stated | null {
  return judgement.current === null ? null : stated
}

/** The case of a document of which {@link proven} returns the statements. */
export function provenCase({ judgement, case: one }: Judged): Case | null {
  return judgement.current === null ? null : one
}

/**
 * What the reader may do, before anything else. Null for a proven document without an answer, such as a passport. `unmet`: what else forbids it,
 * as the end of a sentence.
 */
export function verifiedHeadline(result: Judged, unmet: string | null = unmetTerms(result)): Headline | null {
  const { judgement, case: one, at, isNow } = result
  if (judgement.verdict === "REFUSED") return refusedHeadline("Do not rely on it")
  const { current: currency } = judgement
  if (currency === null) return refusedHeadline("Do not rely on it yet")
  return one && headlineOf(one, { state: "VERIFIED", at, isNow, currency, unmet })
}

/** Null if the document is what the reader required. */
function unmetTerms({ report, stated, required, requiredEnvironment: expected }: Judged): string | null {
  if (stated === null || isRequiredMet(report)) return null
  const { machineAction, environment } = stated
  return required !== null && required !== machineAction
    ? `the required action is ${required}`
    : `it is of the environment ${environment}, not ${expected}`
}

/** One of the three results in words. */
export interface VerdictLine {
  readonly name: "genuine" | "current" | "permitted"
  /** The result, then one text for each further reason. */
  readonly texts: readonly string[]
}

export function verdictLines(result: Judged): readonly VerdictLine[] {
  return [
    { name: "genuine", texts: [genuineLine(result)] },
    { name: "current", texts: [currentLine(result)] },
    { name: "permitted", texts: permittedTexts(result) },
  ]
}

const NAME_WIDTH = 11

/** Columns for a reader whose screen does not state them. */
export const TEXT_WIDTH = 100

interface TextOptions {
  readonly width?: number
  /** As for {@link verifiedHeadline}. */
  readonly unmet?: string | null | undefined
}

/** First what the reader may do and whether the document is genuine, then its case, then every check and the three results. */
export function textReport(result: Judged, { width = TEXT_WIDTH, unmet }: TextOptions = {}): string {
  const historical = result.isHistorical ? "HISTORICAL: judged at a time in the past; says nothing about now\n" : ""
  const lines = verdictLines(result).map(
    ({ name, texts }) => `${name.padEnd(NAME_WIDTH)}${texts.join(`\n${" ".repeat(NAME_WIDTH)}`)}\n`,
  )
  return `${firstBlocks(result, width, unmet)}${printReport(result.report)}${historical}\n${lines.join("")}`
}

/** Empty for a proven document without an answer. */
function firstBlocks(result: Judged, width: number, unmet: string | null | undefined): string {
  const headline = verifiedHeadline(result, unmet)
  if (headline === null) return ""
  const one = provenCase(result)
  const warnings = environmentWarnings(proven(result)?.environment ?? null)
  const first = [
    headline.words,
    ...wrapped(plainText(genuineLine(result)), width, ""),
    ...[...headline.more, ...warnings].flatMap((text) => wrapped(plainText(text), width, "")),
  ]
  const blocks = [first, ...(one === null ? [] : caseBlocks(one, width))].filter((lines) => lines.length > 0)
  return blocks.map((lines) => `${lines.join("\n")}\n\n`).join("")
}

function genuineLine({ judgement: { verdict, genuine, because }, report }: Judged): string {
  const why = because === null ? "" : `${because.check}: ${because.detail}`
  if (genuine === "NOT_GENUINE" || genuine === "NOT_CHECKED") return `${genuine}: ${why}`
  if (verdict === "REFUSED") return `${genuine}, but not the one you asked for: ${why}`
  if (verdict === "OPEN") return `${genuine}, but whether it is the one you asked for could not be checked: ${why}`
  const unsigned = report.unsignedMembers.map((members) => ` but ${members}`).join("")
  return genuine === "REFORMATTED"
    ? `REFORMATTED: the issuer signed all of this content${unsigned}; a copy changed white space or the order of members`
    : `GENUINE: the issuer signed all of this${unsigned}`
}

function currentLine({ judgement, report }: Judged): string {
  if (judgement.current === null) return "not judged"
  return `${judgement.current}: ${report.linesOf("TIME")[0]?.detail ?? ""}`
}

/** True if the document permits the payment, or the next step, at the judged time and in the required environment. */
export function isPermission(result: Judged): boolean {
  const { judgement, requiredEnvironment } = result
  const stated = proven(result)
  return (
    judgement.current === "CURRENT" &&
    PERMISSIONS.includes(stated?.machineAction ?? null) &&
    (requiredEnvironment === null || stated?.environment === requiredEnvironment)
  )
}

/** The only two values on which a machine may act without reading anything else. */
const PERMISSIONS: readonly (string | null)[] = ["RELEASE_PAYMENT", "CONTINUE"] satisfies (
  | MachineAction
  | AnswerAction
)[]

/** What a document without a decision shows, by its domain. */
const SHOWS: Readonly<Record<string, string>> = {
  "svc.company-passport.v1": "a passport shows what a company check proved",
  "svc.capability-manifest.v1": "a manifest shows what the service offers, and lists its documents",
  "svc.review-export.v1": "an export shows what reviewers recorded",
  "svc.service-proof.v1": "a proof shows which program, keys and documents the service has",
}

function permittedTexts(result: Judged): string[] {
  const stated = proven(result)
  if (stated === null) return ["nothing"]
  if (stated.decision === null) return [`nothing: ${SHOWS[stated.product] ?? "the document contains no decision"}`]
  const { decision, decisionId, machineAction, reasons, environment } = stated
  const { required, requiredEnvironment: expected } = result
  const said = [
    `${machineAction}, decision ${decision}`,
    ...(required === null || required === machineAction ? [] : [`not the required ${required}`]),
    ...(expected === null || environment === expected ? [] : [`of the environment ${environment}, not ${expected}`]),
    ...(isPermission(result) ? [] : [`no permission to ${decisionId === null ? "go on" : "pay"}`]),
  ].join(", ")
  const [first, ...more] = reasons.map(({ code, why }) => why ?? code)
  return [`${said}${first === undefined ? "" : `: ${first}`}`, ...more]
}

const LABEL = { OK: "ok  ", INVALID: "FAIL", UNCHECKED: "????", REFORMATTED: "note", NOTE: "note" } as const

/** One line per check: state, check, detail. */
export function printReport(report: Report): string {
  const width = Math.max(0, ...report.lines.map((line) => line.check.length))
  return report.lines.map((line) => `${LABEL[line.state]}  ${line.check.padEnd(width)}  ${line.detail}\n`).join("")
}
