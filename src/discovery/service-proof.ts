/** The service proof. It is signed again when it is half through its validity, or when what it states has changed. */
import type { ServiceProof, ServiceProofPayload } from "../../schemas/discovery/service-proof.ts"
import { getServiceProof } from "../../schemas/discovery/service-proof.ts"
import { COMMIT, VERSION } from "../base/build-facts.ts"
import { canonicalize } from "../core/canonical-json.ts"
import type { Digest } from "../core/digest.ts"
import { type Signer, signedAnswer } from "../core/signer.ts"
import { formatInstant, SECOND } from "../core/time.ts"
import type { Reply } from "../http/call.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import type { Generation, Generations } from "./generation.ts"

const RENEW_MS = 30 * SECOND
const VALID_MS = 60 * SECOND

interface ServiceProofDeps {
  readonly generations: Generations
  readonly baseUrl: () => string
  /** The statement key. Throws ServiceError if it has expired. */
  readonly signer: () => Signer
  /** The public keys that sign now. */
  readonly signingKeys: () => readonly { readonly use: KeyUse; readonly keyId: string; readonly x: string }[]
  /** The Agent ID of the service's statement key. */
  readonly serviceAgentId: () => Promise<string>
  readonly logOrigin: string
  readonly checkpoint: () => Promise<string>
  /** Digest of the running program. The route calls this again until it returns a digest. */
  readonly programDigest: () => Promise<Digest | null>
}

type KeyUse = ServiceProofPayload["service_keys"][number]["use"]

interface Held {
  readonly reply: Reply
  readonly generation: string
  readonly keyId: string
  readonly madeAt: number
}

export function serviceProofRoute(shell: Shell, deps: ServiceProofDeps) {
  const proofs = new ServiceProofs(deps)
  return serve(shell, getServiceProof, ({ at }) => proofs.reply(at))
}

export class ServiceProofs {
  #held: Held | null = null
  #making: Promise<Held> | null = null
  #digest: Promise<Digest | null> | null = null

  constructor(private readonly deps: ServiceProofDeps) {}

  /** Returns the held proof at `at` (ms), or signs a new one. Calls that arrive meanwhile get the same one. */
  async reply(at: number): Promise<Reply> {
    const held = this.#held
    if (held !== null && this.#isCurrent(held, at)) return held.reply
    this.#making ??= this.#make(at).finally(() => {
      this.#making = null
    })
    const made = await this.#making
    this.#held = made
    return made.reply
  }

  #isCurrent({ generation, keyId, madeAt }: Held, at: number): boolean {
    const isFresh = at >= madeAt && at - madeAt < RENEW_MS
    return isFresh && generation === this.deps.generations.held?.name && keyId === this.deps.signer().keyId
  }

  async #make(at: number): Promise<Held> {
    // After a failure the next proof reads the program again.
    this.#digest ??= this.deps.programDigest().catch((error: unknown) => {
      this.#digest = null
      throw error
    })
    const [agentId, checkpoint, binaryDigest] = await Promise.all([
      this.deps.serviceAgentId(),
      this.deps.checkpoint(),
      this.#digest,
    ])
    const generation = await this.deps.generations.current()
    // From here on nothing waits, so keys and generation are those of one moment.
    const signer = this.deps.signer()
    const proof = this.#signed({ agentId, checkpoint, binaryDigest, generation, signer, at })
    return {
      reply: {
        status: 200,
        body: canonicalize(proof),
        headers: Object.freeze({
          "content-type": "application/json",
          "cache-control": "no-store",
          "svc-generation": generation.name,
        }),
      },
      generation: generation.name,
      keyId: signer.keyId,
      madeAt: at,
    }
  }

  #signed(given: {
    readonly agentId: string
    readonly checkpoint: string
    readonly binaryDigest: Digest | null
    readonly generation: Generation
    readonly signer: Signer
    readonly at: number
  }): ServiceProof {
    const { generation, signer, at } = given
    const payload: ServiceProofPayload = {
      domain: "svc.service-proof.v1",
      schema_version: "1.0.0",
      base_url: this.deps.baseUrl(),
      issuer: signer.issuer,
      service_agent_id: given.agentId,
      service_keys: this.deps.signingKeys().map(({ use, keyId, x }) => ({
        key_id: keyId,
        public_jwk: { kty: "OKP", crv: "Ed25519", x },
        use,
      })),
      build: { version: VERSION, commit: COMMIT, binary_digest: given.binaryDigest },
      capability_manifest_digest: generation.manifestDigest,
      openapi_digest: generation.openapiDigest,
      log: { origin: this.deps.logOrigin, checkpoint: given.checkpoint },
      issued_at: formatInstant(at),
      valid_until: formatInstant(at + VALID_MS),
    }
    return signedAnswer(signer, payload)
  }
}
