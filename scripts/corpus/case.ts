import type { Bought, CorpusServer } from "./corpus-server.ts"

export interface CorpusCase {
  /** The product's id. */
  readonly product: string
  /** Begins with the decision in lower case; used as the name of its files. */
  readonly name: string
  /** One sentence for the reader: what the case shows. */
  readonly shows: string
  /** The decision that must be delivered; otherwise the corpus is not written. */
  readonly decision: string
  /** The reason that must come first. */
  readonly reason: string
  readonly buy: (server: CorpusServer) => Promise<Bought>
}

type Row = readonly [name: string, reason: string, shows: string, buy: CorpusCase["buy"]]

/** Closing reason of an answer in which every gate passed. */
export const PASSED = "CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE"

/** The cases of one product, by decision. */
export function casesOf(product: string, byDecision: Readonly<Record<string, readonly Row[]>>): CorpusCase[] {
  return Object.entries(byDecision).flatMap(([decision, rows]) =>
    rows.map(([what, reason, shows, buy]) => {
      const name = `${decision.toLowerCase().replaceAll("_", "-")}-${what}`
      return { product, name, shows, decision, reason, buy }
    }),
  )
}
