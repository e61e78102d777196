/** Names made of digests, by rewriting text alone, so that they are the same wherever a history is verified. */

/**
 * The id an inception event makes: the first 24 bytes of its digest. It certifies itself (anyone with the event recomputes
 * it) and cannot be guessed, because the event holds a 32-byte nonce.
 */
export function agentIdOf(inceptionDigest: string): string {
  const pairs = inceptionDigest.slice("sha256:".length).match(/../g) ?? []
  const bytes = pairs.slice(0, 24).map((pair) => String.fromCharCode(Number.parseInt(pair, 16)))
  return `svc:agent:${btoa(bytes.join("")).replaceAll("+", "-").replaceAll("/", "_")}`
}

/**
 * The digest that commits to a key (rulings 22): SHA-256 of C14N({crv, kty, x}). That text is the very one an RFC 7638
 * thumbprint is taken of, so the key's id already has the hash.
 */
export function commitmentTo(keyId: string): string {
  const thumbprint = keyId.slice("ed25519-".length).replaceAll("-", "+").replaceAll("_", "/")
  return `sha256:${Array.from(atob(thumbprint), (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("")}`
}

/** The id of the key a commitment was made to. */
export function keyIdCommittedBy(digest: string): string {
  const pairs = digest.slice("sha256:".length).match(/../g) ?? []
  const thumbprint = btoa(pairs.map((pair) => String.fromCharCode(Number.parseInt(pair, 16))).join(""))
  return `ed25519-${thumbprint.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`
}
