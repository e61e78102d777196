/** Which texts count as secrets, in whatever spelling (rulings 92). */
import { describe, expect } from "bun:test"
import { createPublicKey, generateKeyPairSync } from "node:crypto"
import { wordlist as english } from "@scure/bip39/wordlists/english"
import fc from "fast-check"
import { findSecret } from "../../../src/core/secrets/find-secret.ts"
import { Draw } from "../../fixtures/draw.ts"
import { atLength, howMany, runs } from "../../fixtures/long.ts"
import { BASE62, base58, keyPairBytes } from "../../fixtures/private-keys.ts"
import { bareKeys, HONEST_IDS, phrasesOfAllLists, secretsAnywhere } from "../../fixtures/secrets.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

/** Of the rows of tables. A test that draws while it runs has its own, so that it draws the same values when it runs alone. */
const draw = new Draw("rows of find-secret")

describe("a secret is found in any text, whatever surrounds it", () => {
  test.each([...secretsAnywhere(draw), ...phrasesOfAllLists(draw)].map((secret) => [secret.name, secret] as const))(
    "%s",
    (_, { text, kind }) => {
      for (const [before, behind] of [
        ["", ""],
        ["key=", ";"],
        ['{"note":"', '"}'],
        ["See: ", " (new)"],
        ["№ ", "\n"],
      ] as const) {
        expect([before, findSecret(before + text + behind, false)]).toEqual([before, kind])
      }
    },
  )

  test.each(secretsAnywhere(draw).map((secret) => [secret.name, secret] as const))(
    "%s, written with characters that nobody sees",
    (_, { text, kind }) => {
      const wide = text.replace(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0))
      expect(findSecret(wide, false)).toBe(kind)
      expect(findSecret([...text].join("\u200b"), false)).toBe(kind)
    },
  )

  test.each(bareKeys(draw).map((secret) => [secret.name, secret.text] as const))(
    "%s: only where no digest is expected",
    (_, text) => {
      expect(findSecret(text, true)).toBe("PRIVATE_KEY_MATERIAL")
      expect(findSecret(text, false)).toBeNull()
    },
  )
})

test("a key pair is found also if its last byte may be that of a signature", () => {
  const bytes = keyPairBytes(new Draw("key pair"), { maybeSignature: true })
  for (const text of [base58(bytes), bytes.toString("hex"), bytes.toString("base64url"), JSON.stringify([...bytes])]) {
    expect(findSecret(text, false)).toBe("PRIVATE_KEY_MATERIAL")
  }
})

describe("a text that only looks like a secret is none", () => {
  const publicJwk = createPublicKey(draw.ed25519()).export({ format: "jwk" })
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey
  test.each([
    ["public JWK", JSON.stringify({ ...publicJwk, kid: "k:1", use: "sig", alg: "EdDSA" })],
    ["public RSA JWK", JSON.stringify(rsa.export({ format: "jwk" }))],
    ["public JWK in a JSON text", JSON.stringify(JSON.stringify(publicJwk))],
    ["public PEM", rsa.export({ type: "spki", format: "pem" }).toString()],
    ["public PEM in base64", Buffer.from(rsa.export({ type: "spki", format: "pem" }).toString()).toString("base64")],
    ["certificate", `-----BEGIN CERTIFICATE-----\n${draw.bytes(48).toString("base64")}\n-----END CERTIFICATE-----`],
    ["DER of a public key", rsa.export({ type: "spki", format: "der" }).toString("base64")],
    ["extended public key", `xpub661MyMwAqRbcF${"t".repeat(94)}`],
    [
      "detached signature",
      `${Buffer.from('{"alg":"EdDSA"}').toString("base64url")}..${draw.bytes(64).toString("base64url")}`,
    ],
    ["base64url of JSON", Buffer.from('{"domain":"svc.delivery-capsule.v1"}').toString("base64url")],
    ["words of a list", "abandon ability able about above absent absorb abstract absurd abuse access"],
    [
      "a sentence of such words",
      "Supply and install the order of twelve instruments, and test each item at the site before the end of the month",
    ],
    ["twelve words with a wrong checksum", `${"zoo ".repeat(11)}zoo`],
    ["a bearer of a sentence", "The bearer responsibilities-and-duties of this agreement"],
    ["a basic sentence", "basic maintenance_and_calibration"],
    ["URL with a port", "https://buyer.example:8443/cases/1@2"],
    ["mail address", "accounts@buyer.example"],
    ["sk as a word", "sk-2026-0001-0002-0003-0004-0005"],
    ["a key that is named public", `public_key=${draw.bytes(32).toString("hex")}`],
    ["PRIVATE KEY in a sentence", "We never send a private key. BEGIN with the public one."],
    ["dashes", "-----BEGIN SERVICES-----"],
    [
      "EIP-3009 payload",
      JSON.stringify({
        signature: `0x${draw.bytes(65).toString("hex")}`,
        authorization: { from: `0x${"1".repeat(40)}`, nonce: `0x${draw.bytes(32).toString("hex")}` },
      }),
    ],
    ["nothing", ""],
    ["64 numbers that are no key", JSON.stringify([...draw.bytes(64)])],
    ["the numbers of a key and one more", JSON.stringify([...keyPairBytes(draw), 7])],
    ["a signature", base58(draw.bytes(64))],
    ["a key with another half", Buffer.concat([keyPairBytes(draw).subarray(0, 32), draw.bytes(32)]).toString("base64")],
    ["names of algorithms", '{"kem":"X25519","kdf":"HKDF-SHA256","aead":"AES-128-GCM","cipher":"aes-128-gcm"}'],
    ["a public key of minisign", `RWQ${draw.bytes(40).toString("base64").slice(0, 53)}`],
    ["a file of a public key of PuTTY", `---- BEGIN SSH2 PUBLIC KEY ----\n${draw.bytes(48).toString("base64")}`],
    ["a checked text with another checksum", `L${"1".repeat(51)}`],
  ])("%s", (_, text) => expect(findSecret(text, false)).toBeNull())

  test.each([
    ["digest with its name", `settles sha256:${draw.bytes(32).toString("hex")}`],
    ["base64 digest with its name", `sha256-${draw.bytes(32).toString("base64")}`],
    ["words joined by hyphens, as long as a key", "State-of-the-Art-Software-Maintenance-2026-Q1"],
    ["43 characters of one sentence", "calibration-of-pressure-instruments-in-2026"],
    ["two UUIDs", `${draw.uuid()} ${draw.uuid()}`],
    ["a trace of W3C", `00-${draw.bytes(16).toString("hex")}-${draw.bytes(8).toString("hex")}-01`],
    ["an address", `to 0x${draw.bytes(20).toString("hex")}`],
    ["a UUID behind a word of six letters", "worker-3f2b8c1e-9d4a-4b7c-8e1f-5a6b7c8d9e04"],
    ["a UUID behind a name", "Worker-3f2b8c1e-9d4a-4b7c-8e1f-5a6b7c8d9e04"],
    ["an agent id", `svc:agent:${draw.bytes(24).toString("base64url")}`],
  ])("%s, also in prose", (_, text) => expect(findSecret(text, true)).toBeNull())
})

