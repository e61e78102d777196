/** Checks the log: the checkpoint, the leaf of each event in it, and that no newer event of an identity existed at that checkpoint. */
import type { AgentExportBundle, EventProof } from "../../../../schemas/agent-id/export.ts"
import { concatBytes, decodeBase64, decodeBase64url, encodeBase64url } from "../../../core/bytes.ts"
import { type Checkpoint, openNote, readCheckpoint, type VerifierKey } from "../../../core/checkpoint.ts"
import { LEAF_DATA_BYTES, readLeafData, writeLeafData } from "../../../core/leaf-data.ts"
import { leafHash, verifyInclusion } from "../../../core/merkle-tree.ts"
import { mapKeyOf, verifyMapPath } from "../../../core/verifiable-map.ts"
import { verifyBytes } from "../../portable/crypto.ts"
import { keyIdOf, sha256 } from "../../portable/encoding.ts"
import { must } from "../fault.ts"
import { type History, isCompromisedAt, keyInUse } from "./history.ts"

/** The period in which the bundle's own statements were signed: from the time in its status to its export. */
export interface SigningTime {
  readonly from: number
  readonly to: number
}

export interface SignedCheckpoint extends Checkpoint {
  /** The log identities whose keys signed it. Other log identities in a bundle prove nothing. */
  readonly signers: readonly History[]
}

/** Throws Fault unless a log key that was in use then signed the note under the log's own name. */
export async function openBundleCheckpoint(
  note: string,
  logs: readonly History[],
  { from, to }: SigningTime,
): Promise<SignedCheckpoint> {
  const [origin = ""] = note.split("\n", 1)
  const keys = logs.flatMap(({ state }) =>
    state.keys.filter(({ role }) => role === "OPERATIONAL").map(({ x }) => verifierKey(origin, x)),
  )
  // The note reader needs results synchronously, but WebCrypto is asynchronous. So the signatures are collected first and verified
  // afterwards.
  const gathered: { key: Uint8Array; message: Uint8Array; signature: Uint8Array }[] = []
  const opened = openNote(note, keys, {
    sha256,
    verify: (key, message, signature) => gathered.push({ key, message, signature }) > 0,
  })
  must(!("fault" in opened), "fault" in opened ? opened.fault : "", "The checkpoint is not a note of this log's keys.")
  for (const { key, message, signature } of gathered) {
    const genuine = await verifyBytes(key, message, signature)
    must(genuine, "NOTE_SIGNATURE_INVALID", "A log key's signature of the checkpoint does not verify.")
  }
  const signers = opened.signedBy.map(({ publicKey }) => {
    const keyId = keyIdOf(encodeBase64url(publicKey))
    const key = keyInUse(logs, keyId, from, to)
    const own = !isCompromisedAt(key, to)
    must(own, "LOG_KEY_COMPROMISED", "The log key is claimed to have been compromised at that time.")
    return logs.filter(({ state }) => state.keys.includes(key))
  })
  const checkpoint = readCheckpoint(opened.text)
  must(checkpoint !== null, "CHECKPOINT_MALFORMED", "The note is not a checkpoint.")
  must(checkpoint.size > 0, "CHECKPOINT_EMPTY", "The checkpoint is of an empty log.")
  return { ...checkpoint, signers: signers.flat() }
}

function verifierKey(origin: string, x: string): VerifierKey {
  const publicKey = decodeBase64url(x, 32)
  if (!publicKey) throw new TypeError("not a key of a history")
  return { name: origin, publicKey }
}

/** Throws Fault unless each event, in order, is a leaf of the checkpoint at the index in its receipt. */
export function requireInclusion(history: History, proofs: readonly EventProof[], checkpoint: Checkpoint): void {
  const mapKey = mapKeyOf(sha256, history.agentId)
  const { events, agentId } = history
  must(events.length === proofs.length, "PROOFS_INCOMPLETE", `${agentId} has not one proof for each event.`)
  let before = -1
  for (const [sequence, { hash, receipt }] of events.entries()) {
    const proof = proofs[sequence] as EventProof
    const at = `event ${sequence} of ${agentId}`
    must(
      proof.sequence === sequence && proof.log_index === receipt.payload.log_index,
      "LOG_INDEX_DIFFERS",
      `Proof and receipt of ${at} name different places in the log.`,
    )
    must(proof.log_index > before, "LOG_ORDER", `${at} is in the log before the event it follows.`)
    before = proof.log_index
    const data = writeLeafData({ subject: mapKey, digest: hash, mapRoot: bytesOf(proof.map_root) })
    const holds = verifyInclusion(sha256, {
      index: proof.log_index,
      size: checkpoint.size,
      leafHash: leafHash(sha256, data),
      path: proof.inclusion_path.map(bytesOf),
      rootHash: checkpoint.rootHash,
    })
    must(holds, "INCLUSION_INVALID", `${at} is not in the log at the place it names.`)
  }
}

type CurrencyProof = AgentExportBundle["transparency"]["currency_proof"]

/** Returns the map root in the checkpoint's last leaf. Throws Fault. */
export function currentMapRoot(proof: CurrencyProof, checkpoint: Checkpoint): Uint8Array {
  const data = decodeBase64(proof.last_leaf, LEAF_DATA_BYTES)
  const leaf = data && readLeafData(data)
  must(leaf !== null, "LAST_LEAF_MALFORMED", "The last leaf has not the form of a leaf.")
  must(proof.leaf_index === checkpoint.size - 1, "LAST_LEAF_NOT_LAST", "The leaf shown is not the newest of the log.")
  const holds = verifyInclusion(sha256, {
    index: proof.leaf_index,
    size: checkpoint.size,
    leafHash: leafHash(sha256, concatBytes(leaf.subject, leaf.digest, leaf.mapRoot)),
    path: proof.inclusion_path.map(bytesOf),
    rootHash: checkpoint.rootHash,
  })
  must(holds, "LAST_LEAF_NOT_INCLUDED", "The leaf shown as the newest is not in the log.")
  return leaf.mapRoot
}

/** Throws Fault unless the map contains the history's newest event for the identity. This detects a dropped event. */
export function requireCurrency({ agentId, events }: History, mapPath: readonly string[], mapRoot: Uint8Array): void {
  const head = events.at(-1)
  const proof = { key: mapKeyOf(sha256, agentId), path: mapPath.map(bytesOf), root: mapRoot }
  const holds = head && verifyMapPath(sha256, { ...proof, digest: head.hash })
  must(
    holds === true,
    "NOT_NEWEST_EVENT",
    `As of the checkpoint the newest event of ${agentId} is not the last one shown: events are missing.`,
  )
}

/** The schema has accepted the hash, so only its trailing bits can be wrong. */
function bytesOf(hash: string): Uint8Array {
  const bytes = decodeBase64(hash, 32)
  must(bytes !== null, "HASH_ENCODING", "A hash of a proof is not canonical base64.")
  return bytes
}
