import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { AgentExportBundle } from "../../../../schemas/agent-id/export.ts"
import { EXPORT_BYTES_MAX } from "../../../../schemas/agent-id/export.ts"
import { canonicalize } from "../../../../src/core/canonical-json.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { signedAnswer } from "../../../../src/core/signer.ts"
import { formatInstant, HOUR } from "../../../../src/core/time.ts"
import { STEPS } from "../../../../src/offline/kinds/identity/conclusion.ts"
import { verifyBundle } from "../../../../src/offline/kinds/identity/verify-bundle.ts"
import type { VerifyOptions } from "../../../../src/offline/steps/options.ts"
import { editedBundle, signedAgain, withStatus } from "../../../fixtures/bundle-forgery.ts"
import { BundleTestServer, ORIGIN } from "../../../fixtures/bundle-test-server.ts"
import { type OwnedIdentity, recoveryRotation } from "../../../fixtures/owned-identity.ts"

let server: BundleTestServer
let alice: OwnedIdentity
let bundle: AgentExportBundle

const judged = (seconds = 5) => formatInstant(Date.parse(bundle.exported_at) + seconds * 1000)

beforeAll(async () => {
  server = await BundleTestServer.open()
  alice = await server.enrol("alice")
  server.clock.at += HOUR
  alice = await server.accept(recoveryRotation(alice, server.clock.at))
  bundle = await server.bundle(alice.state?.agentId ?? "")
})
afterAll(() => server[Symbol.asyncDispose]())

async function verdict(given: AgentExportBundle | string, options: VerifyOptions = {}): Promise<string[]> {
  const text = typeof given === "string" ? given : canonicalize(given)
  const { result, steps } = await verifyBundle(text, { logKey: server.verifierKey(), at: judged(), ...options })
  return [result, ...steps.filter(({ outcome }) => outcome !== "VALID").map((one) => `${one.step} ${one.reason_code}`)]
}

describe("a bundle whose signed statements disagree with its key history is INVALID", () => {
  const row = (name: string, change: () => AgentExportBundle, ...reasons: string[]) =>
    test(name, async () => expect(await verdict(change())).toEqual(["INVALID", ...reasons]))

  row(
    "a status with another head",
    () => withStatus(bundle, { head_event_digest: digestOf("other") }, server.signer()),
    "STATUS STATUS_DIFFERS",
  )
  row(
    "a status that hides a key",
    () => withStatus(bundle, { keys: bundle.status.payload.keys.slice(1) }, server.signer()),
    "STATUS STATUS_KEYS_DIFFER",
  )
  row(
    "a status of another tree size",
    () => withStatus(bundle, { log: { origin: ORIGIN, tree_size: 99 } }, server.signer()),
    "STATUS STATUS_OF_ANOTHER_TREE",
  )
  row(
    "a status signed by an agent's key",
    () => {
      const agent = { ...server.signer(), keyId: alice.recovery.keyId, privateKey: alice.recovery.privateKey }
      const forged = { ...bundle.status, ...signedAnswer(agent, bundle.status.payload) }
      return signedAgain({ ...bundle, status: forged }, server.signer())
    },
    "STATUS SIGNING_KEY_UNKNOWN",
  )
  row(
    "another issuer's name on the status",
    () => {
      const forged = {
        ...bundle.status,
        ...signedAnswer({ ...server.signer(), issuer: "other" }, bundle.status.payload),
      }
      return signedAgain({ ...bundle, status: forged }, server.signer())
    },
    "STATUS ISSUER_DIFFERS",
  )
  row(
    "a bundle digest that does not match the content",
    () => ({ ...bundle, bundle_digest: digestOf("other") }),
    "BUNDLE_SIGNATURE BUNDLE_DIGEST_MISMATCH",
  )
  row(
    "a receipt with another time",
    () => {
      const forged = editedBundle(bundle, (draft) => {
        const entry = draft.key_event_log[0]
        if (entry)
          entry.receipt.payload.accepted_at = formatInstant(Date.parse(entry.receipt.payload.accepted_at) + 1000)
      })
      return withStatus(forged, {}, server.signer())
    },
    "RECEIPTS DIGEST_MISMATCH",
    "STATUS STATUS_KEYS_DIFFER",
  )
  row(
    "a status with another instant than the bundle",
    () => {
      const as_of = formatInstant(Date.parse(bundle.exported_at) - 1000)
      return withStatus(bundle, { as_of }, server.signer())
    },
    "TIMES AS_OF_DIFFERS",
  )
  row(
    "a key set that differs from the histories",
    () => {
      const forged = editedBundle(bundle, (draft) => {
        const key = draft.service_keys.jwks.keys[0]
        if (key) key.svc_status = "ROTATED"
      })
      return signedAgain(forged, server.signer())
    },
    ...[
      "SERVICE_KEYS KEY_SET_DIFFERS",
      ...STEPS.slice(4, 13)
        .filter((step) => step !== "AGE")
        .map(needsOf),
    ],
  )
})

