// Makes ids and commitments from digests. It only rewrites text, so the result is the same wherever a history is verified.

/**
 * Returns the agent id of an inception event: the first 24 bytes of its digest. Anyone with the event can recompute the id. Nobody can
 * guess it, because the event holds a 32-byte nonce.
 */
export function agentIdOf(inceptionDigest: string): string {
  const pairs = inceptionDigest.slice("sha256:".length).match(/../g) ?? []
  const bytes = pairs.slice(0, 24).map((pair) => String.fromCharCode(Number.parseInt(pair, 16)))
  return `svc:agent:${btoa(bytes.join("")).replaceAll("+", "-").replaceAll("/", "_")}`
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
  const pairs = digest.slice("sha256:".length).match(/../g) ?? []
  const thumbprint = btoa(pairs.map((pair) => String.fromCharCode(Number.parseInt(pair, 16))).join(""))
  return `ed25519-${thumbprint.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`
}
