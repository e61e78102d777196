import { ServiceError } from "../../base/errors.ts"
import { concatBytes } from "../../core/bytes.ts"
import { readTilePath, TILE_LEVELS, TILE_WIDTH, type Tile, writeEntries } from "../../core/log-tiles.ts"
import type { Call, Reply } from "../../http/call.ts"
import { conditional } from "../../http/conditional.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import { leafRange, nodeRange } from "../../store/log/transparency-log.ts"

/** Content of the log never changes under its name. */
export const IMMUTABLE = "public, max-age=31536000, immutable"

export async function replyTile(store: Store, { params, headers }: Call<null>): Promise<Reply> {
  const tile = readTilePath(params["*"] ?? "")
  if (!tile) {
    throw new ServiceError(
      "LOG_POSITION_INVALID",
      "Tiles are named as in c2sp.org/tlog-tiles: tile/0/x001/234, tile/0/000.p/5, tile/entries/000.",
    )
  }
  const parts = await store.read(() => partsOf(tile))
  if (parts.length < tile.width) {
    throw new ServiceError("LOG_NOT_THAT_LONG", "Ask for the width the checkpoint's tree size gives: tile/L/N.p/W.")
  }
  const bytes = tile.level === "entries" ? writeEntries(parts) : concatBytes(...parts)
  return conditional(headers, bytes, { "content-type": "application/octet-stream", "cache-control": IMMUTABLE })
}

function partsOf({ level, index, width }: Tile): Unit<Uint8Array[]> {
  const start = index * TILE_WIDTH
  return level === "entries" ? leafRange(start, start + width) : nodeRange(level * TILE_LEVELS, start, start + width)
}
