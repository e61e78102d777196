// Makes ids and commitments from digests. It only rewrites text, so the result is the same wherever a history is verified.

/**
 * Returns the agent id of an inception event: the first 24 bytes of its digest. Anyone with the event can recompute the id. Nobody can
 * guess it, because the event holds a 32-byte nonce.
 */
export function agentIdOf(inceptionDigest: string): string {
  return `svc:agent:${base64urlOf(hexOf(inceptionDigest).slice(0, 2 * 24))}`
}

/** Returns the id of evidence or of an assessment: the first 32 hex characters of its digest. */
export function idOfContent(prefix: "ev" | "asm", digest: string): string {
  return `${prefix}_${hexOf(digest).slice(0, 32)}`
}

/**
 * Returns the digest that commits to a key (rulings 22): SHA-256 of C14N({crv, kty, x}). An RFC 7638 thumbprint hashes the same text, so
 * the key id already contains this hash.
 */
export function commitmentTo(keyId: string): string {
  const thumbprint = keyId.slice("ed25519-".length).replaceAll("-", "+").replaceAll("_", "/")
  return `sha256:${Array.from(atob(thumbprint), (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("")}`
}

/** Returns the id of the key that the commitment was made to. */
export function keyIdCommittedBy(digest: string): string {
  return `ed25519-${base64urlOf(hexOf(digest))}`
}

function hexOf(digest: string): string {
  return digest.slice("sha256:".length)
}

function base64urlOf(hex: string): string {
  const bytes = (hex.match(/../g) ?? []).map((pair) => String.fromCharCode(Number.parseInt(pair, 16)))
  return btoa(bytes.join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}
