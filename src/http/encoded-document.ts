import { hash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { type Digest, digestBytes } from "../core/digest.ts"
import { acceptsGzip } from "./accepts-gzip.ts"
import type { Reply } from "./call.ts"
import { etagMatches } from "./conditional.ts"

type Fields = Readonly<Record<string, string>>

/** A document in one form: as it is, or compressed. */
interface Form {
  readonly etag: string
  readonly whole: Reply
  readonly unchanged: Reply
}

/**
 * A document that is sent with a strong ETag and a Content-Digest (RFC 9530), and compressed where a caller asks for it. All headers and
 * digests are computed once. The compressed bytes are made for the first caller that asks for them.
 */
export class EncodedDocument {
  /** Digest of the bytes before compression. */
  readonly digest: Digest
  readonly #headers: Fields
  readonly #plain: Form
  #compressed: Form | undefined

  /** `headers`: content type, cache rule and others that every reply has. */
  constructor(
    readonly bytes: Uint8Array,
    headers: Fields,
  ) {
    this.digest = digestBytes(bytes)
    this.#headers = { ...headers, vary: "Accept-Encoding" }
    this.#plain = formOf(bytes, { ...this.#headers, etag: `"${this.digest.slice("sha256:".length)}"` })
  }

  /** Returns the document, or 304 without a body if the caller already has this form of it. */
  reply(request: Headers): Reply {
    const form = acceptsGzip(request.get("accept-encoding")) ? this.#gzip() : this.#plain
    const sent = request.get("if-none-match")
    return sent !== null && etagMatches(sent, form.etag) ? form.unchanged : form.whole
  }

  /** A document that compression does not make smaller has only its plain form. */
  #gzip(): Form {
    this.#compressed ??= this.#compress()
    return this.#compressed
  }

  #compress(): Form {
    const compressed = gzipSync(this.bytes)
    if (compressed.byteLength >= this.bytes.byteLength) return this.#plain
    const etag = `"${this.digest.slice("sha256:".length)}-gzip"`
    return formOf(compressed, { ...this.#headers, etag, "content-encoding": "gzip" })
  }
}

function formOf(body: Uint8Array, headers: Fields & { readonly etag: string }): Form {
  const tagged = Object.freeze({ ...headers })
  const { "content-encoding": _, ...unchanged } = tagged as Fields
  const digest = `sha-256=:${hash("sha256", body, "base64")}:`
  return {
    etag: headers.etag,
    whole: { status: 200, body, headers: Object.freeze({ ...tagged, "content-digest": digest }) },
    unchanged: { status: 304, body: null, headers: Object.freeze(unchanged) },
  }
}
