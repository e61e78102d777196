import { hash, timingSafeEqual } from "node:crypto"

/** SHA-256 of a token. */
export function digestOfToken(token: string): Buffer {
  return hash("sha256", token, "buffer")
}

/** Whether the request carries the token. Digests have one length, so the comparison takes the same time for every token. */
export function hasToken(request: Request, digest: Buffer): boolean {
  const [, given] = /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.get("authorization") ?? "") ?? []
  return given !== undefined && timingSafeEqual(digestOfToken(given), digest)
}
