import type { LogConsistencyProof, LogInclusionProof } from "../../../schemas/agent-id/log.ts"
import { ServiceError } from "../../base/errors.ts"
import { encodeBase64 } from "../../core/bytes.ts"
import type { Call, Reply } from "../../http/call.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import { consistencyPath, inclusionPath, leafData, readTreeSize } from "../../store/log/transparency-log.ts"
import { IMMUTABLE } from "./log-tile.ts"

export async function replyInclusion(store: Store, { params }: Call<null>): Promise<Reply> {
  const index = position(params["index"], "index")
  const size = position(params["size"], "size")
  if (index >= size) throw new ServiceError("LOG_POSITION_INVALID", "index must be below size: leaves count from 0.")
  return immutable(await store.read(() => readInclusion(index, size)))
}

/** Null: the log is not that long. */
function* readInclusion(index: number, size: number): Unit<LogInclusionProof | null> {
  if ((yield* readTreeSize()) < size) return null
  const data = yield* leafData(index)
  if (!data) throw new Error(`the log lacks leaf ${index}`)
  return {
    schema_version: "1.0.0",
    log_index: index,
    tree_size: size,
    leaf_data: encodeBase64(data),
    inclusion_path: (yield* inclusionPath(index, size)).map(encodeBase64),
  }
}

export async function replyConsistency(store: Store, { params }: Call<null>): Promise<Reply> {
  const from = position(params["from"], "from")
  const to = position(params["to"], "to")
  if (from > to)
    throw new ServiceError("LOG_POSITION_INVALID", "from must not be above to: give the earlier size first.")
  return immutable(await store.read(() => readConsistency(from, to)))
}

/** Null: the log is not that long. */
function* readConsistency(from: number, to: number): Unit<LogConsistencyProof | null> {
  if ((yield* readTreeSize()) < to) return null
  return {
    schema_version: "1.0.0",
    from_tree_size: from,
    to_tree_size: to,
    consistency_path: (yield* consistencyPath(from, to)).map(encodeBase64),
  }
}

function immutable(proof: object | null): Reply {
  if (!proof) throw new ServiceError("LOG_NOT_THAT_LONG", "Take a size from a checkpoint of this log.")
  return { status: 200, body: proof, headers: { "cache-control": IMMUTABLE } }
}

/** Requires a decimal number without sign or leading zero, so that each proof has one URL. */
function position(text: string | undefined, name: string): number {
  if (text === undefined || !/^(0|[1-9]\d{0,15})$/.test(text) || !Number.isSafeInteger(Number(text))) {
    throw new ServiceError("LOG_POSITION_INVALID", `${name} must be a decimal number without leading zeros.`)
  }
  return Number(text)
}
