/** Every refusal of the contact routes, on real requests. No refusal repeats what was sent. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { CONTACT_ROW } from "../../schemas/contact.ts"
import { contactRoutes } from "../../src/contact/routes.ts"
import { digestBytes, digestOf } from "../../src/core/digest.ts"
import { router } from "../../src/http/router.ts"
import { StoreUnavailable } from "../../src/store/engine/store-error.ts"
import { SHARED_CAPS } from "../../src/store/free-writes/shared-caps.ts"
import { expectProblem, MARKER } from "../fixtures/problems.ts"
import { BASE_URL } from "../fixtures/service.ts"
import { testShell } from "../fixtures/shell.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import {
  CHANNEL_PATH,
  type ContactService,
  contactService,
  DECISION_PATHS,
  INTENT,
  PRODUCT_PATHS,
} from "./contact-service.ts"

const test = slowTests(import.meta.path)

let service: ContactService
beforeAll(async () => {
  service = await contactService()
})
afterAll(() => service[Symbol.asyncDispose]())

const [COMPANY_CHECK = ""] = PRODUCT_PATHS
const IBAN = "GB82 WEST 1234 5698 7654 32"
const padded = (bytes: number) => {
  const text = JSON.stringify({ draft_request: { note: "" } })
  return text.replace('""', JSON.stringify("x".repeat(bytes - text.length)))
}

describe.each([...DECISION_PATHS, ...PRODUCT_PATHS])("%s", (path) => {
  const isDecision = DECISION_PATHS.some((one) => one === path)
  const body = (draft: unknown) => ({ ...(isDecision && { intent: INTENT }), draft_request: draft })
  const refused = async (given: unknown, status: number, code: string, headers?: Record<string, string>) =>
    expectProblem(await service.post(path, given, headers), status, code)

  test("400: a body that is not strict JSON", async () => {
    await refused('{"draft_request":{},"draft_request":{}}', 400, "MALFORMED_JSON")
  })

  test("413: a body over 64 KiB; one of exactly 64 KiB is read", async () => {
    await refused(padded(64 * 1024 + 1), 413, "BODY_TOO_LARGE")
    const answer = await service.post(path, padded(64 * 1024))
    expect(answer.status).toBe(isDecision ? 422 : 200)
    if (!isDecision) expect((await answer.json()).invalid_inputs).toMatchObject([{ path: "", code: "UNKNOWN_MEMBER" }])
  })

  test("415: another media type", async () => {
    await refused(body({}), 415, "MEDIA_TYPE_UNSUPPORTED", { "content-type": "text/plain" })
  })

  test.each([
    ["a list", [MARKER]],
    ["a text", JSON.stringify(MARKER)],
    ["an unknown member", { ...(isDecision && { intent: INTENT }), note: MARKER }],
    ["a draft that is no object", body(MARKER)],
    ["null", null],
  ])("422: %s", async (_, given) => {
    const { errors } = await refused(given, 422, "SCHEMA_INVALID")
    expect(errors.length).toBeGreaterThan(0)
  })

  test("422: raw bank data in a member of the request, in an unknown member, in a name, and across two members", async () => {
    const drafts = [
      { idempotency_key: IBAN },
      { correlation: { trace_id: IBAN } },
      { note: { deep: [IBAN] } },
      { [IBAN]: 1 },
      { sort: "20-00-00", account: "55779911" },
      { payment_instruction_digest: IBAN },
      { invoice: [IBAN] },
    ]
    for (const draft of drafts) {
      const { errors } = await refused(body(draft), 422, "RAW_BANK_DATA_REJECTED")
      for (const { pointer } of errors) expect(pointer).toStartWith("/draft_request")
      expect(JSON.stringify(errors)).not.toMatch(/WEST|55779911/)
    }
  })

  test("422: a private key in the draft", async () => {
    const jwk = { kty: "OKP", crv: "Ed25519", x: "A".repeat(43), d: "B".repeat(43) }
    await refused(body({ key: jwk }), 422, "PRIVATE_KEY_MATERIAL_REJECTED")
  })

  test("hostile names and depths are answered, not a bug", async () => {
    const draft = { toString: 1, constructor: { toString: 2 }, identifiers: { toString: { valueOf: 1 } } }
    expect((await service.post(path, body(draft))).status).toBe(200)
    await refused(`{"draft_request":{"__proto__":1}}`, 400, "MALFORMED_JSON")
  })
})

test("a digest that looks like a card number is no bank data", async () => {
  const draft = {
    payment_instruction_digest: `sha256:${"4111111111111111".repeat(4)}`,
    amount: "4111111111111111.00",
  }
  expect((await service.post(CHANNEL_PATH, { intent: INTENT, draft_request: draft })).status).toBe(200)
})

describe("Another intent or coverage", () => {
  const draft = (members: object) => ({ intent: INTENT, draft_request: members })

  test.each([
    ["another intent", { intent: "HIRE_A_PERSON" }, "INTENT_UNSUPPORTED", "/intent"],
    ["another intent in the draft", draft({ intent: "BUY" }), "INTENT_UNSUPPORTED", "/draft_request/intent"],
    ["another country", draft({ jurisdiction: "FR" }), "COVERAGE_UNSUPPORTED", "/draft_request/jurisdiction"],
    ["another coverage", draft({ coverage: "STATE" }), "COVERAGE_UNSUPPORTED", "/draft_request/coverage"],
    [
      "another coverage requirement",
      draft({ coverage_requirements: { jurisdiction: "US", coverage: "ALL" } }),
      "COVERAGE_UNSUPPORTED",
      "/draft_request/coverage_requirements/coverage",
    ],
  ])("%s: 422 that names what is supported and the alternative", async (_, body, code, pointer) => {
    const problem = await expectProblem(await service.post(CHANNEL_PATH, body), 422, code)
    expect(problem.next_machine_action).toBe("STOP_AND_SEEK_ALTERNATIVE")
    expect(problem.errors.map((error) => error.pointer)).toEqual([pointer])
    expect(problem.detail).toMatch(/Supported/)
  })

  test("the draft of another product too", async () => {
    const body = { draft_request: { coverage: "STATE" } }
    await expectProblem(await service.post(COMPANY_CHECK, body), 422, "COVERAGE_UNSUPPORTED")
  })

  test("a missing intent stays a fault of the body", async () => {
    await expectProblem(await service.post(CHANNEL_PATH, { draft_request: {} }), 422, "SCHEMA_INVALID")
  })
})

describe("The optional email path", () => {
  const mail = { intent: INTENT, reply_to: "agent@host.example" }

  test("is off: 503 that names the way without it", async () => {
    for (const body of [mail, { ...mail, email_verification_token: "t".repeat(43) }]) {
      const problem = await expectProblem(await service.post(CHANNEL_PATH, body), 503, "EMAIL_CONTACT_DISABLED")
      expect(problem.next_machine_action).toBe("SEND_WITHOUT_REPLY_TO")
      expect(problem.detail).toContain("without reply_to")
    }
  })

  test("the digest of the same body without the e-mail members is that of the reply", async () => {
    const { reply_to: _, ...body } = mail
    expect((await service.decision(body)).request_digest).toBe(digestOf({ intent: INTENT }))
  })

  test("a token without the mailbox is a fault", async () => {
    const body = { intent: INTENT, email_verification_token: "t".repeat(43) }
    const { errors } = await expectProblem(await service.post(CHANNEL_PATH, body), 422, "MAILBOX_INVALID")
    expect(errors).toMatchObject([{ pointer: "/reply_to", code: "OBJECT_REQUIRED_PROPERTY" }])
  })

  test.each(["a@host.example,b@host.example", "Agent <a@host.example>", "a@host.example\r\nBcc: b@c.example", MARKER])(
    "%j is not one mailbox, for a reply and for STOP",
    async (reply_to) => {
      for (const body of [
        { intent: INTENT, reply_to },
        { action: "STOP", reply_to },
      ]) {
        const { errors } = await expectProblem(await service.post(CHANNEL_PATH, body), 422, "MAILBOX_INVALID")
        expect(errors).toMatchObject([{ pointer: "/reply_to", code: "MAILBOX" }])
      }
    },
  )

  test("STOP with anything beside the mailbox is a fault", async () => {
    const body = { action: "STOP", reply_to: "a@host.example", intent: INTENT }
    await expectProblem(await service.post(CHANNEL_PATH, body), 422, "SCHEMA_INVALID")
  })
})

test("429: one client has 30 calls a minute over all contact routes, STOP included", async () => {
  await using limited = await contactService({ rate_limits: "on" })
  const from = { "x-forwarded-for": "192.0.2.1" }
  const calls = [
    () => limited.post(CHANNEL_PATH, { action: "STOP", reply_to: "a@host.example" }, from),
    () => limited.post(CHANNEL_PATH, { intent: INTENT }, from),
    () => limited.post(COMPANY_CHECK, {}, from),
  ]
  for (let at = 0; at < CONTACT_ROW.rateLimit.perMinute; at++) expect((await calls[at % 3]?.())?.status).toBe(200)
  for (const call of calls) await expectProblem(await call(), 429, "RATE_LIMITED")
})

test("429: the share of an address in opt-outs is used up; the same for a known and an unknown mailbox", async () => {
  await using full = await contactService()
  const stop = (reply_to: string, address: string) =>
    full.post(CHANNEL_PATH, { action: "STOP", reply_to }, { "x-forwarded-for": address })
  let share = 0
  while ((await stop(`agent-${share}@host.example`, "203.0.113.1")).status === 200) share++
  expect(share).toBe(Math.floor((0.9 * SHARED_CAPS.STOPS_UNPROVED.max) / 51))
  for (const mailbox of ["agent-0@host.example", "unknown@host.example"]) {
    const answer = await stop(mailbox, "203.0.113.1")
    expect(answer.headers.get("retry-after")).toBe("86400")
    const problem = await expectProblem(answer, 429, "RATE_LIMITED")
    expect(problem.reason_codes).toEqual(["STOPS_UNPROVED_OF_ADDRESS"])
  }
  expect((await stop("unknown@host.example", "198.51.100.1")).status).toBe(200)
})

test("503: the store cannot take an opt-out; a reply to a draft needs no store", async () => {
  const { shell } = testShell({ baseUrl: () => BASE_URL })
  const fail = () => Promise.reject(new StoreUnavailable("FULL"))
  const store = { run: fail, runInPlace: fail, read: fail, readTogether: fail, version: () => 0, close: async () => {} }
  const signingModuleDigest = async () => digestBytes("module")
  const deps = {
    shell,
    store,
    acpChannel: "acp",
    takesPayments: false,
    jobOffering: () => null,
    email: null,
    signingModuleDigest,
  }
  const app = router(shell, contactRoutes(deps))
  const post = (body: object) =>
    app.handle(
      new Request(BASE_URL + CHANNEL_PATH, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    )
  await expectProblem(await post({ action: "STOP", reply_to: "a@host.example" }), 503, "STORE_UNAVAILABLE")
  expect((await post({ intent: INTENT })).status).toBe(200)
})
