/** Adapts a product's row to the delivery path: the one way in which an answer is reserved, computed, sealed and recorded. */

import { canonicalize } from "../../core/canonical-json.ts"
import { parseAmount } from "../../core/money.ts"
import type { Signer } from "../../core/signer.ts"
import type { Computed, PaidProduct, StoredRequest } from "../../delivery/sale.ts"
import type { ListedEntries } from "../../sources/details/entry-book.ts"
import type { AnswerRequest } from "./answer-rules.ts"
import type { AnyProductRow, ProductShape, ReservedBy } from "./product-row.ts"
import { judgeSources } from "./quote-checks.ts"
import { withEntries } from "./stored-entries.ts"

/** `entries`: the details of listed entries, or null if there are none. */
export function paidProduct(
  product: AnyProductRow,
  signerNow: () => Signer,
  entries: ListedEntries | null = null,
): PaidProduct {
  const { id, path, description, price, reviewDuty, owner, capsule } = product
  const priceAtomic = parseAmount(price)
  if (priceAtomic === null) throw new TypeError("not a price")
  const isSigned = owner.kind === "SIGNER"
  const requestOf = (stored: StoredRequest) => JSON.parse(stored.requestJson) as AnswerRequest

  async function compute(stored: StoredRequest, reserved: unknown, at: number): Promise<Computed> {
    const request = requestOf(stored)
    const { records, ifCovered } = reserved as ReservedBy<ProductShape>
    const failed = judgeSources(product, request, at)
    if (failed) throw failed
    const signer = signerNow()
    const facts = withEntries(await product.gather(request, { stored, signer, at }, records), entries)
    const core = product.decide(request, facts)
    const decided = { request, requestDigest: stored.requestDigest, facts, core, records, ifCovered }
    const refusal = product.judgeSellable(decided)
    if (refusal) throw refusal
    const sealed = capsule.seal(decided, signer)
    const attachment = product.attachment?.(decided, signer) ?? null
    return {
      ...capsule.idsOf(facts),
      coreJson: canonicalize(core),
      factsJson: canonicalize(facts),
      capsuleJson: canonicalize(sealed),
      capsuleDigest: sealed.capsule_digest,
      keyId: signer.keyId,
      validUntil: core.valid_until,
      computedAt: facts.at,
      attachmentId: attachment?.id ?? null,
      attachmentJson: attachment?.json ?? null,
      // CHOICE: a delivery does not keep the snapshot of a register that it used. The facts contain the look-up result, and each publication
      // would otherwise keep a gigabyte for ever.
      snapshotIds: facts.sources.map((source) => source.snapshot_id),
    }
  }

  return {
    id,
    path,
    description,
    priceAtomic,
    price,
    reviewDuty,
    owner: owner.kind,
    recoverPath: isSigned ? owner.recoverPath : null,
    subjectOf: (stored) => (isSigned ? owner.subject(requestOf(stored)) : null),
    *reserve(stored, at, ifCovered) {
      const reserved = yield* product.reserve(requestOf(stored), stored, at, ifCovered)
      if ("refused" in reserved) return reserved
      return { ...reserved, records: { records: reserved.records, ifCovered } satisfies ReservedBy<ProductShape> }
    },
    compute,
    finish: capsule.finish,
    judgeSources: async (at) => ({
      sources: product.sources(null, at),
      refusal: judgeSources(product, null, at) ?? (await product.unreachableSource?.(at)) ?? null,
    }),
    present: capsule.present,
    remember: product.remember,
    soldTo: product.soldTo,
  }
}
