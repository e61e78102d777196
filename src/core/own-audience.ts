/** The purpose for which a key of the service signs. */
type OwnUse = "statement" | "log" | "sandbox"

/**
 * Returns the audience of the service's own key events. It names the use, and the keys sign it. Otherwise the holder of the key for one use
 * could present its history as that of another use, and a sandbox or log key could sign statements. CHOICE: the audience names the issuer
 * and not an address, because a data directory exists before it has an address and may move to another one.
 */
export function ownAudience(issuerId: string, use: OwnUse): string {
  return `urn:svc:issuer:${issuerId}:${use}`
}
