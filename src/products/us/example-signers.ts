/** Keys that sign the published examples. RFC 8032 prints their private keys, so their signatures prove nothing. */
import { keyFromSeed } from "../../core/ed25519.ts"
import { keyIdOf } from "../../core/jwk.ts"
import type { Signer } from "../../core/signer.ts"
import { EXAMPLE_BUYER } from "./example-members.ts"

/** RFC 8032, section 7.1, TEST 1. */
const AGENT_SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
/** RFC 8032, section 7.1, TEST 2. */
const MANDATE_SEED = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"

function published(issuer: string, seed: string): Signer {
  const { privateKey, x } = keyFromSeed(Buffer.from(seed, "hex"))
  return { issuer, keyId: keyIdOf(x), privateKey }
}

export const exampleAgent = published(`svc:agent:${"a".repeat(32)}`, AGENT_SEED)
export const exampleMandateSigner = published(EXAMPLE_BUYER.organization_id, MANDATE_SEED)
