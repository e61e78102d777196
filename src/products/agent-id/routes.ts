import * as operations from "../../../schemas/agent-id/operations.ts"
import { ServiceError } from "../../base/errors.ts"
import type { Machine } from "../../base/machine.ts"
import type { Signer } from "../../core/signer.ts"
import type { Route } from "../../http/route.ts"
import { serve } from "../../http/serve.ts"
import type { Shell } from "../../http/shell.ts"
import type { Store } from "../../store/engine/unit.ts"
import { replyChallenge } from "./issue-challenge.ts"
import { KeptIdentities } from "./kept-identities.ts"
import { replyProof } from "./prove-challenge.ts"
import { jwksReply, profileReply, replyRead, statusReply } from "./read-identity.ts"

interface AgentIdDeps {
  readonly shell: Shell
  readonly store: Store
  readonly machine: Machine
  /** The active statement key. A function, because keys rotate. */
  readonly signer: () => Signer
  /** Reloads the service's keys from the database at once. */
  readonly refreshKeys: () => Promise<unknown>
  readonly baseUrl: () => string
  readonly issuerName: string
  readonly logOrigin: string
  /** Configuration `challenge_issuance`. Off: replies 503 before reading a body. */
  readonly challengeIssuance: boolean
}

export function agentId(deps: AgentIdDeps): readonly Route[] {
  const { shell } = deps
  const reads = { ...deps, identities: new KeptIdentities(deps.store) }
  return [
    challenges(deps),
    serve(shell, operations.proveChallenge, (call) => replyProof(deps, call)),
    serve(shell, operations.proveChallengeByDescriptor, (call) => replyProof(deps, call)),
    serve(shell, operations.readProfile, replyRead(reads, profileReply)),
    serve(shell, operations.readStatus, replyRead(reads, statusReply)),
    serve(shell, operations.readJwks, replyRead(reads, jwksReply)),
  ]
}

function challenges(deps: AgentIdDeps) {
  const guard = () => {
    throw new ServiceError("CHALLENGE_ISSUANCE_DISABLED", "The operator has switched challenge issuance off.")
  }
  const options = deps.challengeIssuance ? {} : { guard }
  return serve(deps.shell, operations.issueChallenge, (call) => replyChallenge(deps, call), options)
}
