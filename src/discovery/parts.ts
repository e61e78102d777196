import type { Operation } from "../../schemas/operation.ts"
import type { Signer } from "../core/signer.ts"

/** What the documents are made of. The printers are pure functions of it. It stays the same as long as the process runs. */
export interface DocumentParts {
  /** Public origin of the service, without a trailing slash. */
  readonly baseUrl: string
  /** Name of the operator. */
  readonly issuerName: string
  /** Every served row, ordered by path. */
  readonly operations: readonly Operation[]
  /** CAIP-2 id of the chain on which callers pay. */
  readonly network: string
  /** Version of the program. */
  readonly version: string
}

/** What a document with a signature is made of. */
export interface SignedParts extends DocumentParts {
  /** The statement key that signs this generation of documents. */
  readonly signer: Signer
  /** Milliseconds since the epoch at which this generation begins. */
  readonly at: number
}

/** A document of the discovery set. Its path and media type are those of the served row with the id of `operation`. */
interface Described {
  readonly operation: Operation<undefined>
  /** Default: `public, max-age=300`. */
  readonly cacheControl?: string
}

/** A document that is printed once in a process. A text is served unchanged, an object as canonical JSON. */
export interface ConstantRow extends Described {
  readonly print: (parts: DocumentParts) => string | object
}

/** A document with a signature, which is made again for each generation and served as canonical JSON. */
export interface SignedRow extends Described {
  readonly sign: (parts: SignedParts) => object
}

export type DocumentRow = ConstantRow | SignedRow