test("a name of a key inside a longer word names nothing, unless a sign separates it from the key", () => {
  const draw = new Draw("named keys")
  const [base64, hex] = [draw.text(BASE62, 43), draw.bytes(32).toString("hex")]
  expect(findSecret(`bafybeijy5dcseed${base64}`, false)).toBeNull()
  for (const text of [
    `seed${base64}`,
    `walletseed=${base64}`,
    `my_seed ${base64}`,
    `walletseed${hex}`,
    `seed0x${hex}`,
  ]) {
    expect([text, findSecret(text, false)]).toEqual([text, "PRIVATE_KEY_MATERIAL"])
  }
})

test("of 20,000 random keys in base64 at most two do not look random", () => {
  const draw = new Draw("base64 keys")
  const keys = Array.from({ length: 20_000 }, () => draw.bytes(32).toString("base64url"))
  expect(keys.filter((text) => findSecret(text, true) === null).length).toBeLessThanOrEqual(2)
})

const RANDOM = atLength(5_000, 100_000)

test.each(HONEST_IDS)(`none of ${howMany(100_000, RANDOM)} random values of the kind %s is a secret`, (name, make) => {
  const draw = new Draw(name)
  for (let i = 0; i < RANDOM; i++) {
    const text = make(draw)
    if (findSecret(text, false) !== null) expect(text).toBe("no secret")
  }
})

test("twelve words of a list are a phrase one time in sixteen, as the checksum implies", () => {
  const draw = new Draw("twelve words")
  let found = 0
  for (let i = 0; i < 3_200; i++) {
    const words = Array.from({ length: 24 }, () => english[draw.below(english.length)])
    if (findSecret(words.slice(0, 12).join(" "), false) !== null) found++
  }
  expect(found / 3_200).toBeGreaterThan(0.04)
  expect(found / 3_200).toBeLessThan(0.09)
})

test("no text is a bug, and what surrounds a text without secrets makes none of it", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json(), fc.webUrl()), fc.boolean(), (text, bare) => {
      expect(findSecret(text, bare)).toBeNull()
    }),
    { numRuns: runs(2_000) },
  )
})

test("the search of 64 KiB takes time linear in the text, for any hostile text", () => {
  const hostile = [
    "-",
    "--BEGIN ",
    "a",
    "a ",
    "zoo ",
    "%2",
    "\\",
    "\\u0041",
    "sk_",
    "eyJ",
    "eyJa.",
    "A",
    "5",
    "kty:",
    "://",
    "a:b",
    "MII",
    "MC4CAQ",
    "0x",
    "00:",
    "LS0tLS1CRUdJTi",
    "xprv",
    "bearer ",
    "private key",
    "\ufdfa",
    "é",
    "1,",
    `${"1, ".repeat(63)}x `,
    `${"1".repeat(88)} `,
    `${"a".repeat(86)} `,
    `${"0a".repeat(64)} `,
    `L${"1".repeat(51)} `,
    '"1":',
    "RWRTY0Iy",
    "kdf:",
  ]
  const milliseconds = (text: string) => {
    const start = process.cpuUsage()
    findSecret(text, true)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1_000
  }
  const fastest = (text: string) => Math.min(...Array.from({ length: 3 }, () => milliseconds(text)))
  for (const unit of hostile) {
    const whole = unit.repeat(65_536 / unit.length)
    const [small, large] = [fastest(whole.slice(0, 8_192)), fastest(whole)]
    expect([unit, large < Math.max(32 * small, 30)]).toEqual([unit, true])
  }
})
