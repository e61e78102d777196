/**
 * The scorers of this program: the one in use, and earlier ones, which screen a stored delivery again. They share all tables and numbers,
 * so they differ only by the members below.
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
}

export const SCORER: Scorer = {
  version: SCORER_VERSION,
  parameterDigest: PARAMETER_DIGEST,
  comparesEveryName: false,
}

export const EARLIER_SCORERS: readonly Scorer[] = [
  {
    version: "svc-name-score/1.3.0",
    parameterDigest: "sha256:be0e3c3bdba65275f2550acc7b3af56d983497e8e44bbf10393a9e4b6b0ab5e7",
    comparesEveryName: true,
  },
]

/** Returns null for a scorer that this program does not have. */
export function scorerOf(version: string, parameterDigest: string): Scorer | null {
  const all = [SCORER, ...EARLIER_SCORERS]
  return all.find((one) => one.version === version && one.parameterDigest === parameterDigest) ?? null
}
