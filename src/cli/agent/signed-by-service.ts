/** Checks the service's signature on an answer. */
import type { SignatureObject } from "../../../schemas/common.ts"
import { getServiceJwks } from "../../../schemas/discovery/jwks.ts"
import { getJson, type Send } from "../../agent/service-call.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import type { Machine } from "../../base/machine.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import { NATIVE_CRYPTO } from "../../core/crypto/native-crypto.ts"
import { digestOf } from "../../core/digest.ts"
import { verifySignature } from "../../core/ed25519.ts"
import { SECOND } from "../../core/time.ts"
import { type IssuerKeys, readIssuerKeys } from "../../offline/steps/issuer-keys.ts"
import type { Flag, Input } from "../command.ts"
import { readIssuerFile } from "../documents/read-document.ts"

/**
 * CHOICE: without a file of keys the service's own JWK set is used. Then the signature shows that nobody changed the answer after it was
 * signed. Only keys that came another way show who signed.
 */
export const ISSUER_FLAG = {
  issuer: {
    help: "JWK set of the service that you trust; without it the one that the server publishes",
    value: "JWKS",
  },
} as const satisfies Record<string, Flag>

interface ServiceStatement {
  readonly payload: object
  readonly digest: string
  readonly signature: SignatureObject
}

interface Signed {
  readonly input: Input
  /** Origin of the service. */
  readonly server: string
  readonly send: Send
  readonly machine: Pick<Machine, "now">
}

/** Throws CommandError: 3 if a statement is not the service's, 4 if its key is not among the keys or they cannot be read. */
export async function requireSignedByService(
  { input, server, send, machine }: Signed,
  statements: readonly ServiceStatement[],
): Promise<void> {
  const keys = await issuerKeys(input, server, send)
  for (const { payload, digest, signature } of statements) {
    const key = keys.get(signature.key_id)
    if (!key) {
      throw new CommandError(EXIT.NOT_CHECKED, `the answer names key ${signature.key_id}, which is not among the keys`)
    }
    const isUsable = key.svc_status !== "REVOKED" && machine.now() < (key.exp + 1) * SECOND
    const isSigned = isUsable && verifySignature(key.x, canonicalBytes(payload), signature.value)
    if (!isSigned || digest !== digestOf(payload)) {
      throw new CommandError(EXIT.INVALID, "the answer is not signed by the service; do not rely on it")
    }
  }
}

async function issuerKeys(input: Input, server: string, send: Send): Promise<IssuerKeys> {
  const path = input.text("issuer")
  if (path !== undefined) return readIssuerFile(path)
  const { status, body } = await getJson(send, server + getServiceJwks.path)
  const keys = status === 200 ? readIssuerKeys(body, NATIVE_CRYPTO) : null
  if (keys) return keys
  throw new CommandError(EXIT.NOT_CHECKED, `${server} publishes no keys; name a file of them with --issuer`)
}
