/**
 * Imports one artifact into the agent's own wallet. The order of replies is fixed: signature, environment, provider, idempotency,
 * retention, a known artifact, the artifact itself, the limits of the wallet.
 */
import type {
  ImportedProofWalletArtifact,
  ImportProofWalletArtifact,
  WalletEnvironment,
  WalletVerification,
} from "../../../schemas/agent-mode/proof-wallet.ts"
import { ServiceError } from "../../base/errors.ts"
import type { Machine } from "../../base/machine.ts"
import { canonicalBytes, canonicalize } from "../../core/canonical-json.ts"
import { digestOf } from "../../core/digest.ts"
import { formatId, ID_RANDOM_BYTES } from "../../core/ids.ts"
import { sandboxIssuer } from "../../core/sandbox/sandbox-issuer.ts"
import { DAY, formatInstant, instant } from "../../core/time.ts"
import { refusalOfUnspent, requireAgentSignature } from "../../http/agent-signature.ts"
import type { Call, Reply } from "../../http/call.ts"
import { notAdmittedError } from "../../http/free-writes.ts"
import type { Store } from "../../store/engine/unit.ts"
import type { ServiceKey } from "../../store/identity/service-keys.ts"
import { type ImportOutcome, importEntry, isSettledBy, type WalletLimits } from "../../store/wallet/import-entry.ts"
import { findWalletEntry, type NewWalletEntry } from "../../store/wallet/wallet-entries.ts"
import { findWalletRequest } from "../../store/wallet/wallet-requests.ts"
import { WALLET_TOTAL_MAX } from "../../store/wallet/wallet-total.ts"
import { type Import, importAnswer, walletFull } from "./import-answer.ts"
import { onceLogged } from "./once-logged.ts"
import { openArtifact } from "./open-artifact.ts"
import type { OpenedArtifact, OwnRecord, WalletIssuer } from "./opened-artifact.ts"
import type { StoredVerification } from "./wallet-view.ts"

export interface WalletDeps extends WalletIssuer {
  readonly store: Store
  readonly machine: Pick<Machine, "random" | "monotonic" | "sleep">
  /** Reads the service's keys again if another process changed them. */
  readonly refreshKeys: () => Promise<unknown>
}

/**
 * CHOICE: an entry ends within 400 days, and an answer is repeated for seven. A wallet takes 1,000 entries, 16 MiB, 100 imports an hour.
 */
const RETENTION_DAYS_MAX = 400
const REQUEST_KEPT_MS = 7 * DAY
const WALLET_ENTRIES_MAX = 1000
const WALLET_DOCUMENT_BYTES_MAX = 16 * 1024 * 1024
const WALLET_IMPORTS_PER_HOUR_MAX = 100

export const WALLET_LIMITS: WalletLimits = {
  entriesMax: WALLET_ENTRIES_MAX,
  documentBytesMax: WALLET_DOCUMENT_BYTES_MAX,
  importsPerHourMax: WALLET_IMPORTS_PER_HOUR_MAX,
  allEntriesMax: WALLET_TOTAL_MAX.entries,
  allDocumentBytesMax: WALLET_TOTAL_MAX.documentBytes,
  allAnswersMax: WALLET_TOTAL_MAX.answers,
}

export async function replyImport(
  deps: WalletDeps,
  call: Call<ImportProofWalletArtifact>,
  limits: WalletLimits = WALLET_LIMITS,
): Promise<Reply> {
  const signature = await requireAgentSignature(deps, call)
  await deps.refreshKeys()
  const { body, at } = call
  const opened = openArtifact(body.artifact, signature.agentId, deps)
  requireEnvironment(deps, body, opened)
  const key = requireProvider(deps, body, opened)
  const isWhole = body.retention.mode === "SIGNED_DOCUMENT"
  const given: Import = {
    signature,
    body,
    opened,
    requestDigest: digestOf(body),
    documentDigest: digestOf(body.artifact.document),
    document: isWhole ? canonicalBytes(opened.stored) : null,
    at,
    now: formatInstant(at),
    until: formatInstant(instant(body.retention.until)),
    writer: call.writer(),
  }
  const known = await readKnown(deps, given)
  let outcome = await act(deps, given, known.needsCheck ? await verified(deps, given, key, known.record) : null, limits)
  // The entry ended after it was read.
  if (outcome.kind === "NOT_HELD") {
    outcome = await act(deps, given, await verified(deps, given, key, known.record), limits)
  }
  return replyOutcome(outcome, given)
}

/** Throws unless the form belongs to the stated wallet, and a capsule to the environment of this service. */
function requireEnvironment(
  { environment }: WalletIssuer,
  { environment: wallet }: ImportProofWalletArtifact,
  opened: OpenedArtifact,
): void {
  const isSandboxForm = opened.keyUse === "sandbox"
  const isOwn = isSandboxForm || opened.environment === null || opened.environment === environment
  if (isSandboxForm === (wallet === "SANDBOX") && isOwn) return
  throw new ServiceError(
    "ENVIRONMENT_ISOLATION",
    "A live wallet takes documents of this environment only, and a sandbox wallet takes wrappers of the sandbox only.",
  )
}

/** Returns the key of this service that the document names. */
function requireProvider(
  { issuer, findKey }: WalletIssuer,
  { environment }: ImportProofWalletArtifact,
  { issuers, signingKeyId, keyUse, rejected }: OpenedArtifact,
): ServiceKey | null {
  const own = ownName(issuer, environment)
  const key = findKey(signingKeyId)
  const isKnown = key?.use === keyUse || rejected !== null
  if (issuers.every((name) => name === own) && isKnown) return key ?? null
  throw new ServiceError("PROVIDER_ISOLATION", "The wallet takes only documents that this service issued.")
}

