/** Decides what a challenge still allows: states ISSUED, CONSUMED, EXPIRED, SUPERSEDED and LOCKED (agent-id.md 5.2). */

import { ServiceError } from "../../base/errors.ts"
import { instant } from "../../core/time.ts"
import type { AgentChallenge } from "../../store/identity/agent-challenge.ts"

type ChallengeState =
  | { readonly kind: "OPEN"; readonly challenge: AgentChallenge }
  | { readonly kind: "REPLAY"; readonly resultJson: string }

/** Throws the rejection if the challenge allows nothing. EXPIRED is not stored: it is ISSUED after its end. */
export function challengeStateOf(challenge: AgentChallenge | null, proofDigest: string, at: number): ChallengeState {
  if (!challenge) throw new ServiceError("CHALLENGE_NOT_FOUND", "Unknown, or expired long ago.")
  switch (challenge.state) {
    case "CONSUMED":
      if (challenge.proofDigest !== proofDigest || challenge.resultJson === null) {
        throw new ServiceError("CHALLENGE_REPLAY", "The first proof stays valid, and this one differs from it.", {
          reasonCodes: ["CHALLENGE_CONSUMED", "PROOF_MATERIAL_DIFFERS"],
        })
      }
      return { kind: "REPLAY", resultJson: challenge.resultJson }
    case "LOCKED":
      throw new ServiceError("CHALLENGE_LOCKED", "Five proofs for this challenge did not verify.")
    case "SUPERSEDED":
      throw superseded()
    case "ISSUED":
      if (at >= instant(challenge.expiresAt)) throw expired()
      return { kind: "OPEN", challenge }
  }
}

export function superseded(): ServiceError {
  return new ServiceError("CHALLENGE_SUPERSEDED", "The identity has a newer event than this challenge builds on.")
}

export function expired(): ServiceError {
  return new ServiceError("CHALLENGE_EXPIRED", "A challenge is valid for 600 seconds; ask for a new one.")
}
