/** Private keys in the forms in which programs write them as text. */

import { decodeBase58Check } from "./base58.ts"
import { hasKeyPair } from "./key-pair.ts"
import { KEYSTORE_MEMBERS } from "./private-key-value.ts"
import { PRIVATE_MEMBERS } from "./private-material.ts"

/** PEM armour, whole or half, of every kind (PKCS #8, encrypted, SEC 1, OpenSSH, PGP, ssh.com). */
const ARMOUR = /-- ?(?:BEGIN|END) (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY/i

/** `-----BEGIN` in base64, at its start. */
const ENCODED_ARMOUR = /(?<![A-Za-z0-9+/])LS0tLS1CRUdJTi[A-Za-z0-9+/]+/

/**
 * How a private key begins in base64 and in hex: PKCS #8 (Ed25519, X25519, elliptic curves, RSA), SEC 1, PKCS #1, OpenSSH, and PKCS #8 under a
 * passphrase.
 */
const BEGINNING = new RegExp(
  [
    "M[A-Za-z0-9]{2}CAQ[AE]wBQYDK2V[uw]BCIEI",
    "M[A-Za-z0-9+/]{2,5}AgEAMB[AM]GByqGSM49AgEG",
    "M[A-Za-z0-9+/]{2,5}CAQEE[IM][A-Za-z0-9+/_-]{40,}",
    "MII[A-P][A-Za-z0-9+/_-]{2}IBADANBgkqhkiG9w0BAQEFAASC",
    "MII[A-P][A-Za-z0-9+/_-]{2}IBAAKC",
    "b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/]{60}",
    "MII[A-P][A-Za-z0-9+/]{4}BgkqhkiG9w0BBQ0w",
    "MI[GH][A-Za-z0-9+/]M[A-Za-z0-9+/]{2}GCSqGSIb3DQEFDT",
    "302[ef]020100300506032b65(?:6e|70)04220420",
    "3081[0-9a-f]{2}020100301[03]06072a8648ce3d0201",
    "3074020101042[0-9a-f]{65}",
    "3077020101042[0-9a-f]{65}",
  ].join("|"),
)

/**
 * Keys that carry their own kind: an extended private key (BIP 32), an age identity, keys of Nostr and Sui, and the secret keys of minisign and
 * signify.
 */
const OWN_PREFIX = new RegExp(
  `(?<![A-Za-z0-9+/])(?:${[
    "[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{107}",
    "AGE-SECRET-KEY-1[a-z0-9]{58}",
    "nsec1[a-z0-9]{58}",
    "ncryptsec1[a-z0-9]{100,}",
    "suiprivkey1[a-z0-9]{59}",
    "RW(?:RTY0Iy|QAAEIy|RCSwAA)[A-Za-z0-9+/]{128,}={0,2}",
  ].join("|")})(?![A-Za-z0-9])`,
  "i",
)

/** The file of a private key of PuTTY. That of a public key has another head. */
const PUTTY = /PuTTY-User-Key-File-\d ?:/i

/** What may be a private key in Wallet Import Format or of BIP 38: {@link isCheckedKey} decides. */
const CHECKED = /(?<![A-Za-z0-9])(?:[5KLc9][1-9A-HJ-NP-Za-km-z]{50,51}|6P[1-9A-HJ-NP-Za-km-z]{56})(?![A-Za-z0-9])/g

/** A private member beside `kty`, in JSON, in the notation of a program, or as lines of a settings file. */
const JWK_TYPE = /(?<![\w-])kty["']? ?[:=]/
const PRIVATE_MEMBER = PRIVATE_MEMBERS.join("|")
const JWK_PRIVATE_MEMBER = new RegExp(
  `(?:(["'])(?:${PRIVATE_MEMBER})\\1|(?<=[{,\\s])(?:${PRIVATE_MEMBER})) ?[:=] ?["'[{]*[A-Za-z0-9_-]`,
)

const KEYSTORES = KEYSTORE_MEMBERS.map((names) => names.map((name) => new RegExp(`(?<![\\w-])${name}["']? ?[:=]`)))

/** True for armour of a private key, whole or half. */
export function hasArmour(text: string): boolean {
  return ARMOUR.test(text)
}

/** True for a private JWK written as text, in JSON or in the notation of a program. */
export function hasPrivateJwk(text: string): boolean {
  return text.includes("kty") && JWK_TYPE.test(text) && JWK_PRIVATE_MEMBER.test(text)
}

/** True for the encrypted key of a wallet's keystore written as text. */
export function hasKeystore(text: string): boolean {
  return text.includes("kdf") && KEYSTORES.some((members) => members.every((member) => member.test(text)))
}

/** True for a private key without armour whose encoding shows that it is one. */
export function hasEncodedKey(text: string): boolean {
  return (
    BEGINNING.test(text) ||
    OWN_PREFIX.test(text) ||
    PUTTY.test(text) ||
    hasEncodedArmour(text) ||
    (text.match(CHECKED)?.some(isCheckedKey) ?? false) ||
    hasKeyPair(text)
  )
}

/** The armour of a public key or a certificate begins alike. */
function hasEncodedArmour(text: string): boolean {
  const [encoded] = ENCODED_ARMOUR.exec(text) ?? []
  return encoded !== undefined && ARMOUR.test(Buffer.from(encoded, "base64").toString("latin1"))
}

/** Versions of a private key on the main and the test network of Bitcoin. */
const WIF_VERSIONS: readonly (number | undefined)[] = [0x80, 0xef]
/** Versions of a private key under a passphrase (BIP 38). */
const UNDER_PASSPHRASE = ["0142", "0143"]

/** Without the checksum an id could be read as a key. */
function isCheckedKey(text: string): boolean {
  const payload = decodeBase58Check(text)
  if (payload === null) return false
  return WIF_VERSIONS.includes(payload[0]) || UNDER_PASSPHRASE.includes(payload.toString("hex", 0, 2))
}
