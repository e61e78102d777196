/** Private keys in the forms in which programs write them as text. */
import { PRIVATE_MEMBERS } from "../private-material.ts"
import { sha256 } from "../sha256.ts"

/** PEM armour, whole or half, of every kind (PKCS #8, encrypted, SEC 1, OpenSSH, PGP, ssh.com). */
const ARMOUR = /-- ?(?:BEGIN|END) (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY/i

/** `-----BEGIN` in base64, at its start. */
const ENCODED_ARMOUR = /(?<![A-Za-z0-9+/])LS0tLS1CRUdJTi[A-Za-z0-9+/]+/

/** How the DER of an unencrypted private key begins in base64 and in hex: PKCS #8 (Ed25519, X25519, elliptic curves, RSA), SEC 1, PKCS #1. */
const DER = new RegExp(
  [
    "M[A-Za-z0-9]{2}CAQ[AE]wBQYDK2V[uw]BCIEI",
    "M[A-Za-z0-9+/]{2,5}AgEAMB[AM]GByqGSM49AgEG",
    "M[A-Za-z0-9+/]{2,5}CAQEE[IM][A-Za-z0-9+/_-]{40,}",
    "MII[A-P][A-Za-z0-9+/_-]{2}IBADANBgkqhkiG9w0BAQEFAASC",
    "MII[A-P][A-Za-z0-9+/_-]{2}IBAAKC",
    "302[ef]020100300506032b65(?:6e|70)04220420",
    "3081[0-9a-f]{2}020100301[03]06072a8648ce3d0201",
    "3074020101042[0-9a-f]{65}",
    "3077020101042[0-9a-f]{65}",
  ].join("|"),
)

/** Keys that carry their own kind: an extended private key (BIP 32), an age identity. */
const OWN_PREFIX =
  /(?<![A-Za-z0-9])(?:[xyztuvYZUV]prv[1-9A-HJ-NP-Za-km-z]{107}|AGE-SECRET-KEY-1[A-Z0-9]{58})(?![A-Za-z0-9])/i

/** What may be a private key in Wallet Import Format: {@link isWif} decides. */
const WIF = /(?<![A-Za-z0-9])[5KLc9][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])/g

/** A private member beside `kty`, in JSON, in the notation of a program, or as lines of a settings file. */
const JWK_TYPE = /(?<![\w-])kty["']? ?[:=]/
const PRIVATE_MEMBER = PRIVATE_MEMBERS.join("|")
const JWK_PRIVATE_MEMBER = new RegExp(
  `(?:(["'])(?:${PRIVATE_MEMBER})\\1|(?<=[{,\\s])(?:${PRIVATE_MEMBER})) ?[:=] ?["'[{]*[A-Za-z0-9_-]`,
)

/** True for armour of a private key, whole or half. */
export function hasArmour(text: string): boolean {
  return ARMOUR.test(text)
}

/** True for a private JWK written as text, in JSON or in the notation of a program. */
export function hasPrivateJwk(text: string): boolean {
  return text.includes("kty") && JWK_TYPE.test(text) && JWK_PRIVATE_MEMBER.test(text)
}

/** True for a private key without armour whose encoding shows that it is one. */
export function hasEncodedKey(text: string): boolean {
  return DER.test(text) || OWN_PREFIX.test(text) || hasEncodedArmour(text) || (text.match(WIF)?.some(isWif) ?? false)
}

/** The armour of a public key or a certificate begins alike. */
function hasEncodedArmour(text: string): boolean {
  const [encoded] = ENCODED_ARMOUR.exec(text) ?? []
  return encoded !== undefined && ARMOUR.test(Buffer.from(encoded, "base64").toString("latin1"))
}

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
/** Versions of private keys on the main and the test network of Bitcoin. */
const WIF_VERSIONS = [0x80, 0xef]
const CHECKSUM_BYTES = 4

/** True if the text is Base58Check with the version of a private key. Without the checksum an id could be read as a key. */
function isWif(text: string): boolean {
  const hex = [...text].reduce((number, digit) => number * 58n + BigInt(BASE58.indexOf(digit)), 0n).toString(16)
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex")
  const payload = bytes.subarray(0, -CHECKSUM_BYTES)
  const checksum = sha256(sha256(payload)).subarray(0, CHECKSUM_BYTES)
  return WIF_VERSIONS.includes(payload[0] ?? 0) && bytes.subarray(-CHECKSUM_BYTES).equals(checksum)
}
