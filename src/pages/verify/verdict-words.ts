/** The verdict in a few words, and what a reader should do with it. */
import type { Verdict } from "../../offline/words/judge-report.ts"
import type { VerdictLine } from "../../offline/words/verdict-text.ts"

export const TITLE: Readonly<Record<Verdict, string>> = {
  GOOD: "Genuine and current",
  NOT_NOW: "Genuine, but do not act on it",
  REFUSED: "Do not rely on it",
  OPEN: "Not checked",
}

/** Of a document that the reader must not rely on: below the headline, which says that. */
export const REFUSED_TITLE = { FORGED: "Not genuine", OTHER: "Genuine, but not the one that you asked for" } as const

export const ADVICE: Readonly<Record<Verdict, string>> = {
  GOOD: "A genuine document is not permission. Read what it permits before you act.",
  NOT_NOW: "It expired, is not yet valid, or does not permit the required action.",
  REFUSED: "It is not genuine, or not the one you asked for. The lines marked FAIL say why.",
  OPEN: "Nothing is proven. This says neither that it is genuine nor that it is forged.",
}

/** Of a genuine and current document that does not say to pay or to go on. */
export const NO_PERMISSION = "It does not permit you to pay or to go on. Read below what it says."

export const LABEL: Readonly<Record<VerdictLine["name"], string>> = {
  genuine: "Genuine",
  current: "Current",
  permitted: "Permitted",
}
