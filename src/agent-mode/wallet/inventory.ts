/** The agent's own entries in the order of their import, page by page. */
import {
  type GetProofWalletInventory,
  PAGE_DOCUMENTS_MAX,
  type ProofWalletInventory,
  type WalletEntryView,
} from "../../../schemas/agent-mode/proof-wallet.ts"
import { ARTIFACT_TYPES, type ArtifactType } from "../../../schemas/agent-mode/wallet-artifact.ts"
import { ServiceError } from "../../base/errors.ts"
import { digestOf } from "../../core/digest.ts"
import { formatInstant } from "../../core/time.ts"
import { requireAgentSignature, spendReadingSignature } from "../../http/agent-signature.ts"
import type { Call, Reply } from "../../http/call.ts"
import { readWalletDocuments, readWalletPage, type WalletEntryWithToken } from "../../store/wallet/wallet-pages.ts"
import { readWalletUsage } from "../../store/wallet/wallet-usage.ts"
import { CONTRACT, NO_EFFECTS } from "../answer-members.ts"
import type { WalletDeps } from "./import-artifact.ts"
import { type InventoryRange, readCursor, writeCursor } from "./inventory-cursor.ts"
import { HOLDING_PROVES_NO_PURCHASE, type WalletIssuer } from "./opened-artifact.ts"
import { judgeEntry } from "./wallet-view.ts"

export async function replyInventory(deps: WalletDeps, call: Call<GetProofWalletInventory>): Promise<Reply> {
  const { body, at } = call
  const signature = await requireAgentSignature(deps, call)
  const range = requirePage(body)
  await deps.refreshKeys()
  await spendReadingSignature(deps.store, signature, call)
  const { agentId } = signature
  const { found, documents, next } = await deps.store.read(() => readPage(agentId, body, range, formatInstant(at)))
  const entries = found.map((entry) => viewOf(entry, documents.get(entry.walletEntryId), deps, at))
  const answer: ProofWalletInventory = {
    ...CONTRACT,
    agent_id: agentId,
    environment: body.environment,
    as_of: formatInstant(at),
    entries,
    next_cursor: next && writeCursor(next, body),
    inventory_digest: digestOf(entries),
    effects: NO_EFFECTS,
    limitations: ["OWN_ENTRIES_ONLY", "DIGEST_COVERS_THIS_PAGE", HOLDING_PROVES_NO_PURCHASE],
    next_machine_action: next ? "READ_NEXT_PAGE" : "NAME_REUSABLE_ENTRIES_IN_REUSE_PREVIEW",
  }
  return { status: 200, body: answer, note: { entries: entries.length } }
}

/** Returns where the page begins; null for the first page. Throws for a foreign cursor and for too many documents. */
function requirePage(body: GetProofWalletInventory): InventoryRange | null {
  const { page, include_documents: withDocuments } = body
  if (withDocuments && page.limit > PAGE_DOCUMENTS_MAX) {
    throw new ServiceError("SCHEMA_INVALID", "A page with documents is short.", {
      errors: [
        { pointer: "/page/limit", code: "INTEGER_MAXIMUM", expected: `integer from 1 to ${PAGE_DOCUMENTS_MAX}` },
      ],
    })
  }
  if (page.cursor === null) return null
  const range = readCursor(page.cursor, body)
  if (range) return range
  throw new ServiceError("CURSOR_INVALID", "Send next_cursor unchanged, with the environment and filter of its page.")
}

function* readPage(
  agentId: string,
  { environment, filter, page, include_documents: withDocuments }: GetProofWalletInventory,
  range: InventoryRange | null,
  now: string,
) {
  const { after, upTo } = range ?? { after: 0, upTo: (yield* readWalletUsage(agentId, environment)).lastSeq }
  const types = filter.artifact_types.length > 0 ? filter.artifact_types : ARTIFACT_TYPES
  const rows = yield* readWalletPage({
    agentId,
    environment,
    after,
    upTo,
    types: JSON.stringify(types),
    validity: filter.validity,
    issuer: filter.issuer ?? "",
    now,
  })
  const found = rows.slice(0, page.limit)
  const ids = found.map(({ walletEntryId }) => walletEntryId)
  const documents = withDocuments ? yield* readWalletDocuments(ids) : new Map<string, Uint8Array>()
  const last = found.at(-1)
  const next: InventoryRange | null = last && rows.length > found.length ? { after: last.seq, upTo } : null
  return { found, documents, next }
}

function viewOf(
  entry: WalletEntryWithToken,
  document: Uint8Array | undefined,
  issuer: Pick<WalletIssuer, "findKey">,
  at: number,
): WalletEntryView {
  const { state, reason } = judgeEntry(entry, entry, issuer, at)
  const subject = JSON.parse(entry.subjectDigests) as Record<string, string>
  return {
    wallet_entry_id: entry.walletEntryId,
    // Only imports write rows, and their schema names the types.
    artifact_type: entry.type as ArtifactType,
    artifact_digest: entry.artifactDigest,
    subject_digest: Object.keys(subject).length > 0 ? digestOf(subject) : null,
    issuer: entry.issuer,
    valid_as_of: entry.validAsOf,
    valid_until: entry.validUntil,
    retained_until: entry.until,
    reuse_state: state,
    reuse_reason: reason,
    ...(document && { document: JSON.parse(new TextDecoder().decode(document)) as object }),
  }
}
