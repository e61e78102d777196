/** The list of one build's stored deliveries, `build.json`, and the files it names. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Digest } from "../../src/core/digest.ts"

/** The documents that the buyer of a case got, by the ending of the file name. */
export const KINDS = ["bundle.json", "answer.json", "answer.json.capsule", "passport.json"] as const
export type Kind = (typeof KINDS)[number]

export interface StoredCase {
  /** The product's id; the folder of the files. */
  readonly product: string
  readonly case: string
  readonly shows: string
  readonly decision: string
  /**
   * Of every document that the buyer got. An answer that the bundle repeats byte for byte has no file of its own, and
   * neither has its capsule: only an answer with a token differs from what is exported.
   */
  readonly digests: Readonly<Partial<Record<Kind, Digest>>>
  /** The kinds of document that have a file. */
  readonly files: readonly Kind[]
}

export interface BuildList {
  readonly build: string
  readonly program_version: string
  /** The commit of the program that made these deliveries. */
  readonly source_commit: string
  readonly made_at: string
  /** Digest of `issuer.jwks.json`, the keys that buyers verify with. */
  readonly issuer_jwks: Digest
  /** Digests of the files of the lists that the answers were screened against, by path in the folder of all snapshots. Absent: none is stored. */
  readonly snapshots?: Readonly<Record<string, Digest>>
  readonly cases: readonly StoredCase[]
}

export const LIST = "build.json"
export const ISSUER = "issuer.jwks.json"

/** Path of one file of a case inside its build's folder. */
export function fileOf({ product, case: name }: Pick<StoredCase, "product" | "case">, kind: Kind): string {
  return join(product, `${name}.${kind}`)
}

export function readList(folder: string): BuildList {
  return JSON.parse(readFileSync(join(folder, LIST), "utf8")) as BuildList
}
