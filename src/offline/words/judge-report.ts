/**
 * The verdict of a verifier's report, from three separate questions: is the document genuine, is it current, does it permit what is
 * required.
 */
import type { Conclusion, Currency, Report, ReportLine } from "../report.ts"

type Genuine = "GENUINE" | "REFORMATTED" | "NOT_GENUINE" | "NOT_CHECKED"

/** `REFUSED` and `OPEN` take precedence over time and permission, which do not matter for a document that failed the first question. */
export type Verdict =
  /** Not genuine, or not the requested document. */
  | "REFUSED"
  /** Something could not be checked. */
  | "OPEN"
  /** Genuine, but expired, not yet valid, or without the required permission. */
  | "NOT_NOW"
  | "GOOD"

/** For documents that are only valid or not. */
export const VERDICT_OF: Readonly<Record<Conclusion, Verdict>> = {
  VALID: "GOOD",
  INVALID: "REFUSED",
  NOT_CHECKED: "OPEN",
}

export interface Judgement {
  readonly verdict: Verdict
  readonly genuine: Genuine
  /** Null unless the document is genuine and the requested one. */
  readonly current: Currency | null
  /** The first check that led to `REFUSED` or `OPEN`. */
  readonly because: ReportLine | null
}

export function judgeReport(report: Report): Judgement {
  const genuine = genuineWord(report)
  const decisive = [...report.linesOf("GENUINE"), ...report.linesOf("ASKED")]
  const wrong = decisive.find(({ state }) => state === "INVALID") ?? null
  if (wrong) return { verdict: "REFUSED", genuine, current: null, because: wrong }
  const open = decisive.find(({ state }) => state === "UNCHECKED") ?? null
  if (open || genuine === "NOT_CHECKED") return { verdict: "OPEN", genuine, current: null, because: open }
  const current = report.currency
  return {
    verdict: current === "CURRENT" && isRequiredMet(report) ? "GOOD" : "NOT_NOW",
    genuine,
    current,
    because: null,
  }
}

/** True also if nothing was required. */
export function isRequiredMet(report: Report): boolean {
  return report.linesOf("REQUIRED").every(({ state }) => state === "OK")
}

function genuineWord(report: Report): Genuine {
  const states = new Set(report.linesOf("GENUINE").map(({ state }) => state))
  if (states.has("INVALID")) return "NOT_GENUINE"
  if (states.has("UNCHECKED") || !states.has("OK")) return "NOT_CHECKED"
  return states.has("REFORMATTED") ? "REFORMATTED" : "GENUINE"
}
