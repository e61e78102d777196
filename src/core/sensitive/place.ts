/** Where a value is in a body, as a reply may say it: the longest RFC 6901 pointer to it that repeats nothing sensitive. */

import { findRawBankData } from "../bank-data/raw-bank-data.ts"
import { pointerStep } from "../json-pointer.ts"
import { findSecret } from "../secrets/find-secret.ts"

/** A reply repeats no longer pointer with names that the caller chose. */
const POINTER_CHARACTERS_MAX = 512

export interface Place {
  readonly pointer: string
  /** The pointer ends at an outer value, because a name below it may not be repeated. */
  readonly isCut: boolean
}

export const WHOLE: Place = { pointer: "", isCut: false }

/** The place of a member that the schema names, or of an item of a list. */
export function below({ pointer, isCut }: Place, step: string | number): Place {
  return { pointer: isCut ? pointer : pointer + pointerStep(String(step)), isCut }
}

/** The place of a member whose name the caller chose. */
export function belowChosen(place: Place, name: string): Place {
  const member = below(place, name)
  return isRepeatable(member.pointer) ? member : { ...place, isCut: true }
}

/**
 * True if a reply may repeat this pointer, whose names the caller chose. All its names are searched as one text, because the words of a seed
 * phrase can be names of objects in one another.
 */
export function isRepeatable(pointer: string): boolean {
  if (pointer.length > POINTER_CHARACTERS_MAX) return false
  const names = pointer.replaceAll("/", " ").replaceAll("~1", "/").replaceAll("~0", "~").trim()
  return findSecret(names, true) === null && findRawBankData(names, true) === null
}
