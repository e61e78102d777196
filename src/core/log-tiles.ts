/**
 * Names and framing of tiles (c2sp.org/tlog-tiles): 256 hashes of level 8L, or 256 entries. A full tile never changes. A partial tile of a
 * given width never changes either. Runs in a browser.
 */
import { concatBytes } from "./bytes.ts"

export const TILE_WIDTH = 256
/** Tree levels between the hashes of a tile and the hashes of the tile above. */
export const TILE_LEVELS = 8

export interface Tile {
  /** `entries` means the leaf data. */
  readonly level: number | "entries"
  readonly index: number
  /** 256 for a full tile. */
  readonly width: number
}

const LEVEL_MAX = 63
/** Its leaves are the last ones whose numbers, and the number after them, a double holds exactly. */
const INDEX_MAX = Math.floor(Number.MAX_SAFE_INTEGER / TILE_WIDTH) - 1
/** {@link INDEX_MAX} has five groups of three digits. */
const GROUPS_MAX = 5

/**
 * Returns a path such as `0/x001/234` or `entries/000.p/5`: groups of three digits, all but the last prefixed with `x`, then the width of a
 * partial tile.
 */
export function writeTilePath({ level, index, width }: Tile): string {
  const digits = String(index)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, "0").match(/.{3}/g) ?? []
  const named = groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join("/")
  return `${level}/${named}${width === TILE_WIDTH ? "" : `.p/${width}`}`
}

/** Returns null for any text that {@link writeTilePath} would not write, and for a tile of leaves beyond 2^53. */
export function readTilePath(text: string): Tile | null {
  const [, levelText = "", named = "", widthText] =
    /^(entries|\d{1,2})\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d{1,3}))?$/.exec(text) ?? []
  const groups = named.split("/")
  if (named === "" || groups.length > GROUPS_MAX) return null
  const level: Tile["level"] = levelText === "entries" ? levelText : Number(levelText)
  const width = widthText === undefined ? TILE_WIDTH : Number(widthText)
  if ((level !== "entries" && level > LEVEL_MAX) || width < 1) return null
  const tile: Tile = { level, index: Number(groups.join("").replaceAll("x", "")), width }
  return tile.index <= INDEX_MAX && writeTilePath(tile) === text ? tile : null
}

/** Prefixes each entry with its length as two bytes, most significant first. */
export function writeEntries(entries: readonly Uint8Array[]): Uint8Array {
  return concatBytes(...entries.flatMap((entry) => [Uint8Array.of(entry.length >> 8, entry.length & 0xff), entry]))
}

/** Returns null unless the bytes are exactly `count` framed entries. */
export function readEntries(bytes: Uint8Array, count: number): Uint8Array[] | null {
  const entries: Uint8Array[] = []
  let at = 0
  while (at + 2 <= bytes.length && entries.length < count) {
    const end = at + 2 + (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0))
    if (end > bytes.length) return null
    entries.push(bytes.slice(at + 2, end))
    at = end
  }
  return at === bytes.length && entries.length === count ? entries : null
}
