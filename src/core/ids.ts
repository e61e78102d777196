import { encodeBase64url } from "./base64url.ts"

/** `req_ drq_ dec_ dlv_ exe_` + 22 base64url characters, which carry 128 random bits (rulings 5). */
type IdPrefix =
  | "req"
  | "drq"
  | "dec"
  | "dlv"
  | "exe"
  | "dgn"
  | "att"
  | "reg"
  | "sup"
  | "psp"
  | "wal"
  | "ofr"
  | "pln"
  | "cnt"
  | "bst"
  | "jrn"
  | "job"
  | "eml"
  | "rev"

export const ID_RANDOM_BYTES = 16

/** `random` is 16 bytes. The caller draws them, so that this function stays pure. */
export function formatId(prefix: IdPrefix, random: Uint8Array): string {
  if (random.length !== ID_RANDOM_BYTES) throw new TypeError("an id carries 128 random bits")
  return `${prefix}_${encodeBase64url(random)}`
}
