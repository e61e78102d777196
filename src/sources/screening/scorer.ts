/**
 * The scorers of this program: the one in use, and earlier ones, which screen a stored delivery again. They share all tables and numbers, so
 * they differ only by the members below.
 */
import { PARAMETER_DIGEST, SCORER_VERSION } from "./parameters.ts"

export interface Scorer {
  readonly version: string
  readonly parameterDigest: string
  /**
   * Whether a name that is not distinctive (see name-form.ts) is compared word by word like any other name. Otherwise only an equal whole
   * name finds such a listed name, and such a part of a query is not searched: "Harbor Light (UK) Limited" is not the party with the alias
   * "LIMITED".
   */
  readonly comparesEveryName: boolean
  /**
   * Whether a query is also read as payers write (readings.ts), words of one meaning are one (same-meaning.ts), and a hit needs evidence
   * (evidence.ts).
   */
  readonly weighsWords: boolean
}

export const SCORER: Scorer = {
  version: SCORER_VERSION,
  parameterDigest: PARAMETER_DIGEST,
  comparesEveryName: false,
  weighsWords: true,
}

export const EARLIER_SCORERS: readonly Scorer[] = [
  {
    version: "svc-name-score/1.4.0",
    parameterDigest: "sha256:ae0e3b41053f98943017063dc9014495fe36c7658098931d8646a125c094a96a",
    comparesEveryName: false,
    weighsWords: false,
  },
  {
    version: "svc-name-score/1.3.0",
    parameterDigest: "sha256:be0e3c3bdba65275f2550acc7b3af56d983497e8e44bbf10393a9e4b6b0ab5e7",
    comparesEveryName: true,
    weighsWords: false,
  },
]

/** Returns null for a scorer that this program does not have. */
export function scorerOf(version: string, parameterDigest: string): Scorer | null {
  const all = [SCORER, ...EARLIER_SCORERS]
  return all.find((one) => one.version === version && one.parameterDigest === parameterDigest) ?? null
}
