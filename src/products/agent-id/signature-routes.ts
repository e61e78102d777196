import { registerArtifact, verifyAgentSignature } from "../../../schemas/agent-id/signature-operations.ts"
import { ServiceError } from "../../base/errors.ts"
import type { Route } from "../../http/route.ts"
import { serve } from "../../http/serve.ts"
import type { Shell } from "../../http/shell.ts"
import { Crowd } from "./crowd.ts"
import { KeptSigners } from "./kept-signers.ts"
import { type RegisterDeps, replyRegistration } from "./register-artifact.ts"
import { replyVerification } from "./verify-signature.ts"

interface AgentSignatureDeps extends Omit<RegisterDeps, "signers" | "crowd"> {
  readonly shell: Shell
  /** Configuration `signature_verification`. Off: replies 503 before reading a body. */
  readonly signatureVerification: boolean
}

export function agentSignatures(deps: AgentSignatureDeps): readonly Route[] {
  const { shell } = deps
  const evaluating = { ...deps, signers: new KeptSigners(deps.store), crowd: new Crowd(shell.machine.processors) }
  const options = deps.signatureVerification ? {} : { guard: requireSwitchedOn }
  return [
    serve(shell, verifyAgentSignature, (call) => replyVerification(evaluating, call), options),
    serve(shell, registerArtifact, (call) => replyRegistration(evaluating, call), options),
  ]
}

function requireSwitchedOn(): never {
  throw new ServiceError("SIGNATURE_VERIFICATION_DISABLED", "The operator has switched signature verification off.")
}