/** Reason of a step that comes after a failed SERVICE_KEYS. */
function needsOf(step: string): string {
  if (step === "LOG_KEY") return "LOG_KEY NEEDS_CHECKPOINT"
  const needs = ["CHECKPOINT", "INCLUSION", "CURRENCY", "RECEIPTS", "STATUS", "BUNDLE_SIGNATURE", "TIMES"]
  return needs.includes(step) ? `${step} NEEDS_SERVICE_KEYS` : step
}

describe("the time checks", () => {
  test("a bundle from the future is INVALID beyond the allowed skew", async () => {
    expect(await verdict(bundle, { at: judged(-29) })).toEqual(["VALID"])
    expect(await verdict(bundle, { at: judged(-31) })).toEqual(["INVALID", "TIMES FROM_THE_FUTURE"])
  })

  test("a bundle of exactly the allowed age is VALID; one second older is INVALID", async () => {
    expect(await verdict(bundle, { at: judged(60), maxAge: 60 })).toEqual(["VALID"])
    expect(await verdict(bundle, { at: judged(61), maxAge: 60 })).toEqual(["INVALID", "AGE STALE"])
  })

  test("a status that the service marks UNKNOWN gives NOT_CHECKED", async () => {
    const freshness = { ...bundle.status.payload.freshness, status: "UNKNOWN" as const }
    expect(await verdict(withStatus(bundle, { freshness }, server.signer()))).toEqual([
      "NOT_CHECKED",
      "STATUS STATUS_NOT_FRESH",
    ])
  })
})

describe("the bytes of a bundle", () => {
  const text = () => canonicalize(bundle)
  const first = async (given: string | Uint8Array, options: VerifyOptions = {}) => {
    const { result, steps } = await verifyBundle(given, { logKey: server.verifierKey(), at: judged(), ...options })
    return `${result} ${steps[0]?.reason_code}`
  }

  test("another layout is INVALID unless it is allowed, and then the result says REFORMATTED", async () => {
    const pretty = JSON.stringify(bundle, null, 2)
    expect(await first(pretty)).toBe("INVALID NOT_CANONICAL")
    expect(await first(`${text()}\n`)).toBe("INVALID NOT_CANONICAL")
    expect(await first(pretty, { reformatted: true })).toBe("VALID REFORMATTED")
  })

  test("a text that two readers could read differently is refused", async () => {
    expect(await first(text().replace("{", '{"claim":"KEY_CONTROL_ONLY",'))).toBe("INVALID DUPLICATE_MEMBER")
    expect(await first(`\ufeff${text()}`)).toBe("INVALID BYTE_ORDER_MARK")
    expect(await first(new Uint8Array([0x22, 0xff, 0x22]))).toBe("INVALID NOT_UTF8")
    expect(await first("[".repeat(33) + "]".repeat(33))).toBe("INVALID TOO_DEEP")
    expect(await first("")).toBe("INVALID NOT_JSON")
  })

  test("a text longer than any bundle is refused without being parsed", async () => {
    expect(await first(" ".repeat(EXPORT_BYTES_MAX + 1))).toBe("INVALID TOO_LARGE")
    expect(await first(" ".repeat(EXPORT_BYTES_MAX))).toBe("INVALID NOT_JSON")
  })

  test("another kind of document gives NOT_CHECKED; a bundle with a bad member is INVALID and names the member", async () => {
    expect((await verdict(canonicalize({ bundle_type: "svc.agent-identity.export.v2" }))).slice(0, 2)).toEqual([
      "NOT_CHECKED",
      "SHAPE BUNDLE_TYPE_UNKNOWN",
    ])
    const { steps } = await verifyBundle(canonicalize({ ...bundle, extra: 1 }), { at: judged() })
    expect(steps[1]?.detail).toContain("unknown member")
    const short = editedBundle(bundle, (draft) => {
      draft.transparency.currency_proof.last_leaf = "AAAA"
    })
    expect((await verifyBundle(canonicalize(short), {})).steps[1]?.detail).toContain(
      "/transparency/currency_proof/last_leaf",
    )
  })
})
