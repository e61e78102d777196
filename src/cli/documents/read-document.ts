import { readFile } from "node:fs/promises"
import { ANSWER_PRODUCTS } from "../../../schemas/products.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { readFault } from "../../base/system-fault.ts"
import { NATIVE_CRYPTO } from "../../core/crypto/native-crypto.ts"
import type { JsonValue } from "../../core/strict-json.ts"
import { type GivenFile, issuerKeysIn, jsonIn } from "../../offline/given/given-files.ts"
import type { IssuerKeys } from "../../offline/steps/issuer-keys.ts"

/** Returns the bytes of a file, or of standard input for `-`. Exit 4 if they cannot be read, because then nothing could be checked. */
export async function readDocumentBytes(path: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await readFile(path === "-" ? "/dev/stdin" : path))
  } catch (error) {
    throw new CommandError(EXIT.NOT_CHECKED, `cannot read ${path}: ${readFault(error)}`)
  }
}

/** The same with the path, which messages name. */
export async function readGivenFile(path: string): Promise<GivenFile> {
  return { name: path, bytes: await readDocumentBytes(path) }
}

export async function readDocumentJson(path: string): Promise<JsonValue> {
  return jsonIn(await readGivenFile(path))
}

export async function readIssuerFile(path: string): Promise<IssuerKeys> {
  return issuerKeysIn(await readGivenFile(path), { crypto: NATIVE_CRYPTO, answers: ANSWER_PRODUCTS })
}