function ownName(issuer: string, environment: WalletEnvironment): string {
  return environment === "SANDBOX" ? sandboxIssuer(issuer) : issuer
}

interface Known {
  readonly needsCheck: boolean
  readonly record: OwnRecord
}

/** Throws for a key of another body and for a retention that is too long. */
async function readKnown({ store }: WalletDeps, given: Import): Promise<Known> {
  const { signature, body, opened, requestDigest, now } = given
  const { agentId } = signature
  const [earlier, held, record] = await store.read(function* () {
    return [
      yield* findWalletRequest(agentId, body.idempotency_key, now),
      yield* findWalletEntry(agentId, body.environment, opened.digest, now),
      yield* opened.record(),
    ] as const
  })
  if (earlier && earlier.requestDigest !== requestDigest) throw conflict()
  if (instant(given.until) > given.at + RETENTION_DAYS_MAX * DAY) {
    throw new ServiceError("RETENTION_TOO_LONG", `until may be at most ${RETENTION_DAYS_MAX} days ahead.`)
  }
  return { needsCheck: !earlier && !isSettledBy(held, { ...given, type: body.artifact.artifact_type }), record }
}

/** Returns the entry of a genuine artifact. Throws for any other. An expired artifact is genuine. */
async function verified(
  deps: WalletDeps,
  { signature, body, opened, documentDigest, at, now, until }: Import,
  key: ServiceKey | null,
  record: OwnRecord,
): Promise<NewWalletEntry> {
  const { machine, issuer } = deps
  if (opened.rejected !== null || key === null) throw rejected(opened.rejected ?? "KEY")
  const failed = await opened.check({ key, record, at })
  if (failed !== null) throw rejected(failed)
  const verification: StoredVerification = {
    key_status: requireKeyStatus(key, key.status === "REVOKED" ? await onceLogged(deps, opened, record) : record),
    record: record.matches ? "MATCHES" : "NOT_KEPT",
    subject: opened.subject,
  }
  const { validAsOf, validUntil } = opened
  return {
    walletEntryId: formatId("wal", machine.random(ID_RANDOM_BYTES)),
    agentId: signature.agentId,
    environment: body.environment,
    type: body.artifact.artifact_type,
    artifactDigest: opened.digest,
    issuer: ownName(issuer, body.environment),
    product: opened.product,
    subjectDigests: canonicalize(opened.subjectDigests),
    signingKeyId: key.keyId,
    reference: opened.reference,
    decision: opened.decision,
    verification: canonicalize(verification),
    validAsOf: validAsOf && formatInstant(instant(validAsOf)),
    validUntil: validUntil && formatInstant(instant(validUntil)),
    importedAt: now,
    until,
    documentDigest,
  }
}

/** A revoked key counts only for what the log held before. */
function requireKeyStatus(
  { status, revokedSince }: ServiceKey,
  { matches, loggedAt }: OwnRecord,
): WalletVerification["key_status"] {
  if (status !== "REVOKED") return status
  const isBefore = matches && loggedAt !== null && revokedSince !== null && instant(loggedAt) < instant(revokedSince)
  if (!isBefore) throw rejected("KEY_STATUS")
  return "REVOKED_AFTER_LOGGING"
}

function act(
  deps: WalletDeps,
  given: Import,
  entry: NewWalletEntry | null,
  limits: WalletLimits,
): Promise<ImportOutcome> {
  const { signature, body, opened, requestDigest, documentDigest, now, until, document, at } = given
  return deps.store.run(() =>
    importEntry({
      signature,
      environment: body.environment,
      idempotencyKey: body.idempotency_key,
      requestDigest,
      requestExpiresAt: formatInstant(at + REQUEST_KEPT_MS),
      now,
      type: body.artifact.artifact_type,
      artifactDigest: opened.digest,
      documentDigest,
      verified: entry,
      until,
      document,
      limits,
      writer: given.writer,
      answer: (kept, token) =>
        canonicalize(importAnswer(deps, given, { entry: kept, token, isVerified: entry !== null })),
    }),
  )
}

function replyOutcome(outcome: ImportOutcome, { body, at }: Import): Reply {
  switch (outcome.kind) {
    case "DONE":
    case "REPLAYED": {
      const replayed = outcome.kind === "REPLAYED"
      // The service wrote it.
      const answer = JSON.parse(outcome.response) as ImportedProofWalletArtifact
      const { artifact_type: type, environment } = answer
      return { status: 200, body: { ...answer, replayed }, note: { type, environment, replayed } }
    }
    case "CONFLICT":
      throw conflict()
    case "NOT_ADMITTED":
      throw notAdmittedError(outcome, at)
    case "FULL":
      throw walletFull(outcome.limit, body, at)
    case "NOT_HELD":
      throw new Error("a verified artifact was not imported")
    case "KEY_NOT_ACCEPTED":
    case "NONCE_REPLAY":
      throw refusalOfUnspent(outcome.kind)
  }
}

function rejected(reason: string): ServiceError {
  return new ServiceError("ARTIFACT_REJECTED", "The reason code names the first check that failed.", {
    reasonCodes: [reason],
  })
}

function conflict(): ServiceError {
  return new ServiceError("IDEMPOTENCY_CONFLICT", "This key belongs to another body of the last seven days.")
}
