import { issueChallenge } from "../../schemas/agent-id/operations.ts"
import { registerArtifact, verifyAgentSignature } from "../../schemas/agent-id/signature-operations.ts"
import { runSyntheticJourney } from "../../schemas/agent-mode/journeys.ts"
import { planningOperations } from "../../schemas/agent-mode/planning-operations.ts"
import type { Config } from "../base/config.ts"

/** Ids of the served operations that the operator has switched off. They reply 503 before they read a body, and the sandbox 403. */
export function disabledOperations({
  challenge_issuance,
  signature_verification,
  agent_mode_planning,
  sandbox,
}: Pick<
  Config,
  "agent_mode_planning" | "sandbox" | "challenge_issuance" | "signature_verification"
>): ReadonlySet<string> {
  return new Set([
    ...(challenge_issuance ? [] : [issueChallenge.id]),
    ...(signature_verification ? [] : [verifyAgentSignature.id, registerArtifact.id]),
    ...(sandbox ? [] : [runSyntheticJourney.id]),
    ...(agent_mode_planning ? [] : Object.values(planningOperations).map(({ id }) => id)),
  ])
}
