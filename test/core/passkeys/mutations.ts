/** Ways to make a good assertion another one. Each names what it changes; a signature is made after the change unless the name says `bytes`. */
import type { AssertionJson, TestAuthenticator, Wrong } from "../../fixtures/authenticator.ts"

export interface Turn {
  readonly authenticator: TestAuthenticator
  readonly stranger: TestAuthenticator
  readonly challenge: string
  readonly origin: string
  /** From 0 to below `below`. */
  readonly draw: (below: number) => number
}

type Mutation = (turn: Turn) => AssertionJson

const pick = <T>({ draw }: Turn, from: readonly T[]): T => from[draw(from.length)] as T

/** Changes before the signature. */
function signed(wrong: (turn: Turn) => Wrong): Mutation {
  return (turn) => turn.authenticator.assert(turn.challenge, turn.origin, wrong(turn))
}

function clientMember(name: string, values: (turn: Turn) => readonly unknown[]): Mutation {
  return signed((turn) => ({ clientData: (members) => ({ ...members, [name]: pick(turn, values(turn)) }) }))
}

/** Changes of the bytes of one member, which nobody signed. */
function bytes(member: "clientDataJSON" | "authenticatorData" | "signature"): Mutation {
  const isSignature = member === "signature"
  return (turn) => {
    const good = turn.authenticator.assert(turn.challenge, turn.origin)
    const before = Buffer.from(good.response[member], "base64url")
    const at = turn.draw(before.length)
    const changed = pick<() => Buffer>(turn, [
      () => Buffer.from(before.map((byte, i) => (i === at ? byte ^ (1 << turn.draw(8)) : byte))),
      () => Buffer.concat([before.subarray(0, at), before.subarray(at + 1)]),
      () => Buffer.concat([before.subarray(0, at), Buffer.from([turn.draw(256)]), before.subarray(at)]),
      () => before.subarray(0, at),
      // The library reads a DER signature up to its end: see `afterSignature`.
      () => (isSignature ? Buffer.alloc(0) : Buffer.concat([before, Buffer.alloc(1 + turn.draw(3), turn.draw(256))])),
      () => Buffer.from(before.map((byte, i) => (i === at ? turn.draw(256) : byte))),
    ])()
    return { ...good, response: { ...good.response, [member]: changed.toString("base64url") } }
  }
}

const flagsOf = (change: (flags: number) => number) => (data: Buffer) => {
  const changed = Buffer.from(data)
  changed[32] = change(changed[32] ?? 0)
  return changed
}

const withCounter = (counter: number) => (data: Buffer) => {
  const changed = Buffer.from(data)
  changed.writeUInt32BE(counter, 33)
  return changed
}

