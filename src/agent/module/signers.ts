/** Turns the caller's keys into signers. */
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { CommandError, EXIT } from "../../base/exit.ts"
import { keyIdOf } from "../../core/jwk.ts"
import type { Signer } from "../../core/signer.ts"
import { AgentKeysForm } from "../forms/agent-keys.ts"
import type { KeyFile } from "../forms/key-file.ts"
import { type SigningKey, signingKey } from "../keys.ts"
import { requireForm } from "../require-form.ts"
import type { AgentKeys, OrganizationKey } from "./client.d.ts"

const checkKeys = TypeCompiler.Compile(AgentKeysForm)

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

export function organizationSigner({ kty, crv, x, d }: OrganizationKey, organizationId: string): Signer {
  const { privateKey } = signingKey({ kty, crv, x, d })
  return { issuer: organizationId, keyId: keyIdOf(x), privateKey }
}
