/** Turns the caller's keys into signers. */
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { CommandError, EXIT } from "../../base/exit.ts"
import type { Signer } from "../../core/signer.ts"
import { AgentKeysForm } from "../forms/agent-keys.ts"
import { type KeyFile, PrivateJwk } from "../forms/key-file.ts"
import { type SigningKey, signingKey } from "../keys.ts"
import { requireForm } from "../require-form.ts"
import type { AgentKeys, OrganizationKey } from "./client.d.ts"

const checkKeys = TypeCompiler.Compile(AgentKeysForm)
const checkKey = TypeCompiler.Compile(PrivateJwk)

/** Throws CommandError (2) for anything but the keys of an agent. */
export function keyFileOf(keys: AgentKeys): KeyFile {
  return requireForm(checkKeys, keys, "these are not the keys of an agent")
}

/** Throws CommandError (2) for keys that are not enrolled. */
export function enrolledKey(given: AgentKeys): { readonly agentId: string; readonly key: SigningKey } {
  const keys = keyFileOf(given)
  if (keys.agent_id === undefined) throw new CommandError(EXIT.USAGE, "the keys are not enrolled yet; call enrol first")
  return { agentId: keys.agent_id, key: signingKey(keys.operational) }
}

export function agentSigner(keys: AgentKeys): Signer {
  const { agentId, key } = enrolledKey(keys)
  return { issuer: agentId, keyId: key.keyId, privateKey: key.privateKey }
}

/** Throws CommandError (2) for anything but a private key, such as its public half. */
export function organizationSigner(given: OrganizationKey, organizationId: string): Signer {
  const { kty, crv, x, d } = given
  const { keyId, privateKey } = signingKey(
    requireForm(checkKey, { kty, crv, x, d }, "organizationKey is not a private key"),
  )
  return { issuer: organizationId, keyId, privateKey }
}
