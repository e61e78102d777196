import type { IssueAgentIdentityChallenge } from "../../../schemas/agent-id/challenge.ts"
import { ServiceError } from "../../base/errors.ts"
import type { ChangeRequest } from "../../core/key-event.ts"
import { checkedKey } from "./submitted-keys.ts"

export type KeyChangeBody = Exclude<IssueAgentIdentityChallenge, { purpose: "ENROLLMENT" }>

/**
 * CHOICE: a new recovery key and the revocation of an identity require mode RECOVERY, because only the recovery key can sign them. Throws
 * 422 for members that do not fit together, and for a weak new key.
 */
export function requestedChange(body: KeyChangeBody): ChangeRequest {
  const since = body.compromise_suspected_since ?? null
  if (since !== null) requireClaimable(body)
  if (body.purpose === "ROTATION") {
    if (body.target === "RECOVERY") {
      if (body.mode !== "RECOVERY") throw misplaced("mode", "RECOVERY_KEY_SIGNS_FOR_ITS_SUCCESSOR", RECOVERY_MODE)
      if (body.next_operational_key_digest != null) {
        throw misplaced("next_operational_key_digest", "TARGET_IS_RECOVERY", "null or absent where target is RECOVERY")
      }
      return { kind: "ROTATE_RECOVERY", newX: checkedKey("new_public_jwk", body.new_public_jwk) }
    }
    return {
      kind: "ROTATE_OPERATIONAL",
      mode: body.mode,
      newX: checkedKey("new_public_jwk", body.new_public_jwk),
      nextOperationalKeyDigest: body.next_operational_key_digest ?? null,
      compromiseSuspectedSince: since,
    }
  }
  if (body.target === "IDENTITY") {
    if (body.mode !== "RECOVERY") throw misplaced("mode", "RECOVERY_KEY_REVOKES_AN_IDENTITY", RECOVERY_MODE)
    return { kind: "REVOKE_IDENTITY", reason: body.reason }
  }
  return { kind: "REVOKE_OPERATIONAL", mode: body.mode, reason: body.reason, compromiseSuspectedSince: since }
}

/**
 * Only the recovery key may declare signatures of the operational key doubtful. Otherwise the thief of the operational key could do it
 * (rulings 22).
 */
function requireClaimable({ target, mode }: KeyChangeBody): void {
  if (target === "OPERATIONAL" && mode === "RECOVERY") return
  const expected = "absent unless target is OPERATIONAL and mode is RECOVERY"
  throw misplaced("compromise_suspected_since", "NEEDS_OPERATIONAL_TARGET_AND_RECOVERY_MODE", expected)
}

const RECOVERY_MODE = '"RECOVERY"'

function misplaced(member: string, code: string, expected: string): ServiceError {
  return new ServiceError("SCHEMA_INVALID", "Members of this request do not belong together; see errors.", {
    errors: [{ pointer: `/${member}`, code, expected }],
  })
}
