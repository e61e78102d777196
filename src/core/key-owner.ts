/** Bit 7 of byte 31 of a public key, its sign, is bit 3 of the last but one of its 43 base64url characters. */
const SIGN_AT = 41
const SIGN = 0b001000
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/**
 * The public point without its sign bit. A scalar's owner also owns the negated point, so two keys have one owner exactly when
 * this text is equal, and a database can look for it. `x` has passed the key check; text of another shape is a bug. Works on
 * the text alone, so that it runs wherever a history is verified.
 */
export function keyOwner(x: string): string {
  if (!/^[A-Za-z0-9_-]{43}$/.test(x)) throw new TypeError("not a checked public key")
  const cleared = ALPHABET.indexOf(x.charAt(SIGN_AT)) & ~SIGN
  return x.slice(0, SIGN_AT) + ALPHABET.charAt(cleared) + x.slice(SIGN_AT + 1)
}
