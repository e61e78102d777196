/** One stored case with every document of its buyer, read by the program's own readers. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { AnswerBundle } from "../../schemas/answer-bundle.ts"
import type { DeliveryBundle } from "../../schemas/us/delivery-bundle.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { canonicalBytes } from "../../src/core/canonical-json.ts"
import { NATIVE_CRYPTO } from "../../src/core/crypto/native-crypto.ts"
import type { Report } from "../../src/offline/report.ts"
import { type IssuerKeys, readIssuerKeys } from "../../src/offline/steps/issuer-keys.ts"
import { answerBundles } from "../../src/products/common/answer-bundles.ts"
import { replayBundle } from "../../src/products/common/replay-bundle.ts"
import { ANSWER_RULES } from "../../src/products/products.ts"
import { decisionBundles } from "../../src/products/us/payment-decision/decision-bundles.ts"
import { paymentDecisionRules } from "../../src/products/us/payment-decision/replay-rules.ts"
import { type BuildList, fileOf, ISSUER, type Kind, readList, type StoredCase } from "./build-list.ts"
import { STORED_BUILDS } from "./builds.ts"

/** The folders with stored deliveries, one for each build, the oldest first. */
export const BUILDS: readonly string[] = STORED_BUILDS.map(({ name }) => name)

export const folderOf = (build: string): string => join(import.meta.dir, build)

export interface StoredBundle extends StoredCase {
  /** The build's folder. */
  readonly folder: string
  /** The file as `bizauth export` wrote it. */
  readonly bytes: Uint8Array
  readonly bundle: AnswerBundle | DeliveryBundle
  /** The delivered documents, byte for byte; null where the product has none of the kind. */
  readonly answer: Uint8Array
  readonly capsule: Uint8Array | null
  readonly passport: Uint8Array | null
}

export function isDecision(bundle: AnswerBundle | DeliveryBundle): bundle is DeliveryBundle {
  return "delivery" in bundle
}

export function readStored(build: string, one: StoredCase): StoredBundle {
  const folder = folderOf(build)
  const read = (kind: Kind) =>
    one.files.includes(kind) ? new Uint8Array(readFileSync(join(folder, fileOf(one, kind)))) : null
  const bytes = read("bundle.json") ?? new Uint8Array()
  const bundle = JSON.parse(new TextDecoder().decode(bytes)) as AnswerBundle | DeliveryBundle
  const repeated = isDecision(bundle)
    ? { answer: canonicalBytes(bundle.delivery), capsule: null }
    : { answer: canonicalBytes(bundle.answer), capsule: canonicalBytes(bundle.capsule) }
  return {
    ...one,
    folder,
    bytes,
    bundle,
    answer: read("answer.json") ?? repeated.answer,
    capsule: read("answer.json.capsule") ?? repeated.capsule,
    passport: read("passport.json"),
  }
}

export function storedIn(build: string): { readonly list: BuildList; readonly stored: readonly StoredBundle[] } {
  const list = readList(folderOf(build))
  return { list, stored: list.cases.map((one) => readStored(build, one)) }
}

export function issuerKeysOf(build: string): IssuerKeys {
  const keys = readIssuerKeys(JSON.parse(readFileSync(join(folderOf(build), ISSUER), "utf8")), NATIVE_CRYPTO)
  if (!keys) throw new Error(`${build}: ${ISSUER} is not a set of public keys`)
  return keys
}

export function replay(product: string, bytes: Uint8Array, keys: IssuerKeys): Report {
  const isDecision = product === PAYMENT_DECISION_PRODUCT
  return replayBundle(bytes, keys, isDecision ? decisionBundles(paymentDecisionRules) : answerBundles(ANSWER_RULES))
}
