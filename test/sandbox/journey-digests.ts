import type { JourneyResponse } from "../../schemas/agent-mode/journeys.ts"

/** Digests of the payload and of each artifact's payload: equal on every machine whose issuer id is `svc`. */
export function digestsOf({ digest, artifacts }: JourneyResponse): { payload: string; artifacts: string[] } {
  return { payload: digest, artifacts: artifacts.map((artifact) => artifact.digest) }
}
