const MARK = ":sandbox"

/** `issuer` of everything that the sandbox key of an installation signs. */
export function sandboxIssuer(issuer: string): string {
  return `${issuer}${MARK}`
}

/** True for the issuer of synthetic documents. No installation may have such a name, and no live verifier accepts it. */
export function isSandboxIssuer(issuer: string): boolean {
  return issuer.endsWith(MARK)
}