/** The counter that the relying party knows when each assertion arrives. */
export const KNOWN_COUNTER = 7

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  none: signed(() => ({ authenticatorData: withCounter(KNOWN_COUNTER + 1) })),
  bytesOfClientData: bytes("clientDataJSON"),
  bytesOfAuthenticatorData: bytes("authenticatorData"),
  bytesOfSignature: bytes("signature"),
  type: clientMember("type", () => ["webauthn.create", "payment.get", "webauthn.get ", "", null, 1, "WEBAUTHN.GET"]),
  challenge: clientMember("challenge", ({ challenge }) => [
    `${challenge}=`,
    challenge.slice(1),
    challenge.toLowerCase(),
    `${challenge}A`,
    "",
    null,
    [challenge],
  ]),
  origin: clientMember("origin", ({ origin }) => [
    `${origin}/`,
    `${origin}0`,
    origin.replace("http:", "https:"),
    origin.toUpperCase(),
    origin.replace(/:\d+$/, ""),
    origin.replace(/:\d+$/, ":1"),
    origin.replace("://", "://x."),
    null,
    [origin],
  ]),
  sameMembers: signed((turn) => ({
    clientData: (members) =>
      pick(turn, [
        { ...members, other_keys_can_be_added_here: "do not compare clientDataJSON against a template" },
        Object.fromEntries(Object.entries(members).reverse()),
        { ...members, crossOrigin: undefined },
      ]),
  })),
  noObject: signed((turn) => ({ clientData: () => pick<unknown>(turn, [[], "text", 1, {}]) })),
  noJson: signed((turn) => ({ clientText: (text) => Buffer.from(text.slice(0, turn.draw(text.length))) })),
  escapes: signed(() => ({ clientText: (text) => Buffer.from(text.replace("webauthn.get", "webauthn\\u002eget")) })),
  spaces: signed(() => ({ clientText: (text) => Buffer.from(text.replaceAll(",", " ,\n ")) })),
  flags: signed((turn) => ({ authenticatorData: flagsOf(() => turn.draw(64)) })),
  noPresence: signed(() => ({ authenticatorData: flagsOf((flags) => flags & ~1) })),
  noVerification: signed(() => ({ authenticatorData: flagsOf((flags) => flags & ~4) })),
  backup: signed((turn) => ({ authenticatorData: flagsOf((flags) => flags | pick(turn, [8, 16, 24])) })),
  counter: signed((turn) => ({
    authenticatorData: withCounter(
      pick(turn, [0, 1, KNOWN_COUNTER - 1, KNOWN_COUNTER, KNOWN_COUNTER + 1, 2 ** 32 - 1]),
    ),
  })),
  relyingParty: signed((turn) => ({
    authenticatorData: (data) => Buffer.concat([Buffer.alloc(32, turn.draw(256)), data.subarray(32)]),
  })),
  leftover: signed((turn) => ({
    authenticatorData: (data) => Buffer.concat([data, Buffer.alloc(1 + turn.draw(40), turn.draw(256))]),
  })),
  short: signed((turn) => ({ authenticatorData: (data) => data.subarray(0, turn.draw(data.length)) })),
  badExtension: signed(() => ({
    authenticatorData: (data) => Buffer.concat([flagsOf((flags) => flags | 0x80)(data), Buffer.from([0xff])]),
  })),
  badAttested: signed((turn) => ({
    authenticatorData: (data) => Buffer.concat([flagsOf((flags) => flags | 0x40)(data), Buffer.alloc(turn.draw(18))]),
  })),
  stranger: signed(({ stranger }) => ({ signer: stranger })),
  cutSignature: signed((turn) => ({ signature: (made) => made.subarray(turn.draw(made.length)) })),
  zeroSignature: signed(() => ({ signature: (made) => Buffer.alloc(made.length) })),
  rawId: (turn) => ({ ...turn.authenticator.assert(turn.challenge, turn.origin), rawId: "AAAA" }),
  credentialType: (turn) => ({ ...turn.authenticator.assert(turn.challenge, turn.origin), type: "password" }),
  missing: (turn) => {
    const good = turn.authenticator.assert(turn.challenge, turn.origin)
    const left = pick(turn, ["clientDataJSON", "authenticatorData", "signature"] as const)
    return { ...good, response: { ...good.response, [left]: undefined as unknown as string } }
  },
  badTokenBinding: clientMember("tokenBinding", () => ["supported", { status: "x" }]),
  topOrigin: signed(() => ({
    clientData: (members) => ({ ...members, crossOrigin: false, topOrigin: "http://other.localhost" }),
  })),
  // What follows is refused here, and accepted by the library.
  framed: clientMember("crossOrigin", () => [true, "yes", 1]),
  tokenBinding: clientMember("tokenBinding", () => [{ status: "supported" }, { status: "present", id: "AA" }]),
  twice: signed(() => ({ clientText: (text) => Buffer.from(text.replace("{", '{"type":"webauthn.create",')) })),
  byteOrderMark: signed(() => ({ clientText: (text) => Buffer.from(`\ufeff${text}`) })),
  notUtf8: signed(() => ({
    clientText: (text) =>
      Buffer.concat([Buffer.from(`${text.slice(0, -1)},"x":"`), Buffer.from([0xff]), Buffer.from('"}')]),
  })),
  extension: signed(() => ({
    authenticatorData: (data) => Buffer.concat([flagsOf((flags) => flags | 0x80)(data), Buffer.from([0xa0])]),
  })),
  attested: signed(() => ({
    authenticatorData: (data) => Buffer.concat([flagsOf((flags) => flags | 0x40)(data), Buffer.alloc(19)]),
  })),
  afterSignature: signed((turn) => ({
    signature: (made) => Buffer.concat([made, Buffer.alloc(1 + turn.draw(3), turn.draw(256))]),
  })),
  otherCredential: (turn) => ({
    ...turn.authenticator.assert(turn.challenge, turn.origin),
    ...{ id: "AAAA", rawId: "AAAA" },
  }),
  otherText: (turn) => {
    const good = turn.authenticator.assert(turn.challenge, turn.origin)
    const member = pick(turn, ["authenticatorData", "signature"] as const)
    return { ...good, response: { ...good.response, [member]: `${good.response[member]}=` } }
  },
}

/** What the library does not check, or reads in more than one way. */
export const STRICTER: ReadonlySet<string> = new Set([
  "framed",
  "tokenBinding",
  "twice",
  "byteOrderMark",
  "notUtf8",
  "extension",
  "attested",
  "afterSignature",
  "otherCredential",
  "otherText",
])
