/** What a key of the service signs with. */
export type OwnUse = "statement" | "log" | "sandbox"

/**
 * Audience of the service's own key events. It names the use, and the keys signed it: without it whoever holds the key of one use
 * could hand its history over as that of another, and a sandbox or log key would sign statements.
 * CHOICE: it names the issuer and not an address, because a data directory is made before it has one and may move to another.
 */
export function ownAudience(issuerId: string, use: OwnUse): string {
  return `urn:svc:issuer:${issuerId}:${use}`
}
