/** The sign of a public key is bit 7 of byte 31. In base64url it is bit 3 of character 41 of 43 (counted from 0). */
const SIGN_AT = 41
const SIGN = 0b001000
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/**
 * Returns the public point without its sign bit. The owner of a scalar also owns the negated point, so two keys have the same owner exactly
 * when this text is equal. A database can index it. `x` must have passed the key check; throws a TypeError for text of another shape. Needs
 * no library, so it runs wherever a history is verified.
 */
export function keyOwner(x: string): string {
  if (!/^[A-Za-z0-9_-]{43}$/.test(x)) throw new TypeError("not a checked public key")
  const cleared = ALPHABET.indexOf(x.charAt(SIGN_AT)) & ~SIGN
  return x.slice(0, SIGN_AT) + ALPHABET.charAt(cleared) + x.slice(SIGN_AT + 1)
}
