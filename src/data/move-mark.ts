/** What a database says in `meta` of the move that left it or made it. A database with a mark in `moved_to` is not served from. */

import { MOVED_TO } from "../store/engine/tables.ts"
import type { Unit } from "../store/engine/unit.ts"
import { metaValue } from "../store/meta.ts"

export interface MoveMark {
  /** Of the move; both databases have it. */
  readonly id: string
  /** RFC 3339. */
  readonly at: string
  /** Name of the other database. */
  readonly other: string
  readonly is_complete: boolean
}

export function readMark(text: string | null): MoveMark | null {
  return text === null ? null : (JSON.parse(text) as MoveMark)
}

/** Null in a database that may be served from. */
export function* movedMark(): Unit<MoveMark | null> {
  return readMark(yield* metaValue(MOVED_TO))
}

/** Why a database with this mark is not served from. */
export function movedText(name: string, { at, other, is_complete }: MoveMark): string {
  return is_complete
    ? `${name} was moved to ${other} on ${at} and is not in use any more: database_file must name where it is now. If that move was interrupted, run bizauth database move again`
    : `${name} was being filled from ${other} when the move was interrupted: run the same bizauth database move again with this database. Drop it only if ${other} can still be served`
}
