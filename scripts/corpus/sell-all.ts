/** Sells every case, one after the other, and returns the deliveries with the lists that they were screened against. */
import type { AnswerFacts } from "../../schemas/answer-facts.ts"
import type { Jwks } from "../../schemas/discovery/jwks.ts"
import type { CorpusCase } from "./case.ts"
import { openCorpusServer } from "./corpus-server.ts"
import { GB_CASES } from "./gb.ts"
import type { SnapshotFile } from "./lists.ts"
import { PAYMENT_DECISION_CASES } from "./payment-decisions.ts"
import { US_COMPANY_CASES } from "./us-companies.ts"
import { US_PAYMENT_CASES } from "./us-payments.ts"
import { US_VENDOR_CASES } from "./us-vendors.ts"

const CASES: readonly CorpusCase[] = [
  ...PAYMENT_DECISION_CASES,
  ...US_COMPANY_CASES,
  ...US_PAYMENT_CASES,
  ...US_VENDOR_CASES,
  ...GB_CASES,
]

export interface SoldCase extends Pick<CorpusCase, "product" | "name" | "shows" | "decision"> {
  /** The output of `bizauth export`. */
  readonly bundle: Uint8Array
  /** The body of the paid answer. */
  readonly answer: string
  /** Canonical JSON of the capsule in the answer's header; null if the answer contains it. */
  readonly capsule: string | null
  readonly passport: string | null
  readonly issuerJwks: Jwks
}

export interface Sold {
  readonly cases: readonly SoldCase[]
  /** The files of every snapshot that an answer names. */
  readonly snapshotFiles: readonly SnapshotFile[]
}

/** Throws at the first case whose decision or first reason differs from the expected one. */
export async function sellAll(tell: (line: string) => void): Promise<Sold> {
  const server = await openCorpusServer()
  try {
    const issuerJwks = await server.jwks()
    const sold: SoldCase[] = []
    for (const { product, name, shows, decision, reason, buy } of CASES) {
      const bought = await buy(server)
      const { decision: given, reason_codes: reasons } = bought.answer
      if (given !== decision || reasons[0] !== reason) {
        throw new Error(`${product} ${name}: expected ${decision} for ${reason}, delivered ${given} for ${reasons}`)
      }
      tell(`${product}  ${name}`)
      sold.push({
        product,
        name,
        shows,
        decision,
        bundle: await server.exported(bought.id),
        answer: bought.text,
        capsule: bought.capsule,
        passport: await server.passport(bought),
        issuerJwks,
      })
    }
    return { cases: sold, snapshotFiles: server.snapshotFiles(snapshotsOf(sold)) }
  } finally {
    await server.close()
  }
}

function snapshotsOf(cases: readonly SoldCase[]): ReadonlySet<string> {
  const bundles = cases.map(({ bundle }) => JSON.parse(new TextDecoder().decode(bundle)) as { facts: AnswerFacts })
  return new Set(bundles.flatMap(({ facts }) => facts.sources.map(({ snapshot_id }) => snapshot_id)))
}
