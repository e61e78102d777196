/** Where the database of a move is, where it goes, and what each of the two says of the move. */
import { existsSync, readdirSync } from "node:fs"
import { basename, join } from "node:path"
import type { DatabasePlace } from "../../store/engine/open-engine.ts"
import { metaOf } from "../../store/engine/open-tables.ts"
import { MOVED_FROM, MOVED_TO } from "../../store/engine/tables.ts"
import type { DataPaths } from "../data-paths.ts"
import { databasePlace } from "../database-place.ts"
import { type MoveMark, readMark } from "../move-mark.ts"

export interface MoveOrder {
  readonly paths: DataPaths
  /** The value of `database_file` before the move; null if the database is a file. */
  readonly from: string | null
  /** The value of `database_file` after it. One of the two is null. */
  readonly to: string | null
  /** The configuration file, which names the database. */
  readonly configuration: string
}

export interface Places {
  readonly from: DatabasePlace
  /** Where the new database is filled: a file has its final name only when it is whole. */
  readonly filled: DatabasePlace
  readonly to: DatabasePlace
}

export function placesOf({ paths, from, to }: MoveOrder): Places {
  const place = databasePlace(paths, to)
  return {
    from: databasePlace(paths, from),
    filled: place.kind === "FILE" ? { kind: "FILE", path: `${place.path}.moving` } : place,
    to: place,
  }
}

/** The name of the earlier file after a move to a server at this RFC 3339 time. */
export function keptName({ database }: DataPaths, at: string): string {
  return `${basename(database)}.moved-${at.replaceAll(/[-:]|\.\d+/g, "")}`
}

export interface MarkedPlace {
  readonly place: DatabasePlace
  readonly mark: MoveMark
}

/** The earlier database and its mark, if a move marked it: under its own name, or under the one that the move gave it. */
export async function markedPlace({ paths }: MoveOrder, { from }: Places): Promise<MarkedPlace | null> {
  const place = from.kind === "FILE" && !existsSync(from.path) ? newestKept(paths) : from
  const mark = place && readMark(await metaOf(place, MOVED_TO))
  return place && mark?.is_complete ? { place, mark } : null
}

function newestKept({ directory, database }: DataPaths): DatabasePlace | null {
  if (!existsSync(directory)) return null
  const names = readdirSync(directory).filter(
    (name) => name.startsWith(`${basename(database)}.moved-`) && /\.moved-\w+$/.test(name),
  )
  const newest = names.toSorted().at(-1)
  return newest === undefined ? null : { kind: "FILE", path: join(directory, newest) }
}

/** How far the new database of a move has come. */
export async function stateOf({ filled, to }: Places, { id }: MoveMark): Promise<"NONE" | "FILLED" | "IN_USE"> {
  const incomplete = readMark(await metaOf(filled, MOVED_TO)) ?? readMark(await metaOf(filled, MOVED_FROM))
  if ((await metaOf(to, MOVED_TO)) === null && readMark(await metaOf(to, MOVED_FROM))?.id === id) return "IN_USE"
  return incomplete?.id === id ? "FILLED" : "NONE"
}
