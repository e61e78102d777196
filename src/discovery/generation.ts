/**
 * All discovery documents of one moment. They are served together and replaced together, so that the digests in the signed manifest are
 * always those of the bytes that are served with it. The documents without a signature are printed once in a process.
 */
import { getCapabilityManifest, OPENAPI_PATH } from "../../schemas/discovery/capability-manifest.ts"
import type { Operation } from "../../schemas/operation.ts"
import { canonicalBytes } from "../core/canonical-json.ts"
import { type Digest, digestBytes } from "../core/digest.ts"
import type { Signer } from "../core/signer.ts"
import { HOUR } from "../core/time.ts"
import { EncodedDocument } from "../http/encoded-document.ts"
import { capabilityManifest, type ListedDocument } from "./capability-manifest.ts"
import type { DocumentParts, DocumentRow, SignedParts, SignedRow } from "./parts.ts"

/** Half of the manifest's validity. */
const RENEW_MS = 12 * HOUR
const NAME_DIGITS = 32

export interface Generation {
  /** Value of the header `Svc-Generation` on all its documents: the first hex digits of the manifest's digest. */
  readonly name: string
  /** By operation id, the manifest included. */
  readonly documents: ReadonlyMap<string, EncodedDocument>
  /** Digests of exact bytes. The second is null if the service has no OpenAPI document. */
  readonly manifestDigest: Digest
  readonly openapiDigest: Digest | null
  readonly keyId: string
  /** When it begins, in milliseconds since the epoch. */
  readonly madeAt: number
}

interface GenerationParts extends Omit<DocumentParts, "operations"> {
  /** Loads the printers at first use, so that the start does not wait for them. Rows of routes that are not served are left out. */
  readonly load: () => Promise<readonly DocumentRow[]>
  /** Every served row, ordered by path. Complete when the first generation is printed. */
  readonly operations: () => readonly Operation[]
  /** Throws ServiceError if the statement key has expired. */
  readonly signer: () => Signer
  /** Since when that key signs, in milliseconds. */
  readonly keySince: () => number
  readonly now: () => number
}

export class Generations {
  #held: Generation | null = null
  #loading: Promise<readonly DocumentRow[]> | null = null
  #printed: PrintedSet | null = null

  constructor(private readonly parts: GenerationParts) {}

  /** The current generation, or null before the first one is printed. */
  get held(): Generation | null {
    return this.#held
  }

  /** Returns the current generation. Prints the first one if there is none yet. */
  current(): Generation | Promise<Generation> {
    return this.#held ?? this.renew()
  }

  /** Digest of the bytes of one document, by the id of its operation. Throws for an operation that is no served document. */
  async digestOf(id: string): Promise<Digest> {
    const document = (await this.current()).documents.get(id)
    if (!document) throw new Error(`${id} is no served document`)
    return document.digest
  }

  /**
   * Makes a new generation if there is none, if another key signs now, or if the held one is half through its validity. Every instance with the same
   * settings makes the same bytes: a client may get the manifest from one, and from another the proof that names its digest.
   */
  async renew(): Promise<Generation> {
    this.#loading ??= this.parts.load()
    const rows = await this.#loading
    // From here on nothing waits, so the whole generation is of one moment.
    const signer = this.parts.signer()
    const at = beginOf(this.parts.now(), this.parts.keySince())
    if (this.#held?.keyId === signer.keyId && this.#held.madeAt === at) return this.#held
    this.#printed ??= printedSet(this.parts, rows)
    this.#held = generation(this.#printed, signer, at)
    return this.#held
  }
}

/**
 * When the generation of `now` begins, whatever process makes it. A clock that was set back gives an earlier one, because otherwise the manifest would
 * begin in the future.
 */
function beginOf(now: number, keySince: number): number {
  return Math.max(now - (now % RENEW_MS), keySince)
}

/** What all generations of a process share: printed documents, and the rows that each generation signs. Ordered by path. */
interface PrintedSet {
  readonly parts: DocumentParts
  readonly documents: readonly (PrintedDocument | ServedSignedRow)[]
}

/** `operation`: the row as served, because its path may be configured. */
type ServedSignedRow = Omit<SignedRow, "operation"> & { readonly operation: Operation }

function printedSet(
  { baseUrl, issuerName, version, network, operations: served }: GenerationParts,
  rows: readonly DocumentRow[],
): PrintedSet {
  const operations = served()
  const parts: DocumentParts = { baseUrl, issuerName, operations, network, version }
  const documents = rows.flatMap((row): readonly (PrintedDocument | ServedSignedRow)[] => {
    const operation = operations.find(({ id }) => id === row.operation.id)
    if (!operation) return []
    if ("sign" in row) return [{ ...row, operation }]
    const { print, ...described } = row
    return [{ ...described, operation, ...printed(operation, print(parts)) }]
  })
  return { parts, documents: documents.toSorted((a, b) => (a.operation.path < b.operation.path ? -1 : 1)) }
}

function generation({ parts, documents: set }: PrintedSet, signer: Signer, at: number): Generation {
  const signedParts: SignedParts = { ...parts, signer, at }
  const others = set.map((one): PrintedDocument => {
    if (!("sign" in one)) return one
    const { sign, operation, ...described } = one
    return { ...described, operation, ...printed(operation, sign(signedParts)) }
  })
  const listed = others.map((one) => one.listed)
  const manifest = canonicalBytes(capabilityManifest(signedParts, listed))
  const manifestDigest = digestBytes(manifest)
  const name = manifestDigest.slice("sha256:".length).slice(0, NAME_DIGITS)
  const documents: readonly ServedDocument[] = [...others, { operation: getCapabilityManifest, bytes: manifest }]
  return {
    name,
    documents: new Map(documents.map((document) => [document.operation.id, encoded(document, name)])),
    manifestDigest,
    openapiDigest: listed.find(({ path }) => path === OPENAPI_PATH)?.digest ?? null,
    keyId: signer.keyId,
    madeAt: at,
  }
}

/** The bytes of one document, and its line in the manifest. */
function printed(operation: Operation, document: string | object): { bytes: Uint8Array; listed: ListedDocument } {
  const bytes = typeof document === "string" ? new TextEncoder().encode(document) : canonicalBytes(document)
  const listed = { path: operation.path, mediaType: mediaTypeOf(operation), digest: digestBytes(bytes) }
  return { bytes, listed }
}

function mediaTypeOf({ responses }: Operation): string {
  return responses[200]?.mediaType ?? "application/json"
}

interface ServedDocument {
  readonly operation: Operation
  readonly bytes: Uint8Array
  readonly cacheControl?: string
}

interface PrintedDocument extends ServedDocument {
  readonly listed: ListedDocument
}

function encoded({ operation, bytes, cacheControl }: ServedDocument, generation: string): EncodedDocument {
  return new EncodedDocument(bytes, {
    "content-type": mediaTypeOf(operation),
    "cache-control": cacheControl ?? "public, max-age=300",
    "svc-generation": generation,
  })
}
