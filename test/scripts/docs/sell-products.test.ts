/**
 * The answers on the page of products are genuine: each verifies offline against its request and the key of the test issuer, also on the
 * page `/verify`, and a wallet takes it.
 */

import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { type UkDelivery, WalletArtifact } from "../../../schemas/agent-mode/wallet-artifact.ts"
import { type Sale, sellProducts } from "../../../scripts/docs/sell-products.ts"
import { walletArtifactIn } from "../../../src/agent/wallet-artifact.ts"
import { openUkDelivery } from "../../../src/agent-mode/wallet/open-uk-delivery.ts"
import { decodeBase64url } from "../../../src/core/base64url.ts"
import { canonicalBytes } from "../../../src/core/canonical-json.ts"
import { NATIVE_CRYPTO } from "../../../src/core/crypto/native-crypto.ts"
import { digestOf } from "../../../src/core/digest.ts"
import type { JsonValue } from "../../../src/core/strict-json.ts"
import { instant } from "../../../src/core/time.ts"
import { verifyAnswer } from "../../../src/offline/kinds/answer.ts"
import { verifyDecision } from "../../../src/offline/kinds/decision.ts"
import { recogniseFile } from "../../../src/offline/kinds/recognise-file.ts"
import { type IssuerKeys, readIssuerKeys } from "../../../src/offline/steps/issuer-keys.ts"
import { KNOWN } from "../../../src/pages/verify/known.ts"
import { ANSWER_RULES } from "../../../src/products/products.ts"
import { paymentDecisionRules } from "../../../src/products/us/payment-decision/replay-rules.ts"
import { issuerJwks } from "../../fixtures/decision.ts"
import { sourceText } from "../../fixtures/imports.ts"
import { EACH_PRODUCT } from "../../fixtures/products.ts"

setDefaultTimeout(30_000)

const KEYS = readIssuerKeys(issuerJwks(), NATIVE_CRYPTO) as IssuerKeys

const capsuleIn = (header: string) => JSON.parse(new TextDecoder().decode(decodeBase64url(header) ?? undefined))

let sales: readonly Sale[]
beforeAll(async () => {
  sales = await sellProducts()
})

describe.each(EACH_PRODUCT)("%s", (id, row) => {
  const saleOf = () => sales.find((one) => one.row.id === id) as Sale

  test("the request satisfies the schema of its route", () => {
    expect([...Value.Errors(row.request, saleOf().request)]).toEqual([])
  })

  test("the answer allows the buyer to continue and verifies with its capsule, its request and the issuer key", () => {
    const { request, answer, capsule } = saleOf()
    const at = instant(String(answer["valid_as_of"]))
    const bytes = canonicalBytes(answer as JsonValue)
    const input = { bytes, keys: KEYS, at, crypto: NATIVE_CRYPTO, reformatted: false, request }
    const decoded = capsule === null ? null : decodeBase64url(capsule)
    const { report, stated } = decoded
      ? verifyAnswer({ ...input, capsule: decoded }, ANSWER_RULES)
      : verifyDecision(input, paymentDecisionRules)
    expect(report.lines.filter(({ state }) => state !== "OK" && state !== "NOTE")).toEqual([])
    expect(report.lines.some(({ check, state }) => check === "signature" && state === "OK")).toBe(true)
    expect(["CONTINUE", "RELEASE_PAYMENT"]).toContain(stated?.machineAction ?? "")
  })

  test("the page /verify knows it as the command does", () => {
    const { request, answer, capsule } = saleOf()
    const at = instant(String(answer["valid_as_of"]))
    const bytes = canonicalBytes(answer as JsonValue)
    const input = { bytes, keys: KEYS, at, crypto: KNOWN.crypto, reformatted: false, request }
    const decoded = capsule === null ? null : decodeBase64url(capsule)
    const { report } = decoded
      ? verifyAnswer({ ...input, capsule: decoded }, KNOWN.answers)
      : verifyDecision(input, KNOWN.decision)
    expect(report.lines.filter(({ state }) => state !== "OK" && state !== "NOTE")).toEqual([])
    expect(recogniseFile(bytes, KNOWN.answers)?.what).toBe(decoded ? "an answer" : "a delivery")
  })

  test("a wallet takes it, and finds a UK answer by the members of its request", () => {
    const { answer, capsule } = saleOf()
    const read = capsule === null ? answer : { answer, capsule: capsuleIn(capsule) }
    const found = walletArtifactIn(read as JsonValue)
    expect([
      ...Value.Errors(WalletArtifact, { artifact_type: found?.artifact_type, document: found?.document }),
    ]).toEqual([])
    expect(found?.artifact_type).toBe(row.country === "GB" ? "UK_DELIVERY" : "PROOF_CAPSULE")
    if (row.country !== "GB") return
    const opened = openUkDelivery(found?.document as unknown as UkDelivery, { answerRules: ANSWER_RULES })
    const { company_number } = saleOf().request as { company_number: string }
    expect(opened.subjectDigests["/company_number"]).toBe(digestOf(company_number))
    expect(opened.rejected).toBeNull()
  })

  test("docs/buy.md links its section of the page", () => {
    const page = sourceText("docs/reference/products.md")
    const before = page.slice(0, page.indexOf(`Product \`${id}\``))
    const heading = before.slice(before.lastIndexOf("\n## ") + 4).split("\n")[0] ?? ""
    const anchor = heading.toLowerCase().replaceAll(" ", "-")
    expect(sourceText("docs/buy.md")).toContain(`](reference/products.md#${anchor}) | \`POST ${row.path}\``)
  })
})
