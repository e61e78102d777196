/** Reads the files that a person gives to an offline check. Throws CommandError, whose message names the file. */

import { CommandError, EXIT } from "../../base/exit.ts"
import type { DocumentCrypto } from "../../core/crypto/document-crypto.ts"
import { type JsonValue, readJson, StrictJsonError } from "../../core/strict-json.ts"
import { type KnownProducts, type Recognised, recogniseFile } from "../kinds/recognise-file.ts"
import { type IssuerKeys, readIssuerKeys } from "../steps/issuer-keys.ts"
import { unreadable } from "../steps/read.ts"

export interface GivenFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Throws CommandError (4) if it is not strict JSON. */
export function jsonIn({ name, bytes }: GivenFile): JsonValue {
  try {
    return readJson(bytes)
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    throw new CommandError(EXIT.NOT_CHECKED, `${name} is not strict JSON: ${unreadable(bytes, error)}`)
  }
}

/** What it takes to read the files: how to check keys, and which answers there are. */
export interface Reader {
  readonly crypto: DocumentCrypto
  readonly answers: KnownProducts
}

/** Throws CommandError (4) if it is no set of public keys. */
export function issuerKeysIn(file: GivenFile, { crypto, answers }: Reader): IssuerKeys {
  const keys = readIssuerKeys(jsonIn(file), crypto)
  if (keys) return keys
  const instead = recogniseFile(file.bytes, answers)
  throw new CommandError(
    EXIT.NOT_CHECKED,
    `${file.name} is not a set of public keys${instead === null ? "" : `: ${instead.sentence}`}`,
  )
}

/** Returns the file. Throws CommandError (4) if it is recognised as another kind of document. */
export function requirePlace(
  place: Recognised["place"],
  file: GivenFile,
  { answers }: Pick<Reader, "answers">,
): GivenFile {
  const found = recogniseFile(file.bytes, answers)
  if (found === null || found.place === place) return file
  throw new CommandError(EXIT.NOT_CHECKED, `${file.name}: ${found.sentence}`)
}
