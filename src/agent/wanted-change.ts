/** A key change as its owner requests it, and its wire form. */
import type { KeyEventChange } from "../../schemas/agent-id/key-event.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { commitmentTo } from "../core/agent-id.ts"
import { keyIdOf, publicJwk } from "../core/jwk.ts"
import { type ChangeRequest, compromise } from "../core/key-event.ts"
import type { KeyFile, PrivateJwk } from "./forms/key-file.ts"
import { generateKey, type Random } from "./keys.ts"

type WithoutKeys<Change> = Change extends unknown ? Omit<Change, "newX" | "nextOperationalKeyDigest"> : never
/** The requested change, before its new keys are known. */
export type WantedChange = WithoutKeys<ChangeRequest>

export type PendingKeys = NonNullable<KeyFile["pending_keys"]>

/**
 * Returns the keys that a change adds or commits to. A routine rotation uses the committed key. A recovery draws both keys new, because
 * keys stored with the replaced key may be compromised too.
 */
export function keysFor(wanted: WantedChange, keys: KeyFile, random: Random): PendingKeys {
  switch (wanted.kind) {
    case "ROTATE_OPERATIONAL":
      if (wanted.mode === "RECOVERY") return { operational: generateKey(random), next: generateKey(random) }
      if (!keys.next) throw new CommandError(EXIT.USAGE, "no next key was committed; rotate with --recovery")
      return { operational: keys.next, next: generateKey(random) }
    case "ROTATE_RECOVERY":
      return { recovery: generateKey(random) }
    case "REVOKE_OPERATIONAL":
    case "REVOKE_IDENTITY":
      return {}
  }
}

export function requestFor(wanted: WantedChange, { operational, recovery, next }: PendingKeys): ChangeRequest {
  switch (wanted.kind) {
    case "ROTATE_OPERATIONAL":
      return {
        ...wanted,
        newX: present(operational).x,
        nextOperationalKeyDigest: commitmentTo(keyIdOf(present(next).x)),
      }
    case "ROTATE_RECOVERY":
      return { ...wanted, newX: present(recovery).x }
    case "REVOKE_OPERATIONAL":
    case "REVOKE_IDENTITY":
      return wanted
  }
}

/** Returns the body of the challenge request (`IssueAgentIdentityChallenge`). */
export function challengeBody(agentId: string, request: ChangeRequest): object {
  const common = { schema_version: "1.0.0", agent_id: agentId }
  switch (request.kind) {
    case "ROTATE_OPERATIONAL":
      return {
        ...common,
        ...{ purpose: "ROTATION", target: "OPERATIONAL", mode: request.mode, new_public_jwk: publicJwk(request.newX) },
        next_operational_key_digest: request.nextOperationalKeyDigest,
        ...compromise(request.compromiseSuspectedSince),
      }
    case "ROTATE_RECOVERY":
      return {
        ...common,
        ...{ purpose: "ROTATION", target: "RECOVERY", mode: "RECOVERY", new_public_jwk: publicJwk(request.newX) },
      }
    case "REVOKE_OPERATIONAL":
      return {
        ...common,
        ...{ purpose: "REVOCATION", target: "OPERATIONAL", mode: request.mode, reason: request.reason },
        ...compromise(request.compromiseSuspectedSince),
      }
    case "REVOKE_IDENTITY":
      return { ...common, ...{ purpose: "REVOCATION", target: "IDENTITY", mode: "RECOVERY", reason: request.reason } }
  }
}

/**
 * Returns true if a pending event equals the requested change in full; then its result is the answer, and nothing changes twice. A claimed
 * compromise or another reason counts as a difference: otherwise the owner would believe that the event states it.
 */
export function isWanted(change: KeyEventChange, wanted: WantedChange): boolean {
  const claimed = "compromise_suspected_since" in change ? (change.compromise_suspected_since ?? null) : null
  switch (wanted.kind) {
    case "ROTATE_OPERATIONAL":
      return change.kind === wanted.kind && change.mode === wanted.mode && claimed === wanted.compromiseSuspectedSince
    case "ROTATE_RECOVERY":
      return change.kind === wanted.kind
    case "REVOKE_OPERATIONAL":
      return (
        change.kind === wanted.kind &&
        change.authorized_by[0] === (wanted.mode === "SELF" ? "OPERATIONAL" : "RECOVERY") &&
        change.reason === wanted.reason &&
        claimed === wanted.compromiseSuspectedSince
      )
    case "REVOKE_IDENTITY":
      return change.kind === wanted.kind && change.reason === wanted.reason
  }
}

function present(key: PrivateJwk | undefined): PrivateJwk {
  if (!key) throw new TypeError("a change lacks its new key")
  return key
}
